import { checkFunction, checkLimiter, checkNumber, checkOptionNames } from './check-options.ts';
import { WorkQueueError } from '../errors.ts';

/**
 * Decides how long a retry of an item waits. For a failure, a queue reads the delay and then charges the key, which
 * counts the failure. For an add that merges into a queued entry it only reads the delay. Limiters receive the key of
 * an item (see `keyOf`), not the item.
 */
export interface RateLimiter {
  /** Returns the delay in ms of the next retry of this key, without counting a failure. */
  delay(key: unknown): number;
  /** Counts a failure of this key, which received the delay. */
  charge(key: unknown): void;
  /** Forgets the failures of this key: its next delay is the first one again. */
  forget(key: unknown): void;
  /**
   * The number of charges of this key since the last `forget`; 0 for a limiter that does not count
   * by key.
   */
  failures(key: unknown): number;
}

/** Counts the failures of each key, for limiters that compute a delay from them. */
class FailureCounter {
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

/** Limits of the delays of {@link ExponentialBackoff}. */
export interface ExponentialBackoffOptions {
  /** Delay of the first retry in ms. Default 5, or `max` if that is less. */
  readonly base?: number;
  /** The longest delay in ms. Default 1 000 000 (1000 s), or `base` if that is more. */
  readonly max?: number;
}

const DEFAULT_BASE_MS = 5;
const DEFAULT_MAX_MS = 1_000_000;

/**
 * Delays a key by `min(base · 2^failures, max)`; each key has its own count. The defaults are those
 * of client-go.
 */
export class ExponentialBackoff extends FailureCounter implements RateLimiter {
  readonly #base: number;
  readonly #max: number;

  constructor(options: ExponentialBackoffOptions = {}) {
    super();
    checkOptionNames(options, ['base', 'max']);
    if (options.base !== undefined) checkNumber('backoff.base', options.base, 0);
    if (options.max !== undefined) checkNumber('backoff.max', options.max, 0);
    // The default of one option depends on the other one, so that `base` is never above `max`.
    const { base = Math.min(DEFAULT_BASE_MS, options.max ?? Infinity) } = options;
    const { max = Math.max(DEFAULT_MAX_MS, base) } = options;
    if (base > max)
      throw new WorkQueueError('INVALID_OPTION', { option: 'backoff.base', base, max });
    this.#base = base;
    this.#max = max;
  }

  delay(key: unknown): number {
    // 2 ** n is Infinity for a large n, and 0 · Infinity is NaN.
    return this.#base === 0 ? 0 : Math.min(this.#base * 2 ** this.failures(key), this.#max);
  }
}

/** The two delays of {@link FastSlowLimiter}. */
export interface FastSlowLimiterOptions {
  /** Delay in ms of the first `fastAttempts` retries. */
  readonly fast: number;
  /** Delay in ms of every later retry. */
  readonly slow: number;
  /** The number of fast retries. */
  readonly fastAttempts: number;
}

/**
 * Delays the first retries of a key by a short time and the others by a long one: for failures that
 * either end soon or last long.
 */
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

/** The rate and the burst of {@link TokenBucket}. */
export interface TokenBucketOptions {
  /** Retries per second in the long run, over all items. */
  readonly perSecond: number;
  /** The number of retries without a delay after a time without retries. */
  readonly burst: number;
  /** A monotonic clock in ms. Default `performance.now`. */
  readonly now?: () => number;
}

/**
 * Limits the rate of the retries of all items together. It does not count failures by key, so combine it with a limiter
 * that does. Throws `INVALID_OPTION`.
 */
export class TokenBucket implements RateLimiter {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #now: () => number;
  /** The tokens that are left. Negative if retries wait: each of them waits for its own token. */
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
    // Has no effect: the token of a retry is not returned when its item is forgotten.
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

/**
 * Combines limiters: it uses the longest delay and the highest count, and charges and forgets on
 * all of them. Throws `INVALID_OPTION` for a limiter that lacks a method.
 */
export class CombinedLimiter implements RateLimiter {
  readonly #limiters: readonly RateLimiter[];

  constructor(...limiters: readonly RateLimiter[]) {
    for (const limiter of limiters) checkLimiter('limiters', limiter);
    this.#limiters = limiters;
  }

  delay(key: unknown): number {
    let longest = 0;
    for (const limiter of this.#limiters) longest = Math.max(longest, limiter.delay(key));
    return longest;
  }

  charge(key: unknown): void {
    for (const limiter of this.#limiters) limiter.charge(key);
  }

  forget(key: unknown): void {
    for (const limiter of this.#limiters) limiter.forget(key);
  }

  failures(key: unknown): number {
    let most = 0;
    for (const limiter of this.#limiters) most = Math.max(most, limiter.failures(key));
    return most;
  }
}

/** Limits the delays of another limiter to `max` ms. */
export class CappedLimiter implements RateLimiter {
  readonly #limiter: RateLimiter;
  readonly #max: number;

  constructor(limiter: RateLimiter, max: number) {
    checkLimiter('limiter', limiter);
    checkNumber('max', max, 0);
    this.#limiter = limiter;
    this.#max = max;
  }

  delay(key: unknown): number {
    return Math.min(this.#limiter.delay(key), this.#max);
  }

  charge(key: unknown): void {
    this.#limiter.charge(key);
  }

  forget(key: unknown): void {
    this.#limiter.forget(key);
  }

  failures(key: unknown): number {
    return this.#limiter.failures(key);
  }
}
