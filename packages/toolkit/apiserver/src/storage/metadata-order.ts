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
  'managedFields',
];

/** Orders the members of metadata as the Go type does, which kube-apiserver's responses follow. */
export function orderedMetadata(metadata: ObjectMeta): ObjectMeta {
  return Object.fromEntries(
    order.filter((name) => metadata[name] !== undefined).map((name) => [name, metadata[name]]),
  );
}
