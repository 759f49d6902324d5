import { checkNumber, checkOptionNames } from './check-options.ts';
import { FailureCounter } from './failure-counter.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Options of {@link FastSlowLimiter}. */
export interface FastSlowLimiterOptions {
  /** Delay in ms of the first `fastAttempts` retries. */
  readonly fast: number;
  /** Delay in ms of every later retry. */
  readonly slow: number;
  /** How many retries are fast. */
  readonly fastAttempts: number;
}

/** A few quick retries, then slow ones: for failures that either pass at once or last. */
export class FastSlowLimiter extends FailureCounter implements RateLimiter {
  readonly #options: FastSlowLimiterOptions;

  constructor(options: FastSlowLimiterOptions) {
    super();
    checkOptionNames(options, ['fast', 'slow', 'fastAttempts']);
    checkNumber('fast', options.fast, 0);
    checkNumber('slow', options.slow, 0);
    checkNumber('fastAttempts', options.fastAttempts, 0);
    this.#options = { ...options };
  }

  delay(key: unknown): number {
    const { fast, slow, fastAttempts } = this.#options;
    return this.failures(key) < fastAttempts ? fast : slow;
  }
}
