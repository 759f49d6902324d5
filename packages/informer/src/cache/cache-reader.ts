import type {
  ApiResource,
  DeepReadonly,
  KubernetesObject,
  ObjectName,
} from '@keelson/apimachinery';
import type { AsyncListOptions, StoreListOptions } from '../contract/object-store.ts';
import type { ReadOptions } from '../contract/read.ts';

/** Which objects of a kind to list, and in which form. */
export type CacheListOptions = StoreListOptions & ReadOptions;

/** The same for a list that is worked off in slices. */
export type AsyncCacheListOptions = AsyncListOptions & ReadOptions;

/** Reads objects of many kinds from what is watched. Never starts a watch. */
export interface CacheReader {
  /**
   * Reads one object. Throws `NOT_WATCHED`, naming the watch to declare, if no watch can serve the
   * read; `NOT_SYNCED` while none of those that can has synced; `NAMESPACE_REQUIRED` and
   * `NAMESPACE_NOT_ALLOWED` for a name that the kind cannot have.
   */
  get(
    resource: ApiResource,
    name: ObjectName,
    options: ReadOptions & { readonly projection: 'metadata' },
  ): DeepReadonly<KubernetesObject> | undefined;
  get<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    options?: ReadOptions,
  ): DeepReadonly<T> | undefined;
  /**
   * Reads many objects at once, in no particular order. Throws as `get` does. Selecting from 100 000
   * objects by labels or parsing them takes a second or so, in which nothing else runs: use `listAsync` for those.
   */
  list(
    resource: ApiResource,
    options: CacheListOptions & { readonly projection: 'metadata' },
  ): DeepReadonly<KubernetesObject>[];
  list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: CacheListOptions,
  ): DeepReadonly<T>[];
  /** `list` in slices of 5 ms, as of the time of the call. */
  listAsync(
    resource: ApiResource,
    options: AsyncCacheListOptions & { readonly projection: 'metadata' },
  ): Promise<DeepReadonly<KubernetesObject>[]>;
  listAsync<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: AsyncCacheListOptions,
  ): Promise<DeepReadonly<T>[]>;
}
