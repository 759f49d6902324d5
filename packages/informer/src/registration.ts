import { Deferred } from './deferred.ts';
import { informerError } from './errors.ts';
import type { EventHandler, EventHandlerRegistration, InformerEvent } from './informer-event.ts';
import type { StoredObject } from './stored-object.ts';
import { callUserCode } from './user-code.ts';

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
   * What the store holds and the handler has not been told yet, while it is catching up. An object
   * that changes meanwhile changes here and is told once, in the state it has when its turn comes.
   */
  #untold: Set<StoredObject> | undefined;
  /** Goes through it once; what changes meanwhile comes up again at the end. */
  #turns: Iterator<StoredObject> = [].values();

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
    this.#untold = undefined;
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
    if (this.#hasSynced || this.#removed || this.#untold !== undefined) return;
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  /** The handler joins late: these are to be told first. */
  catchUp(objects: Iterable<StoredObject>): void {
    this.#untold = new Set(objects);
    this.#turns = this.#untold.values();
  }

  /** The next object of the snapshot; `undefined` at its end, which leaves the handler in step. */
  nextUntold(): StoredObject | undefined {
    if (this.#untold === undefined) return undefined;
    const next = this.#turns.next();
    if (next.done === true) this.#untold = undefined;
    else this.#untold.delete(next.value);
    return next.done === true ? undefined : next.value;
  }

  /** Tells of a change; `previous` is what the store held before. */
  tell(event: InformerEvent, previous: StoredObject | undefined): void {
    if (this.#removed) return;
    if (this.#untold !== undefined && this.#absorb(this.#untold, event, previous)) return;
    this.call(event);
  }

  call(event: InformerEvent): void {
    callUserCode(this.#failed, this.#handler, event);
  }

  /** Whether the change is about an object that will be told later anyway. */
  #absorb(
    untold: Set<StoredObject>,
    event: InformerEvent,
    previous: StoredObject | undefined,
  ): boolean {
    if (previous === undefined || !untold.delete(previous)) return false;
    if (event.type === 'updated') untold.add(event.object as StoredObject);
    return true;
  }
}
