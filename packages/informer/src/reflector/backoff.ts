/** How a delay grows. */
export interface BackoffOptions {
  /** Milliseconds before the second try. */
  readonly base: number;
  /** The delay never exceeds it. */
  readonly max: number;
  /** Failures further apart than this do not add up. */
  readonly resetAfter: number;
  readonly random: () => number;
  readonly now: () => number;
}

/**
 * Exponential delays with jitter over their upper half: spread enough that 500 watches do not come
 * back at once, and never so short that an outage of a minute costs more than ten requests.
 */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;
  #quietSince = -Infinity;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Nothing has failed lately. */
  get isFresh(): boolean {
    return this.#failures === 0;
  }

  /** How long to wait before the next try. */
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
