import type { KubernetesObject, ObjectMeta, Persisted } from '@keelson/apimachinery';

/** A bookmark: no selected object changed up to this resourceVersion. */
export interface Bookmark extends KubernetesObject {
  metadata: ObjectMeta & { resourceVersion: string };
}

/** One event of a watch. The iterator throws an ERROR event as `StatusError`. */
export type WatchEvent<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Persisted<T> }
  | { readonly type: 'BOOKMARK'; readonly object: Bookmark };
