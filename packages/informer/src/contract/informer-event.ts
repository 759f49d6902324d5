import type { KubernetesObject, ObjectKey } from '@keelson/apimachinery';
import type { ObjectView } from './object-view.ts';

interface EventFacts<T extends KubernetesObject> {
  readonly key: ObjectKey;
  /** The state that the event tells of; for `deleted` the last one known. */
  readonly object: ObjectView<T>;
  /** Monotonic milliseconds at which the bytes behind the event arrived. */
  readonly receivedAt: number;
}

/** An object that the handler has not heard of, or that is there again. */
export interface AddedEvent<T extends KubernetesObject = KubernetesObject> extends EventFacts<T> {
  readonly type: 'added';
  /** It was already there when the handler joined or the watch first synced. */
  readonly initial: boolean;
}

/** A new state of an object the handler knows. */
export interface UpdatedEvent<T extends KubernetesObject = KubernetesObject> extends EventFacts<T> {
  readonly type: 'updated';
  readonly previous: ObjectView<T>;
}

/** An object the handler knows is gone. */
export interface DeletedEvent<T extends KubernetesObject = KubernetesObject> extends EventFacts<T> {
  readonly type: 'deleted';
  /** The deletion itself was missed (a relist told of it): `object` is the last state seen. */
  readonly finalStateUnknown: boolean;
}

/** What an informer tells: a difference between two states of its store. */
export type InformerEvent<T extends KubernetesObject = KubernetesObject> =
  | AddedEvent<T>
  | UpdatedEvent<T>
  | DeletedEvent<T>;

/**
 * Told of every event, in order, on the thread that reads the watch: do little and return. What it
 * throws, or what the promise it returns rejects with, is counted and reported, never propagated.
 */
export type EventHandler<T extends KubernetesObject = KubernetesObject> = (
  event: InformerEvent<T>,
) => unknown;

/** A handler's place in an informer. */
export interface EventHandlerRegistration extends Disposable {
  /** Resolves once the handler has been told of every initial object; rejects if it never will be. */
  readonly synced: Promise<void>;
  readonly hasSynced: boolean;
  /** After it returns the handler is not called again. Removing twice is harmless. */
  remove(): void;
}
