import { checkNumber, checkOptionNames } from './check-options.ts';
import { WorkQueueError } from './errors.ts';
import { FailureCounter } from './failure-counter.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Options of {@link ExponentialBackoff}. */
export interface ExponentialBackoffOptions {
  /** Delay of the first retry in ms. Default 5, or `max` if that is less. */
  readonly base?: number;
  /** The longest delay in ms. Default 1 000 000 (1000 s), or `base` if that is more. */
  readonly max?: number;
}

const DEFAULT_BASE_MS = 5;
const DEFAULT_MAX_MS = 1_000_000;

/** Delays a key by `min(base · 2^failures, max)`; each key has its own count. client-go's defaults. */
export class ExponentialBackoff extends FailureCounter implements RateLimiter {
  readonly #base: number;
  readonly #max: number;

  constructor(options: ExponentialBackoffOptions = {}) {
    super();
    checkOptionNames(options, ['base', 'max']);
    if (options.base !== undefined) checkNumber('backoff.base', options.base, 0);
    if (options.max !== undefined) checkNumber('backoff.max', options.max, 0);
    // A default never contradicts what is given.
    const { base = Math.min(DEFAULT_BASE_MS, options.max ?? Infinity) } = options;
    const { max = Math.max(DEFAULT_MAX_MS, base) } = options;
    if (base > max)
      throw new WorkQueueError('INVALID_OPTION', { option: 'backoff.base', base, max });
    this.#base = base;
    this.#max = max;
  }

  delay(key: unknown): number {
    // 2 ** n saturates at Infinity, and 0 · Infinity is no number.
    return this.#base === 0 ? 0 : Math.min(this.#base * 2 ** this.failures(key), this.#max);
  }
}
