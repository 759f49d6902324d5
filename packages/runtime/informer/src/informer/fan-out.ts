import { TimeSlice } from '@keelson/apimachinery';
import type { EventHandler, InformerEvent } from '../contract/informer-event.ts';
import { Change } from './change.ts';
import { Handover, type SeenObjects } from './handover.ts';
import type { InformerOptions } from './informer-options.ts';
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
}

/** The handlers that receive an event, and the facts that all events of one change share. */
export interface Delivery {
  readonly registrations: readonly Registration[];
  readonly receivedAt: number;
  readonly initial: boolean;
  readonly mayCombine: boolean;
}

/** A deleted object. */
interface Deletion {
  /** The version that the event carries. */
  readonly last: StoredObject;
  /** The version that the store had. */
  readonly previous: StoredObject;
  readonly finalStateUnknown: boolean;
}

/** The former fan-out of handlers, and the store that they follow from now on. */
export interface Move {
  readonly from: FanOut;
  readonly store: Store;
  readonly lens: Lens | undefined;
  /** Own writes of the former watch that the store has passed. */
  readonly passed: readonly StoredObject[];
  /** `undefined` if the handlers have seen no object, because their watch has not synced. */
  readonly seen: SeenObjects | undefined;
}

/** The callbacks of a fan-out. */
export interface FanOutOptions {
  /** The store that the handlers follow. */
  readonly store: Store;
  /** True while handlers receive the differences of a list. */
  readonly isDelivering: () => boolean;
  readonly now: () => number;
  readonly random: () => number;
  /** Called once per event, for any number of handlers. */
  readonly onEvent: (type: InformerEvent['type']) => void;
  readonly onError: (owner: string, error: unknown) => void;
  /** Called after the handlers of each change, with the new state or the last one. */
  readonly onChange: (object: StoredObject) => void;
  /** Called after the handlers when an object has left the store. */
  readonly onRemove: (object: StoredObject) => void;
  /** Called when a handler has received its snapshot, or the differences of a move. */
  readonly onReplayed: () => void;
}

/** Calls every handler of a watch for each change of its store. */
export class FanOut {
  readonly #options: FanOutOptions;
  /** Replaced, never changed: a loop over it continues when a handler is added or removed. */
  #registrations: readonly Registration[] = [];
  /** True once an object was not stored: a later event of it combines two changes. */
  #hasGap = false;

  constructor(options: FanOutOptions) {
    this.#options = options;
  }

  /** The handlers at present. */
  get registrations(): readonly Registration[] {
    return this.#registrations;
  }

  /**
   * Creates a delivery to the present handlers. A handler that is added later receives the new
   * state in its snapshot.
   */
  delivery(receivedAt: number, initial = false): Delivery {
    const mayCombine = this.#hasGap;
    return { registrations: this.#registrations, receivedAt, initial, mayCombine };
  }

  /**
   * Adds a handler. `snapshot` has the initial objects of the handler, or is `undefined` before the
   * store has synced.
   */
  add(added: NewHandler, snapshot: Iterable<StoredObject> | undefined): Registration {
    const { now, random } = this.#options;
    const registration = new Registration({ ...added, timing: { now, random } });
    this.adopt(registration, added.lens);
    if (snapshot !== undefined) this.replay(registration, snapshot);
    if (added.resync > 0) registration.resyncEvery(added.resync);
    return registration;
  }

  /** Takes a handler, which is new or comes from another watch. */
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

  /** Delivers a snapshot in slices. Later changes may arrive in the meantime. */
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

  /** Delivers objects that no longer exist, and their deletion. */
  #deliverGone(registrations: readonly Registration[], gone: readonly StoredObject[]): void {
    const delivery = { ...this.delivery(this.#options.now()), registrations, mayCombine: true };
    for (const object of gone) {
      this.deliver({ previous: undefined, object }, delivery);
      this.deliver({ previous: object, object: undefined }, delivery);
    }
  }

  /** Delivers the differences of a list in slices. The handlers have then synced. */
  async deliverAll(
    differences: Iterable<Difference>,
    delivery: Delivery,
    isStopped: () => boolean,
  ): Promise<void> {
    const slice = new TimeSlice(this.#options.now);
    const combined = { ...delivery, mayCombine: true };
    for (const difference of differences) {
      this.deliver(difference, combined);
      if (slice.isDue()) await slice.pause();
      if (isStopped()) return;
    }
    for (const registration of delivery.registrations) registration.markSynced();
  }

  deliver({ previous, object, isGone = false }: Difference, delivery: Delivery): void {
    const initial = delivery.initial && !isGone;
    this.#deliver({ previous, object, finalStateUnknown: true, ...delivery, initial });
  }

  /** Delivers an object that was fetched because its bytes did not parse. */
  deliverRepaired(difference: Difference): void {
    this.deliver(difference, { ...this.delivery(this.#options.now()), mayCombine: true });
  }

  /** An object was not stored: from now on an event may combine changes. */
  skipped(): void {
    this.#hasGap = true;
  }

  deliverDeleted({ last, previous, finalStateUnknown }: Deletion, delivery: Delivery): void {
    this.#deliver({ previous, object: undefined, last, finalStateUnknown, ...delivery });
  }

  #deliver(facts: Delivery & Change['facts']): void {
    const change = new Change(facts);
    for (const type of change.types) this.#options.onEvent(type);
    for (const registration of facts.registrations) registration.deliver(change);
    const object = facts.object ?? facts.previous;
    if (object !== undefined) this.#options.onChange(object);
    const { previous } = facts;
    if (previous !== undefined && previous.uid !== facts.object?.uid) {
      this.#options.onRemove(previous);
    }
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
  { identity, observer, now, random, onProgress, onChange, onRemove }: InformerOptions,
  { store, progress }: { readonly store: Store; readonly progress: InformerProgress },
): FanOut {
  return new FanOut({
    store,
    isDelivering: () => progress.isDelivering,
    now,
    random,
    onEvent: (type) => observer.event?.(identity, type),
    onError: (owner, error) => observer.handlerError?.(identity, owner, error),
    onReplayed: onProgress,
    onChange,
    onRemove,
  });
}
