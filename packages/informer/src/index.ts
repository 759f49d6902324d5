// The cache
export {
  createInformerCache,
  type InformerCache,
  type InformerCacheOptions,
  type WatchInventory,
} from './informer-cache.ts';
export type { WaitForSyncOptions } from './sync-wait.ts';
export type { HolderOptions, WatchHandle } from './watch-handle.ts';
export type {
  NamedTransform,
  NormalQuery,
  Projection,
  Retention,
  WatchQuery,
} from './watch-query.ts';
export type { WatchHealth, WatchState } from './watch-health.ts';

// Objects and events
export type { ObjectView } from './object-view.ts';
export type { Indexer, ObjectStore, StoreListOptions } from './object-store.ts';
export type {
  AddedEvent,
  DeletedEvent,
  EventHandler,
  EventHandlerRegistration,
  InformerEvent,
  UpdatedEvent,
} from './informer-event.ts';

// What a cache needs, and what it tells
export type { ListRequest, ListerWatcher, WatchRequest } from './lister-watcher.ts';
export type {
  InformerObserver,
  ListCause,
  RestartCause,
  SkipCause,
  WatchIdentity,
} from './informer-observer.ts';

// Errors
export { informerErrors, type InformerErrorCode } from './errors.ts';
