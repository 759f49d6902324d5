import { TimeSlice, type Clock } from '@keelson/apimachinery';
import type { EventHandler } from '../contract/informer-event.ts';
import type { InformerObserver, WatchIdentity } from '../contract/informer-observer.ts';
import { Change, type ChangeFacts } from './change.ts';
import { Handover, type SeenObjects } from './handover.ts';
import type { ChangeListener, InformerOptions } from './informer-options.ts';
import type { InformerProgress } from './informer-progress.ts';
import { goneOf } from '../overlay/passed-writes.ts';
import type { Lens } from './lens.ts';
import { Registration } from './registration.ts';
import type { Difference } from '../store/difference.ts';
import type { Store } from '../store/store.ts';
import type { StoredObject } from '../store/stored-object.ts';

/** A handler to add, and its owner. */
export interface NewHandler {
  readonly owner: string;
  readonly handler: EventHandler;
  readonly onRemove: () => void;
  /** Selects the objects of the handler; `undefined` for all objects. */
  readonly lens: Lens | undefined;
  /** The interval of resyncs in milliseconds; 0 for none. */
  readonly resync: number;
  /** False if the handler reads views only during its calls. */
  readonly keepsViews: boolean;
}

/** The handlers that receive the differences of a list, and the facts that all its events share. */
export interface Delivery extends ChangeFacts {
  readonly registrations: readonly Registration[];
}

/** The fan-out that handlers leave, and the store that they follow from now on. */
export interface Move {
  readonly from: FanOut;
  readonly store: Store;
  readonly lens: Lens | undefined;
  /** Own writes of the former watch that the store has passed. */
  readonly passed: readonly StoredObject[];
  /** The objects that the handlers have seen; `undefined` if their former watch has not synced. */
  readonly seen: SeenObjects | undefined;
}

/** The callbacks of a fan-out. */
export interface FanOutOptions {
  /** The store that the handlers follow. */
  readonly store: Store;
  /** True while handlers receive the differences of a list. */
  readonly isDelivering: () => boolean;
  readonly now: () => number;
  /** Starts the timers. Default: the clock of the system. */
  readonly clock?: Clock | undefined;
  readonly random: () => number;
  readonly identity: WatchIdentity;
  /** Receives each event once, for any number of handlers. */
  readonly observer: Pick<InformerObserver, 'event'>;
  readonly onError: (owner: string, error: unknown) => void;
  readonly waits: ChangeListener;
  /** Called after the handlers when an object has left the store. */
  readonly onRemove: (object: StoredObject) => void;
  /** Called when a handler has received its snapshot, or the differences of a move. */
  readonly onReplayed: () => void;
}

/** Calls every handler of a watch for each change of its store. */
export class FanOut {
  readonly #options: FanOutOptions;
  /**
   * The array is replaced and never changed, so that a loop over it is not affected when a handler is added or removed.
   */
  #registrations: readonly Registration[] = [];
  /** True once an object could not be stored. A later event of this object then combines two changes. */
  #hasGap = false;

  constructor(options: FanOutOptions) {
    this.#options = options;
  }

  /** The handlers that are called for changes now. */
  get registrations(): readonly Registration[] {
    return this.#registrations;
  }

  /** Creates the delivery of a list to the present handlers. A handler that is added later receives a snapshot. */
  delivery(receivedAt: number, initial: boolean): Delivery {
    return { registrations: this.#registrations, receivedAt, initial, mayCombine: true };
  }

  /**
   * Adds a handler. `snapshot` has the initial objects of the handler, or is `undefined` before the
   * store has synced.
   */
  add(added: NewHandler, snapshot: Iterable<StoredObject> | undefined): Registration {
    const { now, clock, random } = this.#options;
    const registration = new Registration({ ...added, timing: { now, clock, random } });
    this.adopt(registration, added.lens);
    if (snapshot !== undefined) this.replay(registration, snapshot);
    if (added.resync > 0) registration.resyncEvery(added.resync);
    return registration;
  }

  /** Adds a handler, which is new or comes from another watch. */
  adopt(registration: Registration, lens: Lens | undefined): void {
    const { store, isDelivering, onError } = this.#options;
    registration.moveTo({
      lens,
      store,
      isDelivering,
      onError,
      onRemove: (removed) => this.release([removed]),
    });
    this.#registrations = [...this.#registrations, registration];
  }

  /** Stops calling handlers: they are removed, or another watch takes them. */
  release(released: readonly Registration[]): void {
    this.#registrations = this.#registrations.filter((other) => !released.includes(other));
  }

  /** Delivers a snapshot to a handler, in slices of 5 ms. Changes may arrive in the meantime. */
  replay(registration: Registration, snapshot: Iterable<StoredObject>): void {
    registration.catchUp(snapshot);
    void this.#replay(registration);
  }

  /** Takes handlers from another watch, and delivers the differences between the two stores. */
  take(registrations: readonly Registration[], move: Move): void {
    const { from, store, lens, passed, seen } = move;
    from.release(registrations);
    for (const registration of registrations) {
      this.adopt(registration, lens);
      if (seen === undefined) this.replay(registration, store.all(lens?.namespace));
    }
    if (registrations.length === 0) return;
    if (seen === undefined) return this.#deliverGone(registrations, goneOf(passed, store));
    const { now, onReplayed } = this.#options;
    const handover = new Handover({ ...seen, registrations, store, lens, now, passed });
    void handover.run().then(onReplayed);
  }

  /** Delivers objects that no longer exist as added and then as deleted, because readers saw them. */
  #deliverGone(registrations: readonly Registration[], gone: readonly StoredObject[]): void {
    const delivery = { ...this.delivery(this.#options.now(), false), registrations };
    for (const object of gone) {
      this.#deliver({ previous: undefined, object }, delivery);
      this.#deliver({ previous: object, object: undefined }, delivery);
    }
  }

  /** Delivers the differences of a list in slices of 5 ms, and then marks the handlers as synced. */
  async deliverAll(
    differences: Iterable<Difference>,
    delivery: Delivery,
    isStopped: () => boolean,
  ): Promise<void> {
    const slice = new TimeSlice(this.#options.now);
    const gone = { ...delivery, initial: false };
    for (const difference of differences) {
      this.#deliver(difference, difference.isGone === true ? gone : delivery);
      if (slice.isDue()) await slice.pause();
      if (isStopped()) return;
    }
    for (const registration of delivery.registrations) registration.markSynced();
  }

  /** Delivers the change of one event to the present handlers. */
  deliver(difference: Difference, receivedAt: number): void {
    const registrations = this.#registrations;
    const mayCombine = this.#hasGap;
    this.#deliver(difference, { registrations, receivedAt, initial: false, mayCombine });
  }

  /** Delivers an object that was fetched because its bytes did not parse. */
  deliverRepaired(difference: Difference): void {
    this.#deliver(difference, this.delivery(this.#options.now(), false));
  }

  /** Records that an object was not stored, so that a later event may combine changes. */
  skipped(): void {
    this.#hasGap = true;
  }

  #deliver(difference: Difference, delivery: Delivery): void {
    const { identity, observer, waits, onRemove } = this.#options;
    const { previous, object } = difference;
    const change = new Change(difference, delivery);
    for (const type of change.types) observer.event?.(identity, type);
    for (const registration of delivery.registrations) registration.deliver(change);
    const present = object ?? previous;
    if (present !== undefined) waits.objectChanged?.(identity.query.resource, present);
    if (previous !== undefined && previous.uid !== object?.uid) onRemove(previous);
  }

  /** Waits one microtask, so that the caller has the registration before the first event. */
  async #replay(registration: Registration): Promise<void> {
    await Promise.resolve();
    const { now } = this.#options;
    const slice = new TimeSlice(now);
    const receivedAt = now();
    for (;;) {
      const object = registration.nextInitial();
      if (object === undefined) break;
      registration.callInitial(object, receivedAt);
      if (slice.isDue()) await slice.pause();
    }
    registration.markSynced();
    this.#options.onReplayed();
  }
}

/** Creates the fan-out of an informer, which reports to the observer of the cache. */
export function fanOutOf(
  { identity, observer, waits, now, clock, random, onProgress, onRemove }: InformerOptions,
  { store, progress }: { readonly store: Store; readonly progress: InformerProgress },
): FanOut {
  return new FanOut({
    store,
    isDelivering: () => progress.isDelivering,
    now,
    clock,
    random,
    identity,
    observer,
    waits,
    onError: (owner, error) => observer.handlerError?.(identity, owner, error),
    onReplayed: onProgress,
    onRemove,
  });
}
