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
const allButStatus = FieldSet.of(['f:spec'], ['f:metadata', 'f:labels']);

/**
 * The fields that a write through this subresource cannot change and so cannot own. Only a kind with a
 * status subresource resets `status` on writes to the main resource.
 */
export function resetFields(subresource: string, hasStatus: boolean): FieldSet {
  if (subresource === 'status') return allButStatus;
  return subresource === '' && hasStatus ? status : noFields;
}

export function withoutNeverOwned(set: FieldSet): FieldSet {
  return set.difference(neverOwned);
}
