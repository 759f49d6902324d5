import type { SharedWatch } from './shared-watch.ts';
import type { WatchHealth } from '../contract/watch-health.ts';
import type { NormalQuery, Projection, Retention } from '../contract/watch-query.ts';

/** Describes one watch for debugging and metrics. */
export interface WatchInventory {
  /** The normal form of the query as one text, unique in the cache. */
  readonly identity: string;
  /** The query that handles share. */
  readonly query: NormalQuery;
  /** The name of the transform. */
  readonly transform: string | undefined;
  /** How the watch keeps new objects: as its handles request it, or as the memory budget does. */
  readonly retain: Retention;
  readonly projection: Projection;
  /** The state of the watch, its cause and its last error. */
  readonly health: WatchHealth;
  /** True after the first complete state. */
  readonly synced: boolean;
  /** The owners that keep the watch open. */
  readonly handles: readonly { readonly owner: string; readonly required: boolean }[];
  /** The number of stored objects. */
  readonly objects: number;
  /** The own writes that reads return although the watch has not received them. */
  readonly ownWrites: number;
  /** The bytes of the stored objects, outside the V8 heap. */
  readonly bytes: number;
  /** The indexes of the watch. One over the body makes the watch parse every object on arrival. */
  readonly indices: readonly {
    readonly name: string;
    readonly over: 'head' | 'body';
    readonly values: number;
  }[];
  /** The version up to which the store is known to be current. */
  readonly resourceVersion: string;
  /** Milliseconds since the stream last received data; `undefined` before the first data. */
  readonly lastEventAge: number | undefined;
}

/** Describes a watch and its handles. */
export function inventoryOf({ informer, overlay, handles }: SharedWatch): WatchInventory {
  const { identity, store, transform, lastEventAge } = informer;
  const { retention } = store.content;
  return {
    identity: identity.id,
    query: identity.query,
    transform: transform?.name,
    retain:
      identity.query.projection === 'metadata' && retention === 'lazy' ? 'metadata' : retention,
    projection: identity.query.projection,
    health: informer.health.current,
    synced: informer.hasSynced,
    handles: handles.map(({ owner, required }) => ({ owner, required })),
    objects: store.size,
    ownWrites: overlay.entries.size,
    bytes: store.bytes,
    indices: store.indices.map(({ indexer, size }) => ({
      name: indexer.name,
      over: 'head' in indexer ? 'head' : 'body',
      values: size,
    })),
    resourceVersion: store.resourceVersion,
    lastEventAge,
  };
}
