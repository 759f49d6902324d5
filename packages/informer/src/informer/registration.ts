import { Deferred } from './deferred.ts';
import { informerError } from '../errors.ts';
import type {
  EventHandler,
  EventHandlerRegistration,
  InformerEvent,
} from '../contract/informer-event.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { callUserCode } from '../contract/user-code.ts';

/** A handler's place among those that are told. */
export class Registration implements EventHandlerRegistration {
  readonly owner: string;
  readonly #handler: EventHandler;
  readonly #failed: (error: unknown) => void;
  readonly #onRemove: (registration: Registration) => void;
  readonly #synced = new Deferred();
  #hasSynced = false;
  #removed = false;
  /**
   * While the handler is catching up: what the store held when it joined, and later states of objects that it
   * had not seen before they changed. An array, since copying a store into a set blocks the event loop.
   */
  #snapshot: StoredObject[] = [];
  #next = 0;
  /** While the handler is catching up: what it has seen, or is not to see because a later state replaced it. */
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

  /** The handler has seen every initial object, unless it is still catching up with a snapshot. */
  markSynced(): void {
    if (this.#hasSynced || this.#removed || this.#passed !== undefined) return;
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  /** The handler joins late: these are to be told first. */
  catchUp(objects: Iterable<StoredObject>): void {
    this.#snapshot = Array.from(objects);
    this.#passed = new Set();
  }

  /** The next object of the snapshot; `undefined` at its end, which leaves the handler in step. */
  nextUntold(): StoredObject | undefined {
    while (this.#passed !== undefined && this.#next < this.#snapshot.length) {
      const object = this.#snapshot[this.#next++];
      if (object === undefined || this.#passed.has(object)) continue;
      this.#passed.add(object);
      return object;
    }
    this.#endCatchUp();
    return undefined;
  }

  /** Tells of a change; `previous` is what the store held before. */
  deliver(event: InformerEvent, previous: StoredObject | undefined): void {
    if (this.#removed) return;
    if (this.#passed !== undefined && this.#absorb(this.#passed, event, previous)) return;
    this.call(event);
  }

  call(event: InformerEvent): void {
    callUserCode(this.#failed, this.#handler, event);
  }

  /** Whether the change is about an object that the handler will see later anyway. */
  #absorb(
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
