import type { ClusterScopedObject, KubernetesObject, ObjectMeta } from './kubernetes-object.ts';

/** The metadata that the API server gives to every object that it stores. */
export interface PersistedMeta extends ObjectMeta {
  name: string;
  uid: string;
  resourceVersion: string;
  /** An RFC 3339 time. */
  creationTimestamp: string;
}

/** The metadata of a stored object of a namespaced kind. */
export interface NamespacedMeta extends PersistedMeta {
  namespace: string;
}

/** The metadata of a stored object of a cluster-scoped kind. */
export interface ClusterScopedPersistedMeta extends PersistedMeta {
  namespace?: undefined;
}

/**
 * The metadata of a stored object of type `T`. A type with members beside those of `KubernetesObject` is namespaced,
 * unless it extends `ClusterScopedObject`. `KubernetesObject` itself is of any scope.
 */
export type PersistedMetaOf<T extends KubernetesObject> = T extends ClusterScopedObject
  ? ClusterScopedPersistedMeta
  : [keyof T] extends [keyof KubernetesObject]
    ? PersistedMeta
    : NamespacedMeta;

/**
 * An object as the API server returns it: with name, uid, resourceVersion and creationTimestamp, and with a namespace
 * if its kind is namespaced.
 */
export type Persisted<T extends KubernetesObject = KubernetesObject> = T & {
  metadata: PersistedMetaOf<T>;
};
