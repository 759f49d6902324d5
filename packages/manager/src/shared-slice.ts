/** How long work may go on before the event loop gets its turn. */
const sliceMs = 5;

/**
 * Keeps work that goes from one promise to the next from holding up timers and sockets: it asks
 * before each step, and when the slice of this turn of the event loop is used up, it is called
 * again in the next. All that share one turn share its slice.
 */
export class Turn {
  readonly #waiting = new Set<() => void>();
  #endsAt: number | undefined;

  /** False when the work has to wait: then `resume` is called in the next turn. */
  hasTime(resume: () => void): boolean {
    if (this.#waiting.has(resume)) return false;
    const now = performance.now();
    if (this.#endsAt === undefined) {
      this.#endsAt = now + sliceMs;
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
