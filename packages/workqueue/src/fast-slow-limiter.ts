import { checkNumber, checkOptionNames } from './check-options.ts';
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
export class FastSlowLimiter implements RateLimiter {
  readonly #options: FastSlowLimiterOptions;
  readonly #failures = new Map<unknown, number>();

  constructor(options: FastSlowLimiterOptions) {
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
