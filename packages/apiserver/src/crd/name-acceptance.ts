import { timestamp } from '../clock.ts';
import {
  type Definition,
  type DefinitionCondition,
  type DefinitionNames,
  type DefinitionStatus,
  hasCondition,
  withCondition,
} from './definition.ts';

/**
 * The status that a definition gets: its names are accepted unless another definition of the group has them,
 * and with accepted names it is established.
 */
export function acceptedStatus(
  definition: Definition,
  others: readonly Definition[],
  now: number,
): DefinitionStatus {
  const conflict = conflictOf(definition, others);
  const lastTransitionTime = timestamp(now);
  let conditions: readonly DefinitionCondition[] = definition.status?.conditions ?? [];
  for (const condition of conflict === undefined ? accepted : refused(definition, conflict)) {
    conditions = withCondition(conditions, { ...condition, lastTransitionTime });
  }
  return {
    ...definition.status,
    conditions: [...conditions],
    ...(conflict === undefined && { acceptedNames: definition.spec.names }),
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

/** A definition that has been established stays so, under the names it had. */
function refused(definition: Definition, { reason, name }: NameConflict): DefinitionCondition[] {
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

/** Of several conflicts the last is told, as kube-apiserver does. */
function conflictOf(
  definition: Definition,
  others: readonly Definition[],
): NameConflict | undefined {
  const taken = others
    .filter((other) => other.spec.group === definition.spec.group)
    .filter((other) => other.metadata?.uid !== definition.metadata?.uid)
    .flatMap(({ status }) => (status?.acceptedNames?.plural ? [status.acceptedNames] : []));
  const resources = new Set(taken.flatMap(resourceNames));
  const kinds = new Set(taken.flatMap(kindNames));
  const { plural, kind, singular, listKind, shortNames = [] } = definition.spec.names;
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

function resourceNames({ plural, singular, shortNames = [] }: DefinitionNames): string[] {
  return [plural, ...(singular ? [singular] : []), ...shortNames];
}

function kindNames({ kind, listKind }: DefinitionNames): string[] {
  return [kind, ...(listKind === undefined ? [] : [listKind])];
}

/** Every version in which an object may be stored; one that has been stays in the list. */
function storedVersions({ spec, status }: Definition): string[] {
  const storage = spec.versions.filter((version) => version.storage).map(({ name }) => name);
  return [...new Set([...(status?.storedVersions ?? []), ...storage])];
}
