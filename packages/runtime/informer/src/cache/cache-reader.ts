import type {
  ApiResource,
  DeepReadonly,
  KubernetesObject,
  ObjectName,
  Persisted,
} from '@keelson/apimachinery';
import type { AsyncListOptions, StoreListOptions } from '../contract/object-store.ts';
import type { Index } from '../contract/indexer.ts';
import type { ReadOptions } from '../contract/read.ts';
import type { IndexReadOptions, OwnedReadOptions } from './index-read.ts';
import type { WaitForOptions } from './object-wait.ts';

/** Selects the objects of a list and their form. */
export type CacheListOptions = StoreListOptions & ReadOptions;

/** Selects the objects of a list that runs in slices, and their form. */
export type AsyncCacheListOptions = AsyncListOptions & ReadOptions;

/** Reads objects of all watched kinds. A read never starts a watch. */
export interface CacheReader {
  /**
   * Returns true if the server serves the kind and a watch of it has synced, so that reads of it do not throw
   * `NOT_SYNCED`. It is false while a watch of an optional kind waits for its CustomResourceDefinition, and after that
   * is deleted. Throws `NOT_WATCHED` without a watch of the kind, and `INVALID_OPTION`.
   */
  isServed(resource: ApiResource): boolean;
  /**
   * Calls the listener with each new value of `isServed`, first when it becomes true; without a watch of the kind it is
   * false. The calls are asynchronous. An error of the listener is reported as that of an event handler. Dispose of the
   * result to end the calls.
   */
  onServedChange(resource: ApiResource, listener: (isServed: boolean) => unknown): Disposable;
  /**
   * Returns one object, or `undefined` if it does not exist.
   * Throws `INVALID_OPTION` with the name of an invalid argument; `NOT_WATCHED`, with the watch to
   * declare, if no watch serves the read; `NOT_SYNCED`
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
   * `listAsync` for so many, or `limit` for the first few.
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
  /**
   * Returns the objects under a value of an index, in no particular order. A query of the kind declares the index in
   * its `indexers`. Throws the errors of `get`; `INDEX_UNKNOWN` if no held watch that serves the read has the index;
   * `INDEXER_CONFLICT` if the watch has another function of its name; `INVALID_OPTION`.
   */
  by<T extends KubernetesObject>(
    index: Index<T>,
    value: string,
    options: IndexReadOptions & { readonly projection: 'metadata' },
  ): DeepReadonly<Persisted>[];
  by<T extends KubernetesObject>(
    index: Index<T>,
    value: string,
    options?: IndexReadOptions,
  ): DeepReadonly<Persisted<T>>[];
  /**
   * Returns the names of the objects that `by` returns, without parsing them: a request mapper may return them as
   * requests. Throws the errors of `by`.
   */
  namesBy<T extends KubernetesObject>(
    index: Index<T>,
    value: string,
    options?: IndexReadOptions,
  ): ObjectName[];
  /**
   * Returns every value of an index under which `by` finds an object, once and in no particular order. Throws the
   * errors of `by`.
   */
  indexValues<T extends KubernetesObject>(index: Index<T>, options?: IndexReadOptions): string[];
  /**
   * Returns the children of an owner: the objects whose controller reference has its uid, kind and group. `owns` of a
   * controller keeps the index for this read; without this index the read scans all objects of the watch, which takes
   * about 3 µs for each. The owner is an object or a view from the cache or the client. Throws the errors of `get`, and
   * `INVALID_OWNER` for an owner without uid, name, kind or apiVersion.
   */
  owned(
    resource: ApiResource,
    owner: DeepReadonly<KubernetesObject>,
    options: OwnedReadOptions & { readonly projection: 'metadata' },
  ): DeepReadonly<Persisted>[];
  owned<T extends KubernetesObject>(
    resource: ApiResource<T>,
    owner: DeepReadonly<KubernetesObject>,
    options?: OwnedReadOptions,
  ): DeepReadonly<Persisted<T>>[];
  /**
   * Waits until an object matches a predicate, and returns the object. The predicate receives each
   * state once, and `undefined` while the object does not exist:
   * `waitFor(Pod, name, (pod) => pod === undefined)` waits until the pod is gone. It is called for
   * the present state first, after the first sync, and then for every change in the cache. It must
   * be synchronous; the wait rejects with an error that it throws.
   *
   * Rejects with the errors of `get` at the call, except that it waits for a watch that has not
   * synced; with `WAIT_TIMEOUT`; with the reason of the signal; with `HANDLE_RELEASED` when the last
   * watch that serves the read is released; with `CACHE_CLOSED`.
   */
  waitFor(
    resource: ApiResource,
    name: ObjectName,
    predicate: (object: DeepReadonly<Persisted> | undefined) => boolean,
    options: WaitForOptions & { readonly projection: 'metadata' },
  ): Promise<DeepReadonly<Persisted> | undefined>;
  waitFor<T extends KubernetesObject, S extends DeepReadonly<Persisted<T>> | undefined>(
    resource: ApiResource<T>,
    name: ObjectName,
    predicate: (object: DeepReadonly<Persisted<T>> | undefined) => object is S,
    options?: WaitForOptions,
  ): Promise<S>;
  waitFor<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    predicate: (object: DeepReadonly<Persisted<T>> | undefined) => boolean,
    options?: WaitForOptions,
  ): Promise<DeepReadonly<Persisted<T>> | undefined>;
}
