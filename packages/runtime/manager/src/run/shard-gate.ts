import type { ApiResource } from '@keelson/apimachinery';
import type { OwnerMatch, WatchPart } from '@keelson/informer';

/** A source whose requests are known from the metadata of its objects. */
export interface ShardedSource {
  readonly resource: ApiResource;
  /** The kind whose requests the owner references of the objects name; `undefined` for the kind of `for` itself. */
  readonly owner?: { readonly resource: ApiResource; readonly match: OwnerMatch } | undefined;
}

/** Decides whether requests run in this replica. */
export interface ShardGate {
  /** The slot of a request. `key` is its key in the queue. */
  slotOf(request: object, key: string): number;
  /** The slot of all requests of a cluster; `undefined` if they belong to several slots. */
  slotOfCluster(name: string): number | undefined;
  /**
   * - `here`: the request runs in this replica.
   * - `soon`: this replica takes the slot over, and another replica may still run the request.
   * - `elsewhere`: another replica runs the request.
   */
  placeOf(slot: number): 'here' | 'soon' | 'elsewhere';
  /** The part of the objects of a source that this replica caches; `undefined` for all. */
  partOf(source: ShardedSource): WatchPart | undefined;
}
