/** The longest time that work runs before timers and sockets get a turn. */
const SLICE_MS = 5;

/**
 * Keeps long work from blocking the event loop. Call `isDue` after each step and `pause` when it is
 * true. It reads the clock after every step, because one step may parse an object of a megabyte.
 */
export class TimeSlice {
  readonly #now: () => number;
  #until: number;
  #lastReading: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#lastReading = now();
    this.#until = this.#lastReading + SLICE_MS;
  }

  isDue(): boolean {
    this.#lastReading = this.#now();
    return this.#lastReading >= this.#until;
  }

  /** Lets the event loop turn once. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#lastReading = this.#now();
    this.#until = this.#lastReading + SLICE_MS;
  }

  /**
   * Continues after a wait for input: the time since the last reading of the clock does not count.
   */
  resume(): void {
    const now = this.#now();
    this.#until += now - this.#lastReading;
    this.#lastReading = now;
  }

  /**
   * Calls `step` for each item and pauses when it is due. Rejects with the reason of the signal
   * when it aborts.
   */
  async each<T>(items: Iterable<T>, step: (item: T) => void, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    for (const item of items) {
      step(item);
      if (!this.isDue()) continue;
      await this.pause();
      signal?.throwIfAborted();
    }
  }
}
