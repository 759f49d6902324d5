import { parseDuration, type Clock, type Duration } from '@keelson/apimachinery';
import { Deferred } from './deferred.ts';
import { informerError } from '../errors.ts';
import {
  keepViews,
  type EventHandler,
  type EventHandlerRegistration,
  type InformerEvent,
} from '../contract/informer-event.ts';
import type { Change } from './change.ts';
import type { Lens } from './lens.ts';
import type { InformerProgress } from './informer-progress.ts';
import { Resync } from './resync.ts';
import type { Store } from '../store/store.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { UserCode } from '../contract/user-code.ts';

/** The parts of a watch that its handlers use. A handler gets another one when it moves. */
interface Home {
  /** Selects the objects of the handler; `undefined` for all objects. */
  readonly lens: Lens | undefined;
  readonly store: Store;
  readonly progress: Pick<InformerProgress, 'isDelivering'>;
  readonly onError: (owner: string, error: unknown) => void;
  readonly onRemove: (registration: Registration) => void;
}

/** Decides which changes a handler does not receive while it moves to another watch. */
export interface ChangeFilter {
  swallows(change: Change): boolean;
}

/** A handler of an informer. */
export class Registration implements EventHandlerRegistration {
  readonly owner: string;
  readonly #handler: EventHandler;
  readonly #userCode: UserCode;
  readonly #onRemove: () => void;
  readonly #keepsViews: boolean;
  readonly #clock: Clock;
  #home: Home | undefined;
  /** Set during a move between two watches. */
  #filter: ChangeFilter | undefined;
  #resync: Resync | undefined;
  readonly #synced = new Deferred();
  #hasSynced = false;
  #removed = false;
  /**
   * During the replay: the objects that the store had when the handler was added, and then later states of objects that
   * the handler had not received. It is an array, because a copy of a large store into a set blocks the event loop.
   */
  #snapshot: StoredObject[] = [];
  #next = 0;
  /**
   * During the replay: the objects that the handler has received, or must not receive because a later state replaced
   * them. `undefined` after the replay.
   */
  #passed: Set<StoredObject> | undefined;

  constructor(options: {
    readonly owner: string;
    readonly handler: EventHandler;
    readonly onRemove: () => void;
    /** False if the handler reads views only during its calls. Default true. */
    readonly keepsViews?: boolean;
    readonly clock: Clock;
  }) {
    this.owner = options.owner;
    this.#handler = options.handler;
    this.#userCode = new UserCode((error) => this.#home?.onError(options.owner, error));
    this.#onRemove = options.onRemove;
    this.#keepsViews = options.keepsViews ?? true;
    this.#clock = options.clock;
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

  /** True if the handler has received every state that its watch has delivered. */
  get isAtRest(): boolean {
    return this.#passed === undefined && this.#filter === undefined;
  }

  get isCurrent(): boolean {
    return this.#hasSynced && this.isAtRest && this.#home?.progress.isDelivering === false;
  }

  moveTo(home: Home): void {
    this.#home = home;
  }

  /** Sets the move that decides which changes are delivered; `undefined` ends it. */
  during(filter: ChangeFilter | undefined): void {
    this.#filter = filter;
  }

  resyncEvery(given: Duration): void {
    const interval = parseDuration(given, 'resyncEvery.interval');
    this.#resync?.stop();
    this.#resync = undefined;
    if (interval === 0 || this.#removed) return;
    const clock = this.#clock;
    const target = {
      isAtRest: () => this.isCurrent,
      objects: () => this.#objects(),
      resync: (object: StoredObject) => this.#callAgain(object, clock.monotonic()),
    };
    this.#resync = new Resync(target, { clock, interval });
  }

  remove(): void {
    if (this.#removed) return;
    this.#removed = true;
    this.#resync?.stop();
    this.#endCatchUp();
    this.#home?.onRemove(this);
    this.#onRemove();
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
    this.#next = 0;
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

  /** Calls the handler for an object of its snapshot, if its lens selects the object. */
  callInitial(object: StoredObject, receivedAt: number): void {
    const lens = this.#home?.lens;
    if (lens?.selects(object) === false) return;
    const shown = lens?.show(object) ?? object;
    this.#call({ type: 'added', key: shown.key, object: shown, initial: true, receivedAt });
  }

  /** Delivers a change of the store. */
  deliver(change: Change): void {
    if (this.#removed) return;
    if (this.#passed !== undefined && this.#postpone(this.#passed, change)) return;
    if (this.#filter?.swallows(change) === true) return;
    for (const event of change.events(this.#home?.lens)) this.#call(event);
  }

  /** Calls the handler for the events of a change, also during a replay or a move. */
  call(change: Change): void {
    for (const event of change.events(this.#home?.lens)) this.#call(event);
  }

  #objects(): StoredObject[] {
    return Array.from(this.#home?.store.all(this.#home.lens?.namespace) ?? []);
  }

  /** Calls the handler with the present state of an object, as an update without a difference. */
  #callAgain(known: StoredObject, receivedAt: number): void {
    const { store, lens } = this.#home ?? {};
    const stored = store?.find(known);
    if (stored === undefined || lens?.selects(stored) === false) return;
    const object = lens?.show(stored) ?? stored;
    this.#call({ type: 'updated', key: object.key, object, previous: object, receivedAt });
  }

  #call(event: InformerEvent): void {
    if (this.#removed) return;
    if (this.#keepsViews) keepViews(event);
    this.#userCode.call(this.#handler, event);
  }

  /**
   * Decides whether the change of an object is delivered now (false) or not (true):
   * - a new object, or a change of an object that the handler has received: it is delivered now;
   * - an update of an object that it has not received: the new state is appended to the snapshot and delivered with it;
   * - a deletion of an object that it has not received: the handler receives nothing. `passed` has the objects of the
   *   snapshot that the handler has received, and those that it must not receive.
   */
  #postpone(passed: Set<StoredObject>, { previous, object }: Change): boolean {
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
