/** Sets how a delay grows. */
export interface BackoffOptions {
  /** The first delay in milliseconds, before jitter. */
  readonly base: number;
  /** The longest delay in milliseconds. */
  readonly max: number;
  /**
   * Milliseconds after a delay without a further failure, until the delays start again at `base`.
   */
  readonly resetAfter: number;
  readonly random: () => number;
  readonly now: () => number;
}

/**
 * Exponential delays, of which the upper half is random. The jitter spreads hundreds of watches that fail at once. The
 * fixed half keeps a watch below ten requests in an outage of a minute.
 */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;
  #quietSince = -Infinity;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** True if no failure is counted. */
  get isFresh(): boolean {
    return this.#failures === 0;
  }

  /** Counts a failure and returns the milliseconds to wait before the next attempt. */
  next(): number {
    const { base, max, resetAfter, random, now } = this.#options;
    if (now() - this.#quietSince > resetAfter) this.#failures = 0;
    const whole = Math.min(base * 2 ** this.#failures, max);
    this.#failures++;
    const delay = whole * (0.5 + random() / 2);
    this.#quietSince = now() + delay;
    return delay;
  }

  reset(): void {
    this.#failures = 0;
  }
}
