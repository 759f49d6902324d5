import type { EventHandler, InformerEvent } from '../contract/informer-event.ts';
import { Registration } from './registration.ts';
import type { Difference } from '../store/store.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { TimeSlice } from '../store/time-slice.ts';

/** Who wants to be told. */
export interface Joiner {
  readonly owner: string;
  readonly handler: EventHandler;
  readonly onRemove: () => void;
}

/** Who is told of a change, and what is common to all that is told. */
export interface Telling {
  readonly audience: readonly Registration[];
  readonly receivedAt: number;
  readonly initial: boolean;
}

/** An object that is gone. */
interface Deletion {
  /** What is told. */
  readonly last: StoredObject;
  /** What the store held. */
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

/** Tells every handler of a watch what happens to its store. */
export class FanOut {
  readonly #options: FanOutOptions;
  /** Replaced, never changed, so that a loop over it is not disturbed by who comes and goes. */
  #registrations: readonly Registration[] = [];

  constructor(options: FanOutOptions) {
    this.#options = options;
  }

  /** Those who are there now. */
  get audience(): readonly Registration[] {
    return this.#registrations;
  }

  /** For those who are there now: whoever joins during a long announcement sees its outcome. */
  telling(receivedAt: number, initial = false): Telling {
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

  tell({ previous, object }: Difference, telling: Telling): void {
    if (object === undefined) {
      if (previous !== undefined) this.#tellGone(previous, telling);
    } else if (previous === undefined) {
      this.#tellAdded(object, telling);
    } else if (previous.uid === object.uid) {
      this.#tellUpdated(object, previous, telling);
    } else {
      this.#tellGone(previous, telling);
      this.#tellAdded(object, telling);
    }
  }

  tellDeleted({ last, previous, finalStateUnknown }: Deletion, telling: Telling): void {
    const { audience, receivedAt } = telling;
    this.#options.onEvent('deleted');
    if (audience.length === 0) return;
    const facts = { key: last.key, object: last, receivedAt, finalStateUnknown };
    const event = { type: 'deleted', ...facts } as const;
    for (const registration of audience) registration.tell(event, previous);
  }

  /** Nobody saw it go. */
  #tellGone(last: StoredObject, telling: Telling): void {
    this.tellDeleted({ last, previous: last, finalStateUnknown: true }, telling);
  }

  #tellAdded(object: StoredObject, { audience, receivedAt, initial }: Telling): void {
    this.#options.onEvent('added');
    if (audience.length === 0) return;
    const event = { type: 'added', key: object.key, object, receivedAt, initial } as const;
    for (const registration of audience) registration.tell(event, undefined);
  }

  #tellUpdated(object: StoredObject, previous: StoredObject, telling: Telling): void {
    const { audience, receivedAt } = telling;
    this.#options.onEvent('updated');
    if (audience.length === 0) return;
    const event = { type: 'updated', key: object.key, object, previous, receivedAt } as const;
    for (const registration of audience) registration.tell(event, previous);
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
