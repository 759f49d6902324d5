import { TimeSlice } from '@keelson/apimachinery';
import type { EventHandler, InformerEvent } from '../contract/informer-event.ts';
import { Registration } from './registration.ts';
import type { Difference } from '../store/store.ts';
import type { StoredObject } from '../store/stored-object.ts';

/** A handler to add, and its owner. */
export interface NewHandler {
  readonly owner: string;
  readonly handler: EventHandler;
  readonly onRemove: () => void;
}

/** The handlers that receive an event, and the facts that all events of one change share. */
export interface Delivery {
  readonly registrations: readonly Registration[];
  readonly receivedAt: number;
  readonly initial: boolean;
}

/** A deleted object. */
interface Deletion {
  /** The version that the event carries. */
  readonly last: StoredObject;
  /** The version that the store had. */
  readonly previous: StoredObject;
  readonly finalStateUnknown: boolean;
}

/** The callbacks of a fan-out. */
export interface FanOutOptions {
  readonly now: () => number;
  /** Called once per event, for any number of handlers. */
  readonly onEvent: (type: InformerEvent['type']) => void;
  readonly onError: (owner: string, error: unknown) => void;
}

/** Calls every handler of a watch for each change of its store. */
export class FanOut {
  readonly #options: FanOutOptions;
  /** Replaced, never changed: a loop over it continues when a handler is added or removed. */
  #registrations: readonly Registration[] = [];

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
    return { registrations: this.#registrations, receivedAt, initial };
  }

  /**
   * Adds a handler. `snapshot` has the initial objects of the handler, or is `undefined` before the
   * store has synced.
   */
  add(added: NewHandler, snapshot: Iterable<StoredObject> | undefined): Registration {
    const { owner, handler, onRemove } = added;
    const registration = new Registration({
      owner,
      handler,
      onError: this.#options.onError,
      onRemove: (removed) => {
        this.#registrations = this.#registrations.filter((other) => other !== removed);
        onRemove();
      },
    });
    this.#registrations = [...this.#registrations, registration];
    if (snapshot !== undefined) {
      registration.catchUp(snapshot);
      void this.#replay(registration);
    }
    return registration;
  }

  deliver({ previous, object }: Difference, delivery: Delivery): void {
    if (object === undefined) {
      if (previous !== undefined) this.#deliverGone(previous, delivery);
    } else if (previous === undefined) {
      this.#deliverAdded(object, delivery);
    } else if (previous.uid === object.uid) {
      this.#deliverUpdated(object, previous, delivery);
    } else {
      this.#deliverGone(previous, delivery);
      this.#deliverAdded(object, delivery);
    }
  }

  deliverDeleted({ last, previous, finalStateUnknown }: Deletion, delivery: Delivery): void {
    const { registrations, receivedAt } = delivery;
    this.#options.onEvent('deleted');
    if (registrations.length === 0) return;
    const facts = { key: last.key, object: last, receivedAt, finalStateUnknown };
    const event = { type: 'deleted', ...facts } as const;
    for (const registration of registrations) registration.deliver(event, previous);
  }

  /** Delivers a deletion that no event reported. */
  #deliverGone(last: StoredObject, delivery: Delivery): void {
    this.deliverDeleted({ last, previous: last, finalStateUnknown: true }, delivery);
  }

  #deliverAdded(object: StoredObject, { registrations, receivedAt, initial }: Delivery): void {
    this.#options.onEvent('added');
    if (registrations.length === 0) return;
    const event = { type: 'added', key: object.key, object, receivedAt, initial } as const;
    for (const registration of registrations) registration.deliver(event, undefined);
  }

  #deliverUpdated(object: StoredObject, previous: StoredObject, delivery: Delivery): void {
    const { registrations, receivedAt } = delivery;
    this.#options.onEvent('updated');
    if (registrations.length === 0) return;
    const event = { type: 'updated', key: object.key, object, previous, receivedAt } as const;
    for (const registration of registrations) registration.deliver(event, previous);
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
      registration.call({ type: 'added', key: object.key, object, initial: true, receivedAt });
      if (slice.isDue()) await slice.pause();
    }
    registration.markSynced();
  }
}
