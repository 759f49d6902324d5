/**
 * The informer cache that the controllers share: reads, indexes, event handlers, handles of watches, and memory.
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
