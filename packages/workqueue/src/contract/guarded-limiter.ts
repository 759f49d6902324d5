import { ExponentialBackoff, type RateLimiter } from './rate-limiters.ts';
import type { UserCode } from './user-code.ts';

/** A limiter of a user. While its `delay` fails, the default backoff decides, so that no failed item is lost. */
export class GuardedLimiter implements RateLimiter {
  readonly #limiter: RateLimiter;
  readonly #userCode: UserCode;
  /** Decides while the limiter fails, and counts the failures of each key. */
  readonly fallback: RateLimiter = new ExponentialBackoff();

  constructor(limiter: RateLimiter, userCode: UserCode) {
    this.#limiter = limiter;
    this.#userCode = userCode;
  }

  delay(key: unknown): number {
    const delay = this.#userCode.attempt('rateLimiter.delay', () => this.#checkedDelay(key));
    return delay ?? this.fallback.delay(key);
  }

  charge(key: unknown): void {
    this.fallback.charge(key);
    this.#userCode.attempt('rateLimiter.charge', () => this.#limiter.charge(key));
  }

  forget(key: unknown): void {
    this.fallback.forget(key);
    this.#userCode.attempt('rateLimiter.forget', () => this.#limiter.forget(key));
  }

  failures(key: unknown): number {
    return this.fallback.failures(key);
  }

  #checkedDelay(key: unknown): number | undefined {
    const delay = this.#limiter.delay(key);
    if (Number.isFinite(delay)) return Math.max(0, delay);
    this.#userCode.invalid('rateLimiter.delay', delay);
    return undefined;
  }
}
