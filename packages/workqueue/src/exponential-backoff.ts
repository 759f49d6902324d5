import { checkNumber, checkOptionNames } from './check-options.ts';
import { FailureCounter } from './failure-counter.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Options of {@link ExponentialBackoff}. */
export interface ExponentialBackoffOptions {
  /** Delay of the first retry in ms. Default 5. */
  readonly base?: number;
  /** The longest delay in ms. Default 1 000 000 (1000 s). */
  readonly max?: number;
}

/** Delays a key by `min(base · 2^failures, max)`; each key has its own count. client-go's defaults. */
export class ExponentialBackoff extends FailureCounter implements RateLimiter {
  readonly #base: number;
  readonly #max: number;

  constructor(options: ExponentialBackoffOptions = {}) {
    super();
    checkOptionNames(options, ['base', 'max']);
    this.#base = options.base ?? 5;
    this.#max = options.max ?? 1_000_000;
    checkNumber('backoff.base', this.#base, 0);
    checkNumber('backoff.max', this.#max, 0);
  }

  delay(key: unknown): number {
    // 2 ** n saturates at Infinity, and 0 · Infinity is no number.
    return this.#base === 0 ? 0 : Math.min(this.#base * 2 ** this.failures(key), this.#max);
  }
}
