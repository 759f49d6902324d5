import { Deferred } from './deferred.ts';
import { informerError } from '../errors.ts';
import type {
  EventHandler,
  EventHandlerRegistration,
  InformerEvent,
} from '../contract/informer-event.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { callUserCode } from '../contract/user-code.ts';

/** A handler of an informer. */
export class Registration implements EventHandlerRegistration {
  readonly owner: string;
  readonly #handler: EventHandler;
  readonly #failed: (error: unknown) => void;
  readonly #onRemove: (registration: Registration) => void;
  readonly #synced = new Deferred();
  #hasSynced = false;
  #removed = false;
  /**
   * During the replay: the objects of the store when the handler was added, and later states of
   * objects that it had not received. An array, because copying a store into a set blocks the event
   * loop.
   */
  #snapshot: StoredObject[] = [];
  #next = 0;
  /**
   * During the replay: objects that the handler has received, or must not receive because a later
   * state replaced them.
   */
  #passed: Set<StoredObject> | undefined;

  constructor(options: {
    readonly owner: string;
    readonly handler: EventHandler;
    readonly onError: (owner: string, error: unknown) => void;
    readonly onRemove: (registration: Registration) => void;
  }) {
    this.owner = options.owner;
    this.#handler = options.handler;
    this.#failed = (error) => options.onError(options.owner, error);
    this.#onRemove = options.onRemove;
  }

  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get isRemoved(): boolean {
    return this.#removed;
  }

  remove(): void {
    if (this.#removed) return;
    this.#removed = true;
    this.#endCatchUp();
    this.#onRemove(this);
    if (!this.#hasSynced) {
      this.#synced.reject(informerError('REGISTRATION_REMOVED', { owner: this.owner }));
    }
  }

  [Symbol.dispose](): void {
    this.remove();
  }

  /** Resolves `synced`, unless the replay of a snapshot is still running. */
  markSynced(): void {
    if (this.#hasSynced || this.#removed || this.#passed !== undefined) return;
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  /** Sets the snapshot of a handler that is added after the sync. */
  catchUp(objects: Iterable<StoredObject>): void {
    this.#snapshot = Array.from(objects);
    this.#passed = new Set();
  }

  /** Returns the next object of the snapshot; `undefined` at its end. The replay then ends. */
  nextInitial(): StoredObject | undefined {
    while (this.#passed !== undefined && this.#next < this.#snapshot.length) {
      const object = this.#snapshot[this.#next++];
      if (object === undefined || this.#passed.has(object)) continue;
      this.#passed.add(object);
      return object;
    }
    this.#endCatchUp();
    return undefined;
  }

  /** Delivers a change; `previous` is the version that the store had. */
  deliver(event: InformerEvent, previous: StoredObject | undefined): void {
    if (this.#removed) return;
    if (this.#passed !== undefined && this.#postpone(this.#passed, event, previous)) return;
    this.call(event);
  }

  call(event: InformerEvent): void {
    callUserCode(this.#failed, this.#handler, event);
  }

  /** Returns true if the handler receives the changed object later, with its snapshot. */
  #postpone(
    passed: Set<StoredObject>,
    event: InformerEvent,
    previous: StoredObject | undefined,
  ): boolean {
    const object = event.type === 'deleted' ? undefined : (event.object as StoredObject);
    if (previous === undefined || passed.delete(previous)) {
      if (object !== undefined) passed.add(object);
      return false;
    }
    passed.add(previous);
    if (object !== undefined) this.#snapshot.push(object);
    return true;
  }

  #endCatchUp(): void {
    this.#snapshot = [];
    this.#passed = undefined;
  }
}
