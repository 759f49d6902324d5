import type { ApiResource, KubernetesObject } from '@keelson/apimachinery';
import type { CacheReader } from './cache-reader.ts';
import type { CacheScope, CacheScopeOptions } from './cache-scope.ts';
import { checkCacheOptions, type InformerCacheOptions } from './informer-cache-options.ts';
import type { CacheMemory } from '../store/memory.ts';
import { SharedCache } from './shared-cache.ts';
import type { WaitForSyncOptions } from './sync-wait.ts';
import type { HolderOptions, WatchHandle } from '../contract/watch-handle.ts';
import type { WatchInventory } from './watch-inventory.ts';
import type { WatchQuery } from '../contract/watch-query.ts';

/**
 * Shares watches among the parts of a process. Its own reads are strict: one held watch has to have
 * every object that a read can return (equal or wider namespace, selectors that the read's selectors
 * imply, the same transform, a projection as wide). Partial coverage throws `NOT_WATCHED`.
 */
export interface InformerCache extends CacheReader, AsyncDisposable {
  /**
   * Takes a share in the watch that the query describes, starting it if there is none. Returns
   * at once, whatever the network does. Throws `CACHE_CLOSED`, `TRANSFORM_CONFLICT` or
   * `INDEXER_CONFLICT` for a name that stands for another function, or names an argument that is wrong.
   */
  acquire<T extends KubernetesObject>(query: WatchQuery<T>, holder: HolderOptions): WatchHandle<T>;
  /** The cache as one component sees it, with reads served by its own handles alone. */
  scope(options?: CacheScopeOptions): CacheScope;
  /**
   * Waits until the watches have synced. Rejects with `NOT_SYNCED` at the deadline, naming those that have
   * not, and with `NOT_WATCHED` if no handle is held on a kind that `resources` names.
   */
  waitForSync(options?: WaitForSyncOptions): Promise<void>;
  /** Reports that a kind is served now (its CRD was established), so that a parked watch retries at once. */
  served(resource: ApiResource): void;
  /** Every watch that runs or lingers. */
  inventory(): readonly WatchInventory[];
  /** The memory that is held beside the stores. */
  memory(): CacheMemory;
  /** Stops every watch, without lingering. Closing twice is harmless. */
  close(): Promise<void>;
}

/** Makes a cache. Nothing runs before the first `acquire`. Throws `INVALID_OPTION`. */
export function createInformerCache(options: InformerCacheOptions): InformerCache {
  checkCacheOptions(options);
  return new SharedCache(options);
}
