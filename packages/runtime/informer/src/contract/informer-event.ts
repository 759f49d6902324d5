import type { Duration, KubernetesObject, ObjectKey } from '@keelson/apimachinery';
import type { ObjectView } from './object-view.ts';

interface EventFacts<T extends KubernetesObject> {
  readonly key: ObjectKey;
  /** The state after the change; for `deleted` the last known state. */
  readonly object: ObjectView<T>;
  /** Monotonic milliseconds at which the bytes of the event arrived. */
  readonly receivedAt: number;
  /**
   * Set if the event may combine several changes of the object: after a relist, after a move to another watch, or if an
   * object could not be read. Otherwise the event is one change on the server.
   */
  readonly mayCombine?: true;
}

/** An object that is new to the handler, or that was deleted and created again. */
export interface AddedEvent<T extends KubernetesObject = KubernetesObject> extends EventFacts<T> {
  readonly type: 'added';
  /** True if the object existed when the handler was added or when the watch first synced. */
  readonly initial: boolean;
}

/** A new state of an object that the handler knows. */
export interface UpdatedEvent<T extends KubernetesObject = KubernetesObject> extends EventFacts<T> {
  readonly type: 'updated';
  readonly previous: ObjectView<T>;
}

/** The deletion of an object that the handler knows. */
export interface DeletedEvent<T extends KubernetesObject = KubernetesObject> extends EventFacts<T> {
  readonly type: 'deleted';
  /**
   * True if a relist found the deletion: the watch missed the event, and `object` is the last known
   * state.
   */
  readonly finalStateUnknown: boolean;
}

/** An event of an informer: the difference between two states of its store. */
export type InformerEvent<T extends KubernetesObject = KubernetesObject> =
  | AddedEvent<T>
  | UpdatedEvent<T>
  | DeletedEvent<T>;

/**
 * Marks the end of the initial objects in a stream: every object that existed when the stream or the watch began was
 * yielded before. A stream yields it once.
 */
export interface InitialDoneEvent {
  readonly type: 'initialDone';
}

/** An entry of the stream of a handle: an event, or the mark after the initial objects. */
export type StreamEvent<T extends KubernetesObject = KubernetesObject> =
  | InformerEvent<T>
  | InitialDoneEvent;

/**
 * Receives every event in order, synchronously on the thread that reads the watch, so it must
 * return quickly. An error that it throws, or a rejection of the promise that it returns, is
 * counted and reported, never propagated.
 */
export type EventHandler<T extends KubernetesObject = KubernetesObject> = (
  event: InformerEvent<T>,
) => unknown;

/** Sets how often a handler is called without a change, and whether it keeps views. */
export interface EventHandlerOptions {
  /**
   * The interval, ±10 %, after which the handler is called again for every object, as `updated` with the same view in
   * `object` and `previous`. It waits for the sync, and during a relist. Default 0: never.
   */
  readonly resync?: Duration;
  /**
   * False for a handler that reads the views of an event only during its call, unless it calls `keepViews` before. The
   * cache then reuses the memory of a replaced object at once, instead of after a garbage collection. A later read of
   * such a view throws `VIEW_EXPIRED`. Default true.
   */
  readonly keepsViews?: boolean;
}

/**
 * Keeps the views of an event readable after the call of a handler with `keepsViews: false`, because other code receives
 * them.
 */
export function keepViews(event: InformerEvent): void {
  const { object, previous }: { readonly object: KeptView; readonly previous?: KeptView } = event;
  object.shown?.();
  previous?.shown?.();
}

/** A view of a cache. Other code may implement views that need not be kept. */
interface KeptView extends ObjectView {
  shown?(): unknown;
}

/** A handler that was added to an informer. Disposing of it removes the handler. */
export interface EventHandlerRegistration extends Disposable {
  /**
   * Resolves after the handler has received every initial object. Rejects with
   * `REGISTRATION_REMOVED`, `HANDLE_RELEASED` or `CACHE_CLOSED` if the handler ends before.
   */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  /**
   * True if the handler has received every state that the watch has received. False before the sync, and while the
   * states of a list or of another watch are being delivered.
   */
  readonly isCurrent: boolean;
  /** Replaces the option `resync` from now on; 0 ends the resyncs. Throws `INVALID_OPTION`. */
  resyncEvery(interval: Duration): void;
  /**
   * Removes the handler: after `remove()` returns, it is not called again. A second call has no
   * effect.
   */
  remove(): void;
}
