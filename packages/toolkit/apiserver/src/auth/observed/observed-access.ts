/**
 * The reason why a user needed an access: a request of the user; a role or binding that the user wrote, whose rules the
 * writer must hold; an owner reference with `blockOwnerDeletion`, which clusters with the admission plugin
 * `OwnerReferencesPermissionEnforcement` check (OpenShift does).
 */
export type AccessCause = 'request' | 'grant' | 'ownerReference';

/** An access to a resource that a user needed. Several requests with the same access are one. */
export interface ObservedResourceAccess {
  readonly kind: 'resource';
  readonly cause: AccessCause;
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** `""` for a cluster-scoped resource or all namespaces. */
  readonly namespace: string;
  /** True if the objects of the resource are in namespaces; false also if the resource was never served. */
  readonly isNamespaced: boolean;
  /**
   * The names of the objects, sorted; `""` is a request without a name, such as a list. `undefined` if there were more
   * than 16 names.
   */
  readonly names: readonly string[] | undefined;
  /** True if authorization refused every such request. */
  readonly isRefused: boolean;
}

/** An access to a URL that does not name a resource, such as `/metrics`. */
export interface ObservedPathAccess {
  readonly kind: 'path';
  readonly cause: AccessCause;
  /** The HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
  /** True if authorization refused every such request. */
  readonly isRefused: boolean;
}

/** An access that a user needed. */
export type ObservedAccess = ObservedResourceAccess | ObservedPathAccess;

/** The accesses of a user since the start of the server. */
export interface ObservedAccesses {
  /** Each distinct access, in the order of the first requests. */
  readonly accesses: readonly ObservedAccess[];
  /** False if the limit of 10 000 distinct accesses of all users was reached, so that others are missing. */
  readonly isComplete: boolean;
}
