import type { ObjectName } from '@keelson/apimachinery';
import type { WatchHandle, WatchPart, WatchQuery } from '@keelson/informer';

/** Keeps the labels by which the API server selects the objects of a source for the replicas of a sharding. */
export interface SourceLabels {
  /** Labels the objects of a query until the disposal. `handle` receives those with a label of this replica. */
  open(query: WatchQuery, handle: WatchHandle): Disposable;
  /**
   * True if the API server has an object of the query with this name. Its label is then missing or wrong, and is written
   * again, or its event has not arrived. Rejects if the API server does not respond.
   */
  isHidden(query: WatchQuery, name: ObjectName): Promise<boolean>;
}

/** The objects of a source that a sharding caches in this replica. */
export interface ShardPart {
  readonly watch: WatchPart;
  /** Only with the mode `label`. */
  readonly labels?: SourceLabels | undefined;
}
