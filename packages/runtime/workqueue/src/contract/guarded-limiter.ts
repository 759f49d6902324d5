import { ExponentialBackoff, type RateLimiter } from './rate-limiters.ts';
import { FAILED, type UserCode } from './user-code.ts';

const delay = { name: 'rateLimiter.delay', isValid: Number.isFinite };

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
    const given = this.#userCode.ask(delay, () => this.#limiter.delay(key));
    return given === FAILED ? this.fallback.delay(key) : Math.max(0, given);
  }

  charge(key: unknown): void {
    this.fallback.charge(key);
    this.#userCode.run('rateLimiter.charge', () => this.#limiter.charge(key));
  }

  forget(key: unknown): void {
    this.fallback.forget(key);
    this.#userCode.run('rateLimiter.forget', () => this.#limiter.forget(key));
  }

  failures(key: unknown): number {
    return this.fallback.failures(key);
  }
}
