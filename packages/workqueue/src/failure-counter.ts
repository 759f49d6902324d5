/** Counts the failures of each key: the half of a rate limiter that knows nothing of delays. */
export class FailureCounter {
  readonly #failures = new Map<unknown, number>();

  charge(key: unknown): void {
    this.#failures.set(key, this.failures(key) + 1);
  }

  forget(key: unknown): void {
    this.#failures.delete(key);
  }

  failures(key: unknown): number {
    return this.#failures.get(key) ?? 0;
  }
}
