import type {
  ApiResource,
  DeepReadonly,
  KubernetesObject,
  ObjectName,
} from '@keelson/apimachinery';
import type { InformerObserver } from './informer-observer.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import type { StoreListOptions } from './object-store.ts';
import type { HolderOptions, WatchHandle } from './watch-handle.ts';
import type { WatchHealth } from './watch-health.ts';
import type { NormalQuery, Projection, Retention, WatchQuery } from './watch-query.ts';

/** What an informer cache is made of. */
export interface InformerCacheOptions {
  /** Makes the source of one watch. Called once per watch; must not touch the network. */
  readonly listerWatcher: (query: NormalQuery) => ListerWatcher;
  /** How long a watch outlives its last handle. Milliseconds or a duration text; default 10 s, 0: not at all. */
  readonly linger?: number | string;
  /** How many bytes of parsed bodies to remember over all watches. Default 32 MiB of JSON text. */
  readonly parsedBytes?: number;
  /** Freeze what readers see, so that a write to it throws: for development and tests. Default false. */
  readonly freeze?: boolean;
  readonly observer?: InformerObserver;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  /** From 0 to 1, for jitter. */
  readonly random?: () => number;
}

/** One watch as the inventory shows it. */
export interface WatchInventory {
  readonly identity: string;
  readonly query: NormalQuery;
  readonly transform: string | undefined;
  readonly retain: Retention;
  readonly projection: Projection;
  readonly health: WatchHealth;
  readonly synced: boolean;
  readonly handles: readonly { readonly owner: string; readonly required: boolean }[];
  readonly objects: number;
  readonly bytes: number;
  readonly indexers: readonly { readonly name: string; readonly over: 'head' | 'body' }[];
  readonly resourceVersion: string;
  /** Milliseconds since the last sign of life of the stream; `undefined` before the first. */
  readonly lastEventAge: number | undefined;
}

/** Options of waiting for the initial state. */
export interface WaitForSyncOptions {
  /** Only these kinds; every required handle's watch without it. */
  readonly resources?: readonly ApiResource[];
  /** Milliseconds or a duration text; no limit without it. */
  readonly timeout?: number | string;
  readonly signal?: AbortSignal;
}

/** Shares watches among the parts of a process. */
export interface InformerCache extends AsyncDisposable {
  /**
   * Takes a share in the watch that the query describes, starting it if nobody holds one. Returns
   * at once, whatever the network does. Throws `CACHE_CLOSED`, or names an argument that is wrong.
   */
  acquire<T extends KubernetesObject>(query: WatchQuery<T>, holder: HolderOptions): WatchHandle<T>;
  /** Reads one object. Throws `NOT_WATCHED` if nobody holds a watch that covers it, `NOT_SYNCED` before its first sync. */
  get<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
  ): DeepReadonly<T> | undefined;
  /** Reads many objects, in no particular order. Throws as `get` does. */
  list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: StoreListOptions,
  ): DeepReadonly<T>[];
  /** Waits until the watches have synced; rejects with `NOT_SYNCED` at the deadline, naming those that have not. */
  waitForSync(options?: WaitForSyncOptions): Promise<void>;
  /** Tells that a kind is served now (its CRD was established), so that a parked watch looks at once. */
  served(resource: ApiResource): void;
  /** Every watch that runs or lingers. */
  inventory(): readonly WatchInventory[];
  /** Stops every watch, without lingering. Closing twice is harmless. */
  close(): Promise<void>;
}
