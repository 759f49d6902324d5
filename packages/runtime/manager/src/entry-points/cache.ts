/**
 * The informer cache that the controllers share: reads, indexes, event handlers, handles of watches, and memory.
 *
 * - `CacheReader` has the reads that mappers, predicates and gauges may use. `InformerCache`, an export of
 *   `@keelson/manager`, has all.
 * - `fieldIndex` and `labelIndex` define indexes by a path or a label. `defineIndex` of `@keelson/manager` defines the others.
 * - `EventHandler` receives the events of a watch, by `addEventHandler` of its handle.
 * - `MemoryBudget` limits the memory of stored objects, and `WatchInventory` describes a watch with its sizes.
 *
 * @module
 */

export type { CacheOptions } from '../clusters/cache-options.ts';
export {
  fieldIndex,
  keepViews,
  labelIndex,
  type BudgetPolicy,
  type CacheListOptions,
  type CacheReader,
  type CacheScope,
  type EventHandler,
  type EventHandlerOptions,
  type EventHandlerRegistration,
  type Index,
  type Indexer,
  type IndexReadOptions,
  type InformerEvent,
  type KindBudget,
  type MemoryBudget,
  type ObjectView,
  type OwnedReadOptions,
  type OwnerMatch,
  type WatchInventory,
} from '@keelson/informer';
