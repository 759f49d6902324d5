import type { DeepReadonly, KubernetesObject, PersistedMeta } from '@keelson/apimachinery';

/** Names an object of a set. */
export interface MemberName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
}

/** What `applyAll` has done, or what it would do in a dry run. */
export interface ApplyAllResult<T extends DeepReadonly<KubernetesObject> = KubernetesObject> {
  /** The objects as the server stored them, in the given order. */
  readonly applied: readonly (T & { readonly metadata: DeepReadonly<PersistedMeta> })[];
  /** The former members that were deleted. Those with finalizers may still exist. */
  readonly pruned: readonly MemberName[];
  /**
   * The former kinds, as `Kind.group`, that the server does not serve now. The set keeps them, and a later call
   * deletes their members.
   */
  readonly unserved: readonly string[];
  /**
   * The objects that a dry run could not validate, because their namespace or their definition is in the set and does
   * not exist yet.
   */
  readonly unchecked: readonly MemberName[];
}
