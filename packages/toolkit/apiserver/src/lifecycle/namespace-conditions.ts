import type { StoredObject } from '../storage/stored-object.ts';
import type { ServedResource } from '../resources/served-resource.ts';

/** A condition in the status of a namespace that is being deleted. */
export interface NamespaceCondition {
  type: string;
  status: 'True' | 'False';
  lastTransitionTime?: string;
  reason: string;
  message: string;
}

/** The content that remains after an attempt to empty a namespace. */
export interface RemainingContent {
  readonly objects: readonly (readonly [ServedResource, StoredObject])[];
  /** Errors of the deletes. */
  readonly errors: readonly unknown[];
}

type Finding = Pick<NamespaceCondition, 'reason' | 'message'>;

/** Reason and message of each condition in the absence of problems, in the order of the status. */
const fine: Readonly<Record<string, Finding>> = {
  NamespaceDeletionDiscoveryFailure: {
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  NamespaceDeletionGroupVersionParsingFailure: {
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  NamespaceDeletionContentFailure: {
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  NamespaceContentRemaining: {
    reason: 'ContentRemoved',
    message: 'All content successfully removed',
  },
  NamespaceFinalizersRemaining: {
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
};

/** Builds the conditions by which the namespace controller reports why a deletion has not finished. */
export function deletionConditions(
  before: readonly NamespaceCondition[],
  remaining: RemainingContent,
  now: string,
): NamespaceCondition[] {
  const found: Readonly<Record<string, Finding | undefined>> = {
    NamespaceDeletionContentFailure: failures(remaining),
    NamespaceContentRemaining: content(remaining),
    NamespaceFinalizersRemaining: finalizers(remaining),
  };
  const next = Object.entries(fine).map(([type, normal]): NamespaceCondition => {
    const problem = found[type];
    const status = problem === undefined ? 'False' : 'True';
    const present = before.find((condition) => condition.type === type);
    const since = present?.status === status ? present.lastTransitionTime : undefined;
    return { lastTransitionTime: since ?? now, ...(problem ?? normal), status, type };
  });
  return [...before.filter(({ type }) => !Object.hasOwn(fine, type)), ...next];
}

function failures({ errors }: RemainingContent): Finding | undefined {
  if (errors.length === 0) return undefined;
  const messages = errors.map((error) => (error instanceof Error ? error.message : String(error)));
  const list = messages.toSorted().join(', ');
  const message = `Failed to delete all resource types, ${errors.length} remaining: ${list}`;
  return { reason: 'ContentDeletionFailed', message };
}

function content({ objects }: RemainingContent): Finding | undefined {
  const names = objects.map(([{ facts }]) => `${facts.plural}.${facts.group}`);
  const list = counted(names, (name, count) => `${name} has ${count} resource instances`);
  if (list === '') return undefined;
  return { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${list}` };
}

function finalizers({ objects }: RemainingContent): Finding | undefined {
  const names = objects.flatMap(([, { metadata }]) => metadata.finalizers ?? []);
  const list = counted(names, (name, count) => `${name} in ${count} resource instances`);
  if (list === '') return undefined;
  const message = `Some content in the namespace has finalizers remaining: ${list}`;
  return { reason: 'SomeFinalizersRemain', message };
}

function counted(names: readonly string[], show: (name: string, count: number) => string): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => show(name, count))
    .toSorted()
    .join(', ');
}
