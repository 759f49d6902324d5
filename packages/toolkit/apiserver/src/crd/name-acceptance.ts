import { timestamp } from '../schema/clock.ts';
import { approvalConditions } from './approval-condition.ts';
import {
  type Definition,
  type DefinitionCondition,
  type DefinitionNames,
  type DefinitionStatus,
  hasCondition,
  withCondition,
} from './definition.ts';

/**
 * Computes the status of a definition. Its approval is shown, if its group needs one. Its names are accepted unless another definition of the group has them. A
 * definition with accepted names is established.
 */
export function acceptedStatus(
  definition: Definition,
  others: readonly Definition[],
  now: number,
): DefinitionStatus {
  const taken = takenNames(definition, others);
  const conflict = conflictOf(definition, taken);
  const lastTransitionTime = timestamp(now);
  let conditions: readonly DefinitionCondition[] = definition.status?.conditions ?? [];
  const ofNames = conflict === undefined ? accepted : withConflict(definition, conflict);
  for (const condition of [...approvalConditions(definition), ...ofNames]) {
    conditions = withCondition(conditions, { ...condition, lastTransitionTime });
  }
  return {
    ...definition.status,
    conditions: [...conditions],
    acceptedNames: acceptedNames(definition, taken),
    storedVersions: storedVersions(definition),
  };
}

const accepted: readonly DefinitionCondition[] = [
  { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
  {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  },
];

/** The conditions after a name conflict. An established definition remains established under its previous names. */
function withConflict(
  definition: Definition,
  { reason, name }: NameConflict,
): DefinitionCondition[] {
  const message = `${JSON.stringify(name)} is already in use`;
  const names: DefinitionCondition = { type: 'NamesAccepted', status: 'False', reason, message };
  if (hasCondition(definition, 'Established')) return [names];
  return [
    names,
    {
      type: 'Established',
      status: 'False',
      reason: 'NotAccepted',
      message: 'not all names are accepted',
    },
  ];
}

interface NameConflict {
  readonly reason: string;
  readonly name: string;
}

/** The accepted names of the other definitions of a group. */
interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

function takenNames(definition: Definition, others: readonly Definition[]): TakenNames {
  const granted = others
    .filter((other) => other.spec.group === definition.spec.group)
    .filter((other) => other.metadata?.uid !== definition.metadata?.uid)
    .flatMap(({ status }) => status?.acceptedNames ?? []);
  return {
    resources: new Set(granted.flatMap(resourceNames)),
    kinds: new Set(granted.flatMap(kindNames)),
  };
}

/** The last of several conflicts, as in kube-apiserver. */
function conflictOf(
  { spec }: Definition,
  { resources, kinds }: TakenNames,
): NameConflict | undefined {
  const { plural, kind, singular, listKind, shortNames = [] } = spec.names;
  const checks: readonly (readonly [string, string | undefined, ReadonlySet<string>])[] = [
    ['PluralConflict', plural, resources],
    ['SingularConflict', singular, resources],
    ...shortNames.map((name) => ['ShortNamesConflict', name, resources] as const),
    ['KindConflict', kind, kinds],
    ['ListKindConflict', listKind, kinds],
  ];
  return checks
    .flatMap(([reason, name, used]) =>
      name !== undefined && used.has(name) ? [{ reason, name }] : [],
    )
    .at(-1);
}

/** The names without a conflict; a name with a conflict keeps its previous value. */
function acceptedNames(
  { spec, status }: Definition,
  { resources, kinds }: TakenNames,
): DefinitionNames {
  const before = status?.acceptedNames;
  const { plural, kind, singular, listKind, shortNames, categories } = spec.names;
  const areFree = !(shortNames ?? []).some((name) => resources.has(name));
  const names = {
    plural: resources.has(plural) ? (before?.plural ?? '') : plural,
    singular: resources.has(singular ?? '') ? before?.singular : singular,
    shortNames: areFree ? shortNames : before?.shortNames,
    kind: kinds.has(kind) ? (before?.kind ?? '') : kind,
    listKind: kinds.has(listKind ?? '') ? before?.listKind : listKind,
    categories,
  };
  // Omits absent members.
  return JSON.parse(JSON.stringify(names)) as DefinitionNames;
}

function resourceNames({ plural, singular, shortNames = [] }: DefinitionNames): string[] {
  return [plural, singular ?? '', ...shortNames].filter((name) => name !== '');
}

function kindNames({ kind, listKind }: DefinitionNames): string[] {
  return [kind, listKind ?? ''].filter((name) => name !== '');
}

/** All versions in which objects may be stored; a version is never removed from the list. */
function storedVersions({ spec, status }: Definition): string[] {
  const storage = spec.versions.filter((version) => version.storage).map(({ name }) => name);
  return [...new Set([...(status?.storedVersions ?? []), ...storage])];
}
