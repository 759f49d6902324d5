import {
  checkRuntime,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';
import type { CacheReader } from './cache-reader.ts';
import type { CacheScope, CacheScopeOptions } from './cache-scope.ts';
import { checkCacheOptions, type InformerCacheOptions } from './informer-cache-options.ts';
import type { CacheMemory } from '../memory/memory.ts';
import type { DeletedObject } from '../overlay/own-write.ts';
import { SharedCache } from './shared-cache.ts';
import type { WaitForSyncOptions } from './sync-wait.ts';
import type { HandleOptions, WatchHandle } from '../contract/watch-handle.ts';
import type { PlannedHandle } from '../sharing/watch-plan.ts';
import type { WatchInventory } from '../sharing/watch-inventory.ts';
import type { MetadataQuery, WatchQuery } from '../contract/watch-query.ts';

/**
 * Shares watches among the components of a process, and reads their objects. One watch with a handle must have every
 * object that a read can return; otherwise the read throws `NOT_WATCHED`. That watch has an equal or wider namespace,
 * selectors that the selectors of the read imply, the same transform and an equal or wider projection.
 */
export interface InformerCache extends CacheReader, AsyncDisposable {
  /**
   * Returns a handle on the objects of the query. A running watch that covers the query serves it;
   * otherwise the cache starts a watch. It does not wait for the network.
   * Throws `CACHE_CLOSED`; `INVALID_OPTION` with the name of an invalid argument;
   * `TRANSFORM_CONFLICT` or `INDEXER_CONFLICT` if another function has the same name on a watch of
   * the kind.
   */
  acquire<T extends KubernetesObject>(query: MetadataQuery<T>, options: HandleOptions): WatchHandle;
  acquire<T extends KubernetesObject>(query: WatchQuery<T>, options: HandleOptions): WatchHandle<T>;
  /** Returns a cache for one component, whose reads are served by its own handles only. */
  scope(options?: CacheScopeOptions): CacheScope;
  /**
   * Waits until the watches of all required handles, or of all kinds in `resources`, have synced.
   * Rejects with `NOT_SYNCED` at the timeout or abort, with the watches that have not synced, and
   * with `NOT_WATCHED` for a kind in `resources` without a handle.
   */
  waitForSync(options?: WaitForSyncOptions): Promise<void>;
  /**
   * Makes parked watches of a kind retry at once. Call it when the server starts to serve the kind,
   * for example when its CRD is established.
   */
  served(resource: ApiResource): void;
  /**
   * Reports a state that the server returned for a write, so that reads return it although no watch has received it
   * yet. `client.withWriteObserver(cache)` does so for all writes of a client, and a manager for those of its client.
   * Ignored if the watches have that state or a later one, and for a response that is not an object of the kind.
   */
  written(resource: ApiResource, object: DeepReadonly<KubernetesObject>): void;
  /**
   * Reports that an object no longer exists, so that no read returns it. The uid identifies the object: another
   * one of the same name is not affected.
   */
  deleted(resource: ApiResource, object: DeletedObject): void;
  /**
   * Returns true if a watch has an object of this kind, name and uid, in any version. It parses nothing, and does not
   * depend on handles.
   */
  holds(object: DeepReadonly<KubernetesObject>): boolean;
  /** Returns every watch that runs or lingers. */
  inventory(): readonly WatchInventory[];
  /**
   * Returns which watch serves each handle, and why no other watch of its kind does. With the `identity` of a watch, which
   * the inventory has, it returns only the handles that this watch serves, and the time grows with the watches of the kind
   * instead of their square.
   */
  plan(watch?: string): readonly PlannedHandle[];
  /** Returns the memory that the cache holds outside of the stores. */
  memory(): CacheMemory;
  /**
   * Stops every watch without linger, and resolves when the last request has ended. A second call
   * has no effect.
   */
  close(): Promise<void>;
}

/**
 * Creates a cache. It starts no watch before the first `acquire`. Throws `INVALID_OPTION`, and `UNSUPPORTED_RUNTIME` in
 * Bun.
 */
export function createInformerCache(options: InformerCacheOptions): InformerCache {
  checkRuntime();
  checkCacheOptions(options);
  return new SharedCache(options);
}
