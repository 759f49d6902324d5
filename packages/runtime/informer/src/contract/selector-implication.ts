import {
  matchesLabels,
  type FieldRequirement,
  type FieldRequirements,
  type LabelRequirement,
  type LabelRequirements,
} from '@keelson/apimachinery';

/**
 * True if `watched` certainly selects every object that `read` selects. It compares requirement by requirement, so it
 * may return false where both together would imply it.
 */
export function impliesLabels(read: LabelRequirements, watched: LabelRequirements): boolean {
  return watched.every((wanted) =>
    impliesLabel(
      read.filter(({ key }) => key === wanted.key),
      wanted,
    ),
  );
}

/** True if the requirements `given` of the read on one label imply the requirement `wanted` of the watch. */
function impliesLabel(given: readonly LabelRequirement[], wanted: LabelRequirement): boolean {
  const { key } = wanted;
  const values = given.find(({ operator }) => operator === 'in')?.values;
  if (values !== undefined) {
    // The values that the label can have: those that also fulfil the other requirements of the read.
    const left = values.filter((value) => matchesLabels(given, { [key]: value }));
    return left.every((value) => matchesLabels([wanted], { [key]: value }));
  }
  if (given.some(({ operator }) => operator === 'notexists')) return matchesLabels([wanted], {});
  return impliesOpenSet(given, wanted);
}

/** Compares requirements that do not limit the label to a set of values. */
function impliesOpenSet(
  given: readonly LabelRequirement[],
  { key, operator, values }: LabelRequirement,
): boolean {
  const boundsOf = (side: 'gt' | 'lt'): bigint[] =>
    given.flatMap((one) => (one.operator === side ? one.values.map(BigInt) : []));
  const [bound = ''] = values;
  switch (operator) {
    case 'exists':
      return given.some((one) => one.operator !== 'notin');
    case 'notin':
      return values.every((value) => !matchesLabels(given, { [key]: value }));
    case 'gt':
      return boundsOf('gt').some((least) => least >= BigInt(bound));
    case 'lt':
      return boundsOf('lt').some((most) => most <= BigInt(bound));
    default:
      return false;
  }
}

/**
 * True if `watched` selects every object that `read` selects. Only `metadata.name` and
 * `metadata.namespace` are compared by meaning. Only the server knows how it evaluates other
 * fields, so the read must contain those requirements word for word.
 */
export function impliesFields(read: FieldRequirements, watched: FieldRequirements): boolean {
  return watched.every((wanted) => read.some((given) => impliesField(given, wanted)));
}

function impliesField(given: FieldRequirement, wanted: FieldRequirement): boolean {
  if (given.path !== wanted.path) return false;
  if (given.operator === wanted.operator) return given.value === wanted.value;
  if (!isName(wanted)) return false;
  return wanted.operator === '!=' && given.value !== wanted.value;
}

/** True if no object can match both: they select different names or namespaces. */
export function excludesFields(read: FieldRequirements, watched: FieldRequirements): boolean {
  return watched.some((wanted) => read.some((given) => excludesField(given, wanted)));
}

function excludesField(given: FieldRequirement, wanted: FieldRequirement): boolean {
  if (given.path !== wanted.path || !isName(wanted)) return false;
  const isSame = given.value === wanted.value;
  if (given.operator === wanted.operator) return given.operator === '=' && !isSame;
  return isSame;
}

/** True for the fields that Keelson evaluates itself: the name and the namespace. */
export function isName({ path }: FieldRequirement): boolean {
  return path === 'metadata.name' || path === 'metadata.namespace';
}
