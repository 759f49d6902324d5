import type { Duration, KubernetesObject } from '@keelson/apimachinery';
import type { WatchHealth } from '@keelson/informer';
import type { WatchList } from './controller-options.ts';
import type { Request } from '../reconcile/request.ts';
import type { WatchOptions } from './sources/source-options.ts';

/** How a request is queued by hand. */
export interface EnqueueOptions {
  /** Default 0. */
  readonly priority?: number;
  /** Default: now. */
  readonly after?: Duration;
}

/** Bounds of a removal. */
export interface RemoveOptions {
  /** Gives up waiting for running reconciles; the watch is detached all the same. */
  readonly signal?: AbortSignal;
}

/** A watch that was added to a controller at run time. */
export interface DynamicWatch extends AsyncDisposable {
  /** The `source` in causes, such as `watch ConfigMap`. */
  readonly name: string;
  /** Resolves when every initial object is in the queue; rejects with `WATCH_REMOVED`. Need not be awaited. */
  readonly synced: Promise<void>;
  /** `undefined` until the controller has started. */
  readonly health: WatchHealth | undefined;
  /**
   * Detaches the watch at once, drops the requests that only it caused, and resolves when the
   * reconciles that it caused have ended or their timeout has passed. Never waits for a sync, for the
   * reconcile that calls it, or for one that itself waits in a removal or a stop: that run may continue
   * after this has resolved. A second removal has no effect.
   */
  remove(options?: RemoveOptions): Promise<void>;
}

/** A controller in a manager. */
export interface Controller<Q extends object = Request> extends AsyncDisposable {
  readonly name: string;
  /**
   * Resolves when every required watch has synced and workers may begin; rejects with
   * `CACHE_SYNC_TIMEOUT`, `CONTROLLER_STOPPED`, or `SOURCE_FAILED` for a source of the phase `caches`.
   * Need not be awaited.
   */
  readonly synced: Promise<void>;
  /** Requests that are ready and wait for a worker. */
  readonly length: number;
  /** Reconciles that run. */
  readonly running: number;
  /** Adds a watch. Returns at once, whatever the network does. Throws `CONTROLLER_STOPPED`. */
  watch<T extends KubernetesObject>(options: WatchOptions<T, Q>): DynamicWatch;
  /**
   * Makes the set of this name consist of these watches, touching only what differs: a watch that
   * was in the set keeps its stream, its queue and its events (with the new `map` and `predicates`),
   * the others are added and removed. Other sets and watches are left alone. Resolves to the watches
   * of the set when the removed ones are gone; rejects with `REPLACE_WATCHES_FAILED` naming what
   * could not be added, changed and removed, everything else being done.
   */
  replaceWatches<
    A extends KubernetesObject,
    B extends KubernetesObject,
    C extends KubernetesObject,
    D extends KubernetesObject,
    E extends KubernetesObject,
    F extends KubernetesObject,
    G extends KubernetesObject,
    H extends KubernetesObject,
  >(
    set: string,
    watches: WatchList<Q, A, B, C, D, E, F, G, H>,
    options?: RemoveOptions,
  ): Promise<readonly DynamicWatch[]>;
  /** Queues a request by hand. Throws `CONTROLLER_STOPPED`. */
  enqueue(request: Q, options?: EnqueueOptions): void;
  /**
   * Takes no more work and lets running reconciles finish in nine tenths of the manager's grace
   * period, then aborts their signals. Releases the watches, frees the name, and resolves within the
   * grace period; a reconcile that still runs then is left behind. From within one of its own
   * reconciles it resolves when the others have ended or wait in such a barrier themselves.
   */
  stop(): Promise<void>;
}

/** Lends a watch of one kind to a list of watches of many: its functions are only given objects of its own. */
export function watching<T extends KubernetesObject, Q extends object = Request>(
  options: WatchOptions<T, Q>,
): WatchOptions<KubernetesObject, Q> {
  return options as unknown as WatchOptions<KubernetesObject, Q>;
}
