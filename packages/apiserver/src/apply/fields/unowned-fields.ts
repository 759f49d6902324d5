import { FieldSet } from './field-set.ts';

/** What nobody can own: the names and numbers that the server itself keeps. */
const neverOwned = FieldSet.of(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((field) => ['f:metadata', `f:${field}`]),
);

const noFields = new FieldSet();
const status = FieldSet.of(['f:status']);

/** What a write of the status cannot change beside the spec. */
export type StatusKeeps = 'metadata' | 'labels' | 'nothing';

const keptByStatus: Readonly<Record<StatusKeeps, FieldSet>> = {
  metadata: FieldSet.of(['f:spec'], ['f:metadata']),
  labels: FieldSet.of(['f:spec'], ['f:metadata', 'f:labels']),
  nothing: FieldSet.of(['f:spec']),
};

/** What the kind of a written object decides about ownership. */
export interface ResetRules {
  /** Whether the kind has a status subresource, so that main writes do not own status. Default true. */
  readonly hasStatus?: boolean;
  /** What a write of the status cannot own beside the spec. Default `nothing`. */
  readonly statusKeeps?: StatusKeeps;
}

/**
 * The fields that a write through this subresource cannot change and so cannot own. Only a kind with a
 * status subresource resets `status` on writes to the main resource.
 */
export function resetFields(
  subresource: string,
  { hasStatus = true, statusKeeps = 'nothing' }: ResetRules,
): FieldSet {
  if (subresource === 'status') return keptByStatus[statusKeeps];
  return subresource === '' && hasStatus ? status : noFields;
}

export function withoutNeverOwned(set: FieldSet): FieldSet {
  return set.difference(neverOwned);
}
