/**
 * An informer cache: keeps the objects of a cluster in memory, equal to the API server after every kind of failure.
 * All components of a process share one watch per query. It guarantees:
 *
 * - Per key, a handler sees states in the order the API server produced them; it may skip states, never
 *   reorder.
 * - No handler sees `updated` or `deleted` for an object it has not seen `added`. For every object that it saw
 *   added it receives exactly one `deleted` after the deletion, also when the deletion happened while the watch
 *   was down (`finalStateUnknown: true`, last known state).
 * - The store changes before a handler is called; a handler that reads sees that state or a newer one.
 * - Same name, different uid = `deleted` then `added`, never `updated`.
 * - A handler that is added late receives every existing object once as `added, initial: true`, then every
 *   later change; no event is lost, duplicated or reordered per key, also when the snapshot is delivered in
 *   slices while events arrive.
 * - A handler that throws is isolated, counted and logged; it neither stops other handlers nor its own later
 *   events, nor keeps `synced` false.
 * - A relist replaces the store atomically: readers see the old state or the new one, never a part.
 *   Unchanged resourceVersions produce no event, unless the server was restored from a backup or replaced.
 * - A watch recovers as long as the server responds to lists of its newest version: an attempt that brought neither a
 *   newer version nor an open watch is followed by a different one.
 * - A watch whose server was away is open again as soon as its source reports that the server is back, after an outage of
 *   any length.
 * - After `release()` returns no handler of that handle runs again.
 * - All handles of one query share one watch on the wire. It ends one linger period after the release of the last
 *   handle; releasing a handle twice has no effect.
 * - A running watch serves every query that it covers. A handle that moves to another watch sees no gap, no repeat
 *   and no former state.
 * - A read never starts a watch, and a read that the watches serve only in part throws.
 * - A read is not older than an own write that was reported to the cache, nor than the watch. Handlers
 *   receive each change once, and the end of every object that was read.
 * - An object is stored as the bytes of the response; its body is parsed when it is read.
 * - With `freeze`, and by default on a cluster of development, no reader can change any part of an object.
 */

// The cache
export { createInformerCache, type InformerCache } from './cache/informer-cache.ts';
export type { InformerCacheOptions } from './cache/informer-cache-options.ts';
export type { CacheReader, AsyncCacheListOptions, CacheListOptions } from './cache/cache-reader.ts';
export type { CacheScope, CacheScopeOptions } from './cache/cache-scope.ts';
export type { DeletedObject } from './overlay/own-write.ts';
export type { CacheMemory } from './memory/memory.ts';
export type { ReadOptions } from './contract/read.ts';
export type { WatchInventory } from './sharing/watch-inventory.ts';
export type { PlannedHandle, PlanReason } from './sharing/watch-plan.ts';
export type { WaitForSyncOptions } from './cache/sync-wait.ts';
export type { WaitForOptions } from './cache/object-wait.ts';
export { checkWatchQuery } from './contract/normal-query.ts';
export type { HandleOptions, IndexRegistration, WatchHandle } from './contract/watch-handle.ts';
export { checkMemoryBudget } from './budget/memory-budget.ts';
export type { KindBudget, MemoryBudget } from './budget/memory-budget.ts';
export type {
  MetadataQuery,
  NamedTransform,
  NormalQuery,
  Projection,
  Retention,
  Sharing,
  WatchQuery,
} from './contract/watch-query.ts';
export type {
  PartDifference,
  PartObject,
  PartSelection,
  WatchPart,
} from './contract/watch-part.ts';
export type { WatchHealth, WatchState } from './contract/watch-health.ts';

// Objects and events
export type { ObjectView } from './contract/object-view.ts';
export type {
  AsyncListOptions,
  ObjectStore,
  StoreListOptions,
  StoreReadOptions,
} from './contract/object-store.ts';

// Indexes
export {
  checkIndex,
  defineIndex,
  isSameIndexer,
  type Index,
  type Indexer,
} from './contract/indexer.ts';
export { fieldIndex, labelIndex } from './indexes/selector-index.ts';
export { ownerIndexer, type OwnerMatch } from './indexes/owner-index.ts';
export type { IndexReadOptions, OwnedReadOptions } from './cache/index-read.ts';
export {
  keepViews,
  type AddedEvent,
  type DeletedEvent,
  type EventHandler,
  type EventHandlerOptions,
  type EventHandlerRegistration,
  type InformerEvent,
  type InitialDoneEvent,
  type StreamEvent,
  type UpdatedEvent,
} from './contract/informer-event.ts';

// The interfaces that a cache calls
export type {
  AccessRule,
  ListRequest,
  ListerWatcher,
  WatchRequest,
} from './contract/lister-watcher.ts';
export type {
  BudgetChange,
  BudgetPolicy,
  BudgetUse,
  InformerObserver,
  ListCause,
  OwnWriteEnd,
  RestartCause,
  SkipCause,
  WatchIdentity,
} from './contract/informer-observer.ts';

// Errors
export { informerErrors, type InformerErrorCode } from './errors.ts';
