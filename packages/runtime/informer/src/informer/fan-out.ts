import { TimeSlice, type Clock } from '@keelson/apimachinery';
import type { EventHandler } from '../contract/informer-event.ts';
import type { InformerObserver, WatchIdentity } from '../contract/informer-observer.ts';
import { Change, type ChangeFacts } from './change.ts';
import { Handover, type SeenObjects } from './handover.ts';
import type { ChangeListener, WatchFollower } from './informer-options.ts';
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

/** The watch of a fan-out, and the parts that follow its changes. */
export interface FanOutOptions {
  readonly identity: WatchIdentity;
  /** The store that the handlers follow. */
  readonly store: Store;
  readonly progress: InformerProgress;
  readonly clock: Clock;
  /** Receives each event once, for any number of handlers, and the errors of handlers. */
  readonly observer: Pick<InformerObserver, 'event' | 'handlerError'>;
  readonly waits: ChangeListener;
  readonly follower: WatchFollower;
}

/** Calls every handler of a watch for each change of its store. */
export class FanOut {
  readonly #options: FanOutOptions;
  /**
   * The handlers that are called for changes now. The array is replaced and never changed, so that a loop over it is not
   * affected when a handler is added or removed.
   */
  registrations: readonly Registration[] = [];
  /** True once an object could not be stored. A later event of this object then combines two changes. */
  hasGap = false;

  constructor(options: FanOutOptions) {
    this.#options = options;
  }

  /** Creates the delivery of a list to the present handlers. A handler that is added later receives a snapshot. */
  delivery(receivedAt: number, initial: boolean): Delivery {
    return { registrations: this.registrations, receivedAt, initial, mayCombine: true };
  }

  /**
   * Adds a handler. `snapshot` has the initial objects of the handler, or is `undefined` before the
   * store has synced.
   */
  add(added: NewHandler, snapshot: Iterable<StoredObject> | undefined): Registration {
    const registration = new Registration({ ...added, clock: this.#options.clock });
    this.adopt(registration, added.lens);
    if (snapshot !== undefined) this.replay(registration, snapshot);
    if (added.resync > 0) registration.resyncEvery(added.resync);
    return registration;
  }

  /** Adds a handler, which is new or comes from another watch. */
  adopt(registration: Registration, lens: Lens | undefined): void {
    const { identity, store, progress, observer } = this.#options;
    registration.moveTo({
      lens,
      store,
      progress,
      onError: (owner, error) => observer.handlerError?.(identity, owner, error),
      onRemove: (removed) => this.release([removed]),
    });
    this.registrations = [...this.registrations, registration];
  }

  /** Stops calling handlers: they are removed, or another watch takes them. */
  release(released: readonly Registration[]): void {
    const gone = new Set(released);
    this.registrations = this.registrations.filter((other) => !gone.has(other));
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
    const { clock, follower } = this.#options;
    const handover = new Handover({ ...seen, registrations, store, lens, clock, passed });
    void handover.run().then(() => follower.progressed());
  }

  /** Handlers receive `added` and then `deleted` for objects that no longer exist, because readers saw them. */
  #deliverGone(registrations: readonly Registration[], gone: readonly StoredObject[]): void {
    const facts = this.delivery(this.#options.clock.monotonic(), false);
    for (const object of gone) {
      this.deliver({ previous: undefined, object }, facts, registrations);
      this.deliver({ previous: object, object: undefined }, facts, registrations);
    }
  }

  /** Delivers the differences of a list in slices of 5 ms, and then marks the handlers as synced. */
  async deliverAll(
    differences: Iterable<Difference>,
    delivery: Delivery,
    isStopped: () => boolean,
  ): Promise<void> {
    const { clock } = this.#options;
    const slice = new TimeSlice(() => clock.monotonic());
    const { registrations } = delivery;
    const gone = { ...delivery, initial: false };
    for (const difference of differences) {
      this.deliver(difference, difference.isGone === true ? gone : delivery, registrations);
      if (slice.isDue()) await slice.pause();
      if (isStopped()) return;
    }
    for (const registration of registrations) registration.markSynced();
  }

  /** Delivers an object that was fetched because its bytes did not parse. */
  deliverRepaired(difference: Difference): void {
    this.deliver(difference, this.delivery(this.#options.clock.monotonic(), false));
  }

  /** Delivers a change to handlers, by default to all that are present. */
  deliver(
    difference: Difference,
    facts: ChangeFacts,
    registrations: readonly Registration[] = this.registrations,
  ): void {
    const { identity, observer, waits, follower } = this.#options;
    const { previous, object } = difference;
    const change = new Change(difference, facts);
    for (const type of change.types) observer.event?.(identity, type);
    for (const registration of registrations) registration.deliver(change);
    const present = object ?? previous;
    if (present !== undefined) waits.objectChanged?.(identity.query.resource, present);
    if (previous !== undefined && previous.uid !== object?.uid) follower.removed(previous);
  }

  /** Waits one microtask, so that the caller has the registration before the first event. */
  async #replay(registration: Registration): Promise<void> {
    await Promise.resolve();
    const { clock, follower } = this.#options;
    const slice = new TimeSlice(() => clock.monotonic());
    const receivedAt = clock.monotonic();
    for (;;) {
      const object = registration.nextInitial();
      if (object === undefined) break;
      registration.callInitial(object, receivedAt);
      if (slice.isDue()) await slice.pause();
    }
    registration.markSynced();
    follower.progressed();
  }
}
