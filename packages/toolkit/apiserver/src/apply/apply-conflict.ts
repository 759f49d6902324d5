import { StatusError } from '@keelson/apimachinery';
import type { PathElement } from './fields/field-set.ts';
import type { Comparison } from './comparison.ts';
import type { ManagedSet, Managers } from './fields/managed-fields.ts';
import { printPath } from './fields/path-element.ts';

/** A field whose applied value differs from the value that another manager set. */
export interface ApplyConflict {
  readonly owner: ManagedSet;
  readonly path: readonly PathElement[];
}

/** Throws 409 if an apply that is not forced changes fields of other managers. */
export function refuseConflicts(owners: Managers, { added, modified }: Comparison): void {
  const written = modified.union(added);
  const conflicts = [...owners.values()].flatMap((owner) =>
    [...owner.fields.intersection(written).paths()].map((path) => ({ owner, path })),
  );
  if (conflicts.length > 0) throw applyConflictError(conflicts);
}

/** The 409 response to an apply that would change fields of others, with the message of kube-apiserver. */
export function applyConflictError(conflicts: readonly ApplyConflict[]): StatusError {
  return new StatusError({
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    message: messageOf(conflicts),
    reason: 'Conflict',
    details: {
      causes: conflicts.map(({ owner, path }) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${printManager(owner)}`,
        field: printPath(path),
      })),
    },
    code: 409,
  });
}

function messageOf(conflicts: readonly ApplyConflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    const { owner, path } = first;
    return `Apply failed with 1 conflict: conflict with ${printManager(owner)}: ${printPath(path)}`;
  }
  const byOwner = Map.groupBy(conflicts, ({ owner }) => printManager(owner));
  const lines = [...byOwner]
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([owner, list]) => [
      `conflicts with ${owner}:`,
      ...list.map(({ path }) => `- ${printPath(path)}`),
    ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function printManager({ manager, operation, apiVersion, subresource }: ManagedSet): string {
  const through = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(manager)}${through}${using}`;
}
