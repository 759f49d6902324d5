/** How long work may run before timers and sockets get their turn. */
const SLICE_MS = 5;

/**
 * Keeps long work from blocking the event loop: ask `isDue` after each step, and pause when it is
 * true. The clock is read after every step, because one step may parse an object of a megabyte.
 */
export class TimeSlice {
  readonly #now: () => number;
  #until: number;
  #looked: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#looked = now();
    this.#until = this.#looked + SLICE_MS;
  }

  isDue(): boolean {
    this.#looked = this.#now();
    return this.#looked >= this.#until;
  }

  /** Lets the event loop turn once. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#looked = this.#now();
    this.#until = this.#looked + SLICE_MS;
  }

  /** Work goes on after a wait for input: the time since the last look does not count. */
  resume(): void {
    const now = this.#now();
    this.#until += now - this.#looked;
    this.#looked = now;
  }

  /** Calls `step` for each item and pauses when it is due. Rejects when the signal aborts. */
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
