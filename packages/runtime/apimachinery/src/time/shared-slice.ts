import { SLICE_MS } from './time-slice.ts';

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
