import type { KubernetesObject } from '@keelson/apimachinery';
import type { EventHandler, EventHandlerRegistration, InformerEvent } from './informer-event.ts';
import type { Indexer, ObjectStore } from './object-store.ts';
import type { WatchHealth } from './watch-health.ts';

/** Who holds a watch and how much depends on it. */
export interface HolderOptions {
  /** Names the holder in the inventory and in errors. */
  readonly owner: string;
  /** Whether readiness waits for this watch. Default true. */
  readonly required?: boolean;
}

/** An index that a handle asked for. Disposing of it takes the request back. */
export interface IndexRegistration extends Disposable {
  /** Resolves when every stored object is indexed. Need not be awaited. */
  readonly built: Promise<void>;
}

/**
 * A share in a watch. The watch runs while somebody holds a handle, and for the cache's linger
 * after. Releasing twice is harmless.
 */
export interface WatchHandle<T extends KubernetesObject = KubernetesObject> extends Disposable {
  readonly owner: string;
  readonly required: boolean;
  /** Equal for two handles that share a watch. */
  readonly identity: string;
  /** Throws `HANDLE_RELEASED` on every read once the handle is released. */
  readonly store: ObjectStore<T>;
  /** Resolves when the store first holds the whole state; rejects with `HANDLE_RELEASED` or `CACHE_CLOSED`. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  readonly health: WatchHealth;
  /** Called with every change of `health`, until the handle is released. Throws `HANDLE_RELEASED` after that. */
  onHealthChange(listener: (health: WatchHealth) => unknown): Disposable;
  /** Told of every object there is (`initial: true`), then of every change. */
  addEventHandler(handler: EventHandler<T>): EventHandlerRegistration;
  /**
   * The same events for a reader at its own pace: what happens to one object between two reads is
   * told as one event, so that a slow reader costs at most one entry per object.
   */
  events(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<InformerEvent<T>>;
  /**
   * Adds an index, which lives as long as a handle that asked for it. Lists find every object by it
   * from now on. What is stored already is indexed in slices; until `built` resolves a list scans the rest.
   * Throws `INDEXER_CONFLICT` if another function has the name on a watch of the kind.
   */
  addIndexer(indexer: Indexer<T>): IndexRegistration;
  /** Gives the share back. After it returns no handler of this handle runs again. */
  release(): void;
}
