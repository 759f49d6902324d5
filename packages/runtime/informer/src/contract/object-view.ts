import type {
  DeepReadonly,
  KubernetesObject,
  ObjectKey,
  Persisted,
  PersistedMetaOf,
} from '@keelson/apimachinery';

/**
 * One version of an object in a store. Only `value()` parses the body. A view never changes and
 * stays readable after the store has replaced the object.
 */
export interface ObjectView<T extends KubernetesObject = KubernetesObject> {
  /** `"namespace/name"`, or `"name"` for a cluster-scoped object. */
  readonly key: ObjectKey;
  /** The namespace of the object; `undefined` for a cluster-scoped one. */
  readonly namespace: PersistedMetaOf<T>['namespace'];
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** The metadata without `managedFields`. All readers share it: read only. */
  readonly metadata: DeepReadonly<PersistedMetaOf<T>>;
  /**
   * Returns the whole object. The first call parses it and keeps the result while it fits into `parsedBytes`
   * of the cache (32 MiB). All readers share it: read only. Two calls may return the same object or equal objects.
   */
  value(): DeepReadonly<Persisted<T>>;
}
