import type {
  ApiResource,
  DeepReadonly,
  KubernetesObject,
  ObjectName,
  Persisted,
} from '@keelson/apimachinery';
import type { AsyncListOptions, StoreListOptions } from '../contract/object-store.ts';
import type { ReadOptions } from '../contract/read.ts';

/** Selects the objects of a list and their form. */
export type CacheListOptions = StoreListOptions & ReadOptions;

/** Selects the objects of a list that runs in slices, and their form. */
export type AsyncCacheListOptions = AsyncListOptions & ReadOptions;

/** Reads objects of all watched kinds. A read never starts a watch. */
export interface CacheReader {
  /**
   * Returns one object, or `undefined` if it does not exist.
   * Throws `NOT_WATCHED`, with the watch to declare, if no watch serves the read; `NOT_SYNCED`
   * until one of the watches that serve it has synced; `NAMESPACE_REQUIRED` and
   * `NAMESPACE_NOT_ALLOWED` for a name that does not fit the scope of the kind.
   */
  get(
    resource: ApiResource,
    name: ObjectName,
    options: ReadOptions & { readonly projection: 'metadata' },
  ): DeepReadonly<Persisted> | undefined;
  get<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    options?: ReadOptions,
  ): DeepReadonly<Persisted<T>> | undefined;
  /**
   * Returns the selected objects, in no particular order. Throws the errors of `get`. It blocks the
   * event loop: about a second to compare the labels of 100 000 objects or to parse them. Use
   * `listAsync` for so many.
   */
  list(
    resource: ApiResource,
    options: CacheListOptions & { readonly projection: 'metadata' },
  ): DeepReadonly<Persisted>[];
  list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: CacheListOptions,
  ): DeepReadonly<Persisted<T>>[];
  /**
   * Returns the same objects as `list`, but works in slices of 5 ms. The result has the state at
   * the time of the call.
   */
  listAsync(
    resource: ApiResource,
    options: AsyncCacheListOptions & { readonly projection: 'metadata' },
  ): Promise<DeepReadonly<Persisted>[]>;
  listAsync<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: AsyncCacheListOptions,
  ): Promise<DeepReadonly<Persisted<T>>[]>;
}
