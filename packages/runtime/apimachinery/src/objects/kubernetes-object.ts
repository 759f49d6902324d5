/** A reference from an object to one of its owners (`metadata.ownerReferences`). */
export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** One entry of `metadata.managedFields`, in which server-side apply records who set which fields. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: object;
  subresource?: string;
}

/** The metadata of a stored object as JSON: timestamps are RFC 3339 strings. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string | undefined;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  selfLink?: string;
}

/** The members that every object of the Kubernetes API may have. */
export interface KubernetesObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** The metadata of an object of a cluster-scoped kind. */
export interface ClusterScopedMeta extends ObjectMeta {
  namespace?: undefined;
}

/**
 * The members that every object of a cluster-scoped kind may have. The type of such a kind extends it:
 * `interface Tenant extends ClusterScopedObject`.
 */
export interface ClusterScopedObject extends KubernetesObject {
  metadata?: ClusterScopedMeta;
}

/** A type that does not itself extend `ClusterScopedObject`, such as a generated one, as a cluster-scoped kind. */
export type ClusterScoped<T extends KubernetesObject> = T & ClusterScopedObject;

/** The metadata of a list. */
export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
  /** Present if the server has applied the `shardSelector` of the request. Lists of custom resources lack it. */
  shardInfo?: { selector: string };
}

/** A list response of the API. */
export interface KubernetesList<T> {
  apiVersion?: string;
  kind?: string;
  metadata: ListMeta;
  items: T[];
}
