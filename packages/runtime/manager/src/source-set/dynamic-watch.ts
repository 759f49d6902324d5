import { checkOptions, checkSignal } from '@keelson/apimachinery';
import type { WatchHealth } from '@keelson/informer';

/** Limits how long `remove`, `replaceWatches` and `setNamespaces` wait. */
export interface RemoveOptions {
  /** Ends the wait for running reconciles when it aborts; the watch is detached regardless. Default: none. */
  readonly signal?: AbortSignal;
}

/** A watch that was added to a controller at run time. */
export interface DynamicWatch extends AsyncDisposable {
  /** The `source` of the watch in causes, such as `watch ConfigMap`. */
  readonly name: string;
  /**
   * Resolves when every initial object of all its namespaces is in the queue. Rejects with `WATCH_REMOVED`; awaiting it
   * is optional.
   */
  readonly synced: Promise<void>;
  /** The health of the watch; `undefined` until the controller has started. */
  readonly health: WatchHealth | undefined;
  /** The namespaces of the watch at present; `undefined` if it has no set of namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /**
   * Replaces the option `namespaces` of the watch. The watches of the namespaces that stay continue. Those of the
   * others are removed at once, as by `remove`, and the promise resolves as that of `remove`. Await `synced` for the
   * new ones. Rejects with `INVALID_OPTION`, also for a watch without the option, and with `WATCH_REMOVED`.
   */
  setNamespaces(namespaces: readonly string[], options?: RemoveOptions): Promise<void>;
  /**
   * Detaches the watch at once and drops the requests that only it caused. Resolves when the reconciles that it
   * caused have ended or their timeout has passed. It does not wait for a sync, for the reconcile that calls it, or
   * for a reconcile that itself waits in a removal, in a change of watches such as `reconfigure`, or in a stop. Such a
   * reconcile may still run afterwards. A second removal has no effect.
   */
  remove(options?: RemoveOptions): Promise<void>;
}

/** Throws `INVALID_OPTION` for invalid bounds of a removal. */
export function checkRemoveOptions(bounds: RemoveOptions, where: string): void {
  checkOptions(bounds, ['signal'], where);
  checkSignal(bounds.signal, `${where}.signal`);
}
