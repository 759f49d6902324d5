import {
  matchesLabels,
  type FieldRequirement,
  type FieldRequirements,
  type LabelRequirement,
  type LabelRequirements,
} from '@keelson/apimachinery';

/** Whether every object that `read` selects is selected by `watched` too, requirement by requirement. */
export function impliesLabels(read: LabelRequirements, watched: LabelRequirements): boolean {
  return watched.every((wanted) =>
    impliesLabel(
      read.filter(({ key }) => key === wanted.key),
      wanted,
    ),
  );
}

/** `given` are the requirements of the read on the same label. */
function impliesLabel(given: readonly LabelRequirement[], wanted: LabelRequirement): boolean {
  const { key } = wanted;
  const values = given.find(({ operator }) => operator === 'in')?.values;
  if (values !== undefined) {
    // The label has one of these values: what is left after the other requirements has to match.
    const left = values.filter((value) => matchesLabels(given, { [key]: value }));
    return left.every((value) => matchesLabels([wanted], { [key]: value }));
  }
  if (given.some(({ operator }) => operator === 'notexists')) return matchesLabels([wanted], {});
  return impliesOpenSet(given, wanted);
}

/** For requirements that leave open which value the label has. */
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
 * The same for fields. Only `metadata.name` and `metadata.namespace` are read by their meaning: what other
 * fields mean is known to the server alone, so that these have to be required in the same words.
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

/** Whether no object can meet both: they name different objects or namespaces. */
export function excludesFields(read: FieldRequirements, watched: FieldRequirements): boolean {
  return watched.some((wanted) => read.some((given) => excludesField(given, wanted)));
}

function excludesField(given: FieldRequirement, wanted: FieldRequirement): boolean {
  if (given.path !== wanted.path || !isName(wanted)) return false;
  const isSame = given.value === wanted.value;
  if (given.operator === wanted.operator) return given.operator === '=' && !isSame;
  return isSame;
}

function isName({ path }: FieldRequirement): boolean {
  return path === 'metadata.name' || path === 'metadata.namespace';
}
