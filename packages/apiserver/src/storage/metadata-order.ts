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

/** The members in the order of the Go type, as every answer of a real server has them. */
export function orderedMetadata(metadata: ObjectMeta): ObjectMeta {
  return Object.fromEntries(
    order.filter((name) => metadata[name] !== undefined).map((name) => [name, metadata[name]]),
  );
}
