import { checkFunction, checkLimiter, checkNumber, checkOptionNames } from './check-options.ts';
import { WorkQueueError } from '../errors.ts';

/**
 * Says how long a retry of an item has to wait. Asking and charging are two steps, because an add
 * that collapses into an entry already queued is told its delay but never charged for it.
 * Limiters see the key of an item (see `keyOf`), never the item.
 */
export interface RateLimiter {
  /** The delay in ms that the next retry of this key would get. Changes nothing. */
  delay(key: unknown): number;
  /** Records that this key was given that delay. */
  charge(key: unknown): void;
  /** Forgets the failures of this key: its next delay is the base again. */
  forget(key: unknown): void;
  /** How often this key was charged since it was last forgotten; 0 for a limiter that does not count by key. */
  failures(key: unknown): number;
}

/** Counts the failures of each key: the half of a rate limiter that knows nothing of delays. */
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

/** Several limiters as one: the longest delay and the highest count win, each is charged and forgets. */
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

/** Another limiter whose delay never exceeds `max` ms. */
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
