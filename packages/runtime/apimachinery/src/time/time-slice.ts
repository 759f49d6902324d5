/** Milliseconds that work may run before timers and sockets get a turn of the event loop. */
const SLICE_MS = 5;

/** Steps without work that may follow each other in one turn of the event loop. Each takes about a microsecond. */
const EMPTY_STEPS_PER_TURN = 64;

/**
 * Keeps long work from blocking the event loop: call `isDue` after each step, and `pause` when it returns true.
 * The clock is read after every step, because one step may parse an object of a megabyte.
 */
export class TimeSlice {
  readonly #now: () => number;
  #endsAt: number;
  #lastReading: number;
  #emptySteps = 0;

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
    this.#lastReading = now();
    this.#endsAt = this.#lastReading + SLICE_MS;
  }

  /** True when the slice is used up. */
  isDue(): boolean {
    this.#lastReading = this.#now();
    return this.#lastReading >= this.#endsAt;
  }

  /**
   * Replaces `isDue` after a step that found no work, such as an empty batch of a source. Returns true for every 64th
   * such step, because a source in memory may yield empty batches without ever waiting.
   */
  isDueWithoutWork(): boolean {
    this.#emptySteps += 1;
    return this.#emptySteps % EMPTY_STEPS_PER_TURN === 0;
  }

  /** Waits for the next turn of the event loop and starts a new slice. */
  async pause(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#lastReading = this.#now();
    this.#endsAt = this.#lastReading + SLICE_MS;
  }

  /** Extends the slice after a wait for input: the time since the last `isDue` does not count. */
  resume(): void {
    const now = this.#now();
    this.#endsAt += now - this.#lastReading;
    this.#lastReading = now;
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

/**
 * Keeps chains of promises from delaying timers and sockets. All callers of one instance share 5 ms of each turn of the
 * event loop. A caller calls `hasTime` before each step.
 */
export class SharedSlice {
  readonly #waiting = new Set<() => void>();
  #endsAt: number | undefined;

  /** Returns false when the slice is used up, and then calls `resume` in the next turn of the event loop. */
  hasTime(resume: () => void): boolean {
    if (this.#waiting.has(resume)) return false;
    const now = performance.now();
    if (this.#endsAt === undefined) {
      this.#endsAt = now + SLICE_MS;
      setImmediate(this.#begin);
    }
    if (now < this.#endsAt) return true;
    this.#waiting.add(resume);
    return false;
  }

  /**
   * Does the same for a loop that awaits: returns `undefined` while the slice has time, otherwise a promise that
   * resolves in the next turn.
   */
  next(): Promise<void> | undefined {
    const { promise, resolve } = Promise.withResolvers<void>();
    return this.hasTime(resolve) ? undefined : promise;
  }

  readonly #begin = (): void => {
    this.#endsAt = undefined;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  };
}
