import type { KubernetesObject } from '@keelson/apimachinery';
import type {
  EventHandler,
  EventHandlerOptions,
  EventHandlerRegistration,
  StreamEvent,
} from './informer-event.ts';
import type { Indexer } from './indexer.ts';
import type { ObjectStore } from './object-store.ts';
import type { WatchHealth } from './watch-health.ts';

/** Names the owner of a handle and sets whether readiness depends on its watch. */
export interface HandleOptions {
  /** Names the owner in the inventory and in errors. */
  readonly owner: string;
  /** If true, readiness waits for this watch. Default true. */
  readonly required?: boolean;
}

/**
 * An index that was added to a handle. Disposing of it removes the index unless another handle uses
 * it.
 */
export interface IndexRegistration extends Disposable {
  /** Resolves when every stored object is indexed. Awaiting it is optional. */
  readonly built: Promise<void>;
}

/**
 * A reference to a shared watch. The watch runs until its last handle is released, and for the
 * linger period of the cache after that.
 */
export interface WatchHandle<T extends KubernetesObject = KubernetesObject> extends Disposable {
  /** The name that `acquire` received. */
  readonly owner: string;
  /** True if readiness depends on the watch. */
  readonly required: boolean;
  /** Equal for two handles that share a watch. */
  readonly identity: string;
  /**
   * The objects that have arrived: incomplete until `synced`, whereas reads of the cache throw `NOT_SYNCED` until then.
   * Every read throws `HANDLE_RELEASED` after the release of the handle.
   */
  readonly store: ObjectStore<T>;
  /**
   * Resolves when the store first has the complete state. Rejects with `HANDLE_RELEASED` or
   * `CACHE_CLOSED`.
   */
  readonly synced: Promise<void>;
  /** True after the store first had the complete state. */
  readonly hasSynced: boolean;
  /** The current health of the watch. */
  readonly health: WatchHealth;
  /**
   * Calls the listener on every change of `health` until the release of the handle. Throws
   * `HANDLE_RELEASED` after the release.
   */
  onHealthChange(listener: (health: WatchHealth) => unknown): Disposable;
  /** Adds a handler. It receives every existing object (`initial: true`), then every change. */
  addEventHandler(
    handler: EventHandler<T>,
    options?: EventHandlerOptions,
  ): EventHandlerRegistration;
  /**
   * Returns the same events as an async iterator, and `{ type: 'initialDone' }` after the initial
   * objects. Changes of one object between two reads become one event, so a slow reader costs at
   * most one entry per object. The stream ends with the handle, the cache, the signal or `return()`.
   */
  events(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<StreamEvent<T>>;
  /**
   * Adds an index, which exists until the last handle that added it removes it. Lists can use the
   * index at once. Stored objects are indexed in slices of 5 ms; until `built` resolves, a list
   * scans the others.
   * Throws `INDEXER_CONFLICT` if another function has the same name on a watch of the kind.
   */
  addIndexer(indexer: Indexer<T>): IndexRegistration;
  /**
   * Makes the watch list again, for a caller that doubts whether the cache equals the server. Handlers receive only the
   * differences. Resolves when all handlers of the watch have received them. A list that fails is repeated, and
   * concurrent calls share one list. Rejects with the reason of the signal, `HANDLE_RELEASED` or `CACHE_CLOSED`.
   */
  restart(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Makes the watch follow a change of its part: it drops the objects that have left the part, without events, and lists
   * again if objects may have entered it. Resolves when all handlers have received those. Without a part, it has no
   * effect. Rejects with `HANDLE_RELEASED` or `CACHE_CLOSED`.
   */
  followPart(): Promise<void>;
  /**
   * Releases the handle: after `release()` returns, no handler of this handle runs. A second call
   * has no effect.
   */
  release(): void;
}
