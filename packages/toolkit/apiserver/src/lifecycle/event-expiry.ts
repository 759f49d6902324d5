import type { Clock, ObjectKey } from '@keelson/apimachinery';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { Change } from '../storage/revision-log.ts';
import type { Storage } from '../storage/storage.ts';

export interface EventExpiryOptions {
  /** The store of Events. */
  readonly events: ResourceStore;
  readonly clock: Clock;
  /** Milliseconds that an Event is kept after its last write. */
  readonly ttl: number;
}

/** Removes Events some time after their last write, as etcd does with the leases that kube-apiserver gives to Events. */
export class EventExpiry {
  readonly #options: EventExpiryOptions;
  /** The times at which the Events expire, the earliest first, because all have the same lifetime. */
  readonly #expires = new Map<ObjectKey, number>();
  readonly #stopListening: () => void;
  #stopTimer: (() => void) | undefined;

  constructor(storage: Storage, options: EventExpiryOptions) {
    this.#options = options;
    this.#stopListening = storage.onChange((store, change) => {
      if (store === options.events) this.#changed(change);
    });
  }

  close(): void {
    this.#stopListening();
    this.#stopTimer?.();
  }

  #changed({ type, object }: Change): void {
    this.#expires.delete(object.key);
    if (type === 'DELETED') return;
    const { clock, ttl } = this.#options;
    this.#expires.set(object.key, clock.monotonic() + ttl);
    this.#stopTimer ??= clock.startTimer(ttl, () => this.#expire());
  }

  #expire(): void {
    this.#stopTimer = undefined;
    const { clock, events } = this.#options;
    const now = clock.monotonic();
    for (const [key, expires] of this.#expires) {
      if (expires > now) {
        this.#stopTimer = clock.startTimer(expires - now, () => this.#expire());
        return;
      }
      const event = events.get(key);
      if (event !== undefined) events.remove(event);
    }
  }
}
