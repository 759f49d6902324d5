import type { Clock } from '@keelson/apimachinery';

/**
 * Calls the watches of a server when their bookmarks are due: at the multiples of the interval since the start of the server,
 * so that one timer serves all watches. As in kube-apiserver the first bookmark of a watch may come before a whole interval.
 */
export class BookmarkTicks {
  readonly #clock: Clock;
  readonly #interval: number;
  readonly #start: number;
  readonly #listeners = new Set<() => void>();
  #stopTimer: (() => void) | undefined;

  /** `interval` is in milliseconds. */
  constructor(clock: Clock, interval: number) {
    this.#clock = clock;
    this.#interval = interval;
    this.#start = clock.monotonic();
  }

  /** Calls the listener at each tick. Returns a function that ends this. */
  add(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#stopTimer === undefined) this.#arm();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stopTimer?.();
      this.#stopTimer = undefined;
    };
  }

  #arm(): void {
    const since = (this.#clock.monotonic() - this.#start) % this.#interval;
    this.#stopTimer = this.#clock.startTimer(this.#interval - since, () => {
      for (const listener of this.#listeners) listener();
      if (this.#listeners.size > 0) this.#arm();
      else this.#stopTimer = undefined;
    });
  }
}
