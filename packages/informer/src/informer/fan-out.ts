import { TimeSlice } from '@keelson/apimachinery';
import type { EventHandler, InformerEvent } from '../contract/informer-event.ts';
import { Registration } from './registration.ts';
import type { Difference } from '../store/store.ts';
import type { StoredObject } from '../store/stored-object.ts';

/** Who wants to be told. */
export interface Joiner {
  readonly owner: string;
  readonly handler: EventHandler;
  readonly onRemove: () => void;
}

/** The handlers that receive an event, and the facts that all events of one change share. */
export interface Delivery {
  readonly audience: readonly Registration[];
  readonly receivedAt: number;
  readonly initial: boolean;
}

/** A deleted object. */
interface Deletion {
  /** The version that the event carries. */
  readonly last: StoredObject;
  /** The version that the store held. */
  readonly previous: StoredObject;
  readonly finalStateUnknown: boolean;
}

/** What a fan-out is made of. */
export interface FanOutOptions {
  readonly now: () => number;
  /** Called once per event, however many handlers there are. */
  readonly onEvent: (type: InformerEvent['type']) => void;
  readonly onError: (owner: string, error: unknown) => void;
}

/** Calls every handler of a watch for each change of its store. */
export class FanOut {
  readonly #options: FanOutOptions;
  /** Replaced, never changed, so that a loop over it is not disturbed by who comes and goes. */
  #registrations: readonly Registration[] = [];

  constructor(options: FanOutOptions) {
    this.#options = options;
  }

  /** The handlers that are registered now. */
  get audience(): readonly Registration[] {
    return this.#registrations;
  }

  /** A delivery to the handlers that are registered now: one added meanwhile receives the new state as its initial state. */
  delivery(receivedAt: number, initial = false): Delivery {
    return { audience: this.#registrations, receivedAt, initial };
  }

  /** `snapshot`: what there is to tell first, or `undefined` before the store has synced. */
  add(joiner: Joiner, snapshot: Iterable<StoredObject> | undefined): Registration {
    const { owner, handler, onRemove } = joiner;
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
    const { audience, receivedAt } = delivery;
    this.#options.onEvent('deleted');
    if (audience.length === 0) return;
    const facts = { key: last.key, object: last, receivedAt, finalStateUnknown };
    const event = { type: 'deleted', ...facts } as const;
    for (const registration of audience) registration.deliver(event, previous);
  }

  /** Nobody saw it go. */
  #deliverGone(last: StoredObject, delivery: Delivery): void {
    this.deliverDeleted({ last, previous: last, finalStateUnknown: true }, delivery);
  }

  #deliverAdded(object: StoredObject, { audience, receivedAt, initial }: Delivery): void {
    this.#options.onEvent('added');
    if (audience.length === 0) return;
    const event = { type: 'added', key: object.key, object, receivedAt, initial } as const;
    for (const registration of audience) registration.deliver(event, undefined);
  }

  #deliverUpdated(object: StoredObject, previous: StoredObject, delivery: Delivery): void {
    const { audience, receivedAt } = delivery;
    this.#options.onEvent('updated');
    if (audience.length === 0) return;
    const event = { type: 'updated', key: object.key, object, previous, receivedAt } as const;
    for (const registration of audience) registration.deliver(event, previous);
  }

  /** Never before the caller that adds the handler has its registration in hand. */
  async #replay(registration: Registration): Promise<void> {
    await Promise.resolve();
    const { now } = this.#options;
    const slice = new TimeSlice(now);
    const receivedAt = now();
    for (;;) {
      const object = registration.nextUntold();
      if (object === undefined) break;
      registration.call({ type: 'added', key: object.key, object, initial: true, receivedAt });
      if (slice.isDue()) await slice.pause();
    }
    registration.markSynced();
  }
}
