import type { KubernetesObject, ObjectMeta } from '@keelson/apimachinery';

/** A bookmark: nothing happened, up to this resourceVersion. */
export interface Bookmark extends KubernetesObject {
  metadata: ObjectMeta & { resourceVersion: string };
}

/** One event of a watch. An ERROR is thrown as `StatusError` instead. */
export type WatchEvent<T extends KubernetesObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: Bookmark };
