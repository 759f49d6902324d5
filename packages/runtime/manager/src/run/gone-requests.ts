import { systemClock, type Clock } from '@keelson/apimachinery';

/**
 * Milliseconds that the request of a deleted object is kept. A new leader has taken over and handled the deletion by
 * then: a takeover usually takes a tenth of this time at most.
 */
const KEPT_MS = 600_000;
/** Milliseconds between two searches of the queue, at least. */
const SWEEP_MS = 60_000;

/**
 * Purges the requests of deleted objects from a queue whose workers wait, such as that of a standby. Without a limit
 * they would use memory for every object that ever existed.
 */
export class GoneRequests {
  readonly #purge: (isOld: (key: string) => boolean) => void;
  /** The time of the deletion by key, the earliest first. */
  readonly #goneAt = new Map<string, number>();
  readonly #clock: Clock;
  #sweptAt: number;

  /**
   * `purge` removes the requests of these keys from the queue. It keeps those whose object exists again, and those that
   * the leader cannot have.
   */
  constructor(purge: (isOld: (key: string) => boolean) => void, clock: Clock = systemClock) {
    this.#purge = purge;
    this.#clock = clock;
    this.#sweptAt = clock.monotonic();
  }

  /** Records that the object of a request was deleted. */
  add(key: string): void {
    const now = this.#clock.monotonic();
    this.#goneAt.delete(key);
    this.#goneAt.set(key, now);
    if (now - this.#sweptAt >= SWEEP_MS) this.#sweep(now);
  }

  #sweep(now: number): void {
    this.#sweptAt = now;
    const old = new Set<string>();
    for (const [key, goneAt] of this.#goneAt) {
      if (now - goneAt < KEPT_MS) break;
      old.add(key);
      this.#goneAt.delete(key);
    }
    if (old.size > 0) this.#purge((key) => old.has(key));
  }
}
