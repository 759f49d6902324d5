/** The time that all users of a slice have together in one turn of the event loop. */
const SLICE_MS = 5;

/**
 * Keeps chains of promises from delaying timers and sockets. A user calls `hasTime` before each step; once the
 * slice is used up, the step runs in the next turn of the event loop. All users of one slice share its time.
 */
export class SharedSlice {
  readonly #waiting = new Set<() => void>();
  #endsAt: number | undefined;

  /** False when the work has to wait: then `resume` is called in the next turn. */
  hasTime(resume: () => void): boolean {
    if (this.#waiting.has(resume)) return false;
    const now = performance.now();
    if (this.#endsAt === undefined) {
      this.#endsAt = now + SLICE_MS;
      setImmediate(() => this.#begin());
    }
    if (now < this.#endsAt) return true;
    this.#waiting.add(resume);
    return false;
  }

  /** For a loop that awaits: `undefined` while it has time, then a promise of the next turn. */
  next(): Promise<void> | undefined {
    const { promise, resolve } = Promise.withResolvers<void>();
    return this.hasTime(resolve) ? undefined : promise;
  }

  #begin(): void {
    this.#endsAt = undefined;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
  }
}
