import type { ApiResource } from '@keelson/apimachinery';
import type { OwnerMatch } from '@keelson/informer';
import type { ShardPart } from '../sources/shard-part.ts';

/** A source whose requests are known from the metadata of its objects. */
export interface ShardedSource {
  readonly resource: ApiResource;
  /** The kind whose requests the owner references of the objects name; `undefined` for the kind of `for` itself. */
  readonly owner?: { readonly resource: ApiResource; readonly match: OwnerMatch } | undefined;
}

/** Knows the replicas of a sharding. */
export interface ShardReplicas {
  /** The identities of the other live replicas whose Leases claim a slot: one, or several while it moves. */
  claimantsOf(slot: number): readonly string[];
}

/**
 * Where the requests of a slot run.
 *
 * - `here`: in this replica.
 * - `soon`: this replica takes the slot over, and another replica may still run them.
 * - `moving`: this replica gives the slot up, or it moves between other replicas. It may come to this replica yet.
 * - `elsewhere`: in one other replica, which has the slot to itself.
 */
export type ShardPlace = 'here' | 'soon' | 'moving' | 'elsewhere';

/** Decides whether requests run in this replica. */
export interface ShardGate {
  /** The slot of a request. `key` is its key in the queue. */
  slotOf(request: object, key: string): number;
  /** The slot of all requests of a cluster; `undefined` if they belong to several slots. */
  slotOfCluster(name: string): number | undefined;
  placeOf(slot: number): ShardPlace;
  /** The part of the objects of a source that this replica caches; `undefined` for all. */
  partOf(source: ShardedSource): ShardPart | undefined;
  /** The replicas that run slots. */
  readonly replicas: ShardReplicas;
  /** True if the API server selects the objects of the sources by labels. */
  readonly usesLabels: boolean;
}
