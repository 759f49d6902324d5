import type { ObjectMeta } from '@keelson/apimachinery';

const order: readonly (keyof ObjectMeta)[] = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
];

/**
 * Orders the members of metadata as the Go type does, which kube-apiserver's responses follow. Leaves out `managedFields`, which
 * comes last.
 */
export function orderedMetadata(metadata: ObjectMeta): ObjectMeta {
  const ordered: Partial<Record<keyof ObjectMeta, unknown>> = {};
  for (const name of order) {
    const value = metadata[name];
    if (value !== undefined) ordered[name] = value;
  }
  return ordered as ObjectMeta;
}
