import type { EventHandler } from './informer-event.ts';
import { Registration } from './registration.ts';
import type { StoredObject } from './stored-object.ts';
import { TimeSlice } from './time-slice.ts';

/** Who wants to be told. */
export interface Joiner {
  readonly owner: string;
  readonly handler: EventHandler;
  readonly onRemove: () => void;
}

/** Tells every handler of a watch what happens to its store. */
export class FanOut {
  readonly #now: () => number;
  readonly #onError: (owner: string, error: unknown) => void;
  /** Replaced, never changed, so that a loop over it is not disturbed by who comes and goes. */
  #registrations: readonly Registration[] = [];

  constructor(now: () => number, onError: (owner: string, error: unknown) => void) {
    this.#now = now;
    this.#onError = onError;
  }

  /** Those who are there now: a long announcement is for them, whoever joins meanwhile sees its outcome. */
  get audience(): readonly Registration[] {
    return this.#registrations;
  }

  /** `snapshot`: what there is to tell first, or `undefined` before the store has synced. */
  add(joiner: Joiner, snapshot: Iterable<StoredObject> | undefined): Registration {
    const { owner, handler, onRemove } = joiner;
    const registration = new Registration({
      owner,
      handler,
      onError: this.#onError,
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

  /** Never before the caller that adds the handler has its registration in hand. */
  async #replay(registration: Registration): Promise<void> {
    await Promise.resolve();
    const slice = new TimeSlice(this.#now);
    const receivedAt = this.#now();
    for (;;) {
      const object = registration.nextUntold();
      if (object === undefined) break;
      registration.call({ type: 'added', key: object.key, object, initial: true, receivedAt });
      if (slice.isDue()) await slice.pause();
    }
    registration.markSynced();
  }
}
