import { checkFunction, checkNumber, checkOptionNames } from './check-options.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Options of {@link TokenBucket}. */
export interface TokenBucketOptions {
  /** Retries per second in the long run, over all items. */
  readonly perSecond: number;
  /** Retries that may happen at once after a quiet time. */
  readonly burst: number;
  /** A monotonic clock in ms. Default `performance.now`. */
  readonly now?: () => number;
}

/** Limits the retries of all items together; combine it with a limiter by item. Counts nothing by key. */
export class TokenBucket implements RateLimiter {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #now: () => number;
  /** Below zero while retries are reserved ahead of time: each waits for its own token. */
  #tokens: number;
  #filledAt: number;

  constructor(options: TokenBucketOptions) {
    checkOptionNames(options, ['perSecond', 'burst', 'now']);
    checkNumber('perSecond', options.perSecond, Number.MIN_VALUE);
    checkNumber('burst', options.burst, 1);
    checkFunction('now', options.now);
    this.#perMs = options.perSecond / 1000;
    this.#burst = options.burst;
    this.#now = options.now ?? (() => performance.now());
    this.#tokens = options.burst;
    this.#filledAt = this.#now();
  }

  delay(): number {
    this.#fill();
    return this.#tokens >= 1 ? 0 : (1 - this.#tokens) / this.#perMs;
  }

  charge(): void {
    this.#fill();
    this.#tokens -= 1;
  }

  forget(): void {
    // A spent token is spent, whatever becomes of the item.
  }

  failures(): number {
    return 0;
  }

  #fill(): void {
    const now = this.#now();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMs);
    this.#filledAt = now;
  }
}
