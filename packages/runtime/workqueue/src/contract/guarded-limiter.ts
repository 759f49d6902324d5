import { ExponentialBackoff, type RateLimiter } from './rate-limiters.ts';
import { FAILED, type UserCode } from './user-code.ts';

const delay = { name: 'rateLimiter.delay', isValid: Number.isFinite };

/** A limiter of a user. While its `delay` fails, the default backoff decides, so that no failed item is lost. */
export class GuardedLimiter implements RateLimiter {
  readonly #limiter: RateLimiter;
  readonly #userCode: UserCode;
  readonly #charge: (key: unknown) => void;
  readonly #forget: (key: unknown) => void;
  /** Decides while the limiter fails, and counts the failures of each key. */
  readonly fallback: RateLimiter = new ExponentialBackoff();

  constructor(limiter: RateLimiter, userCode: UserCode) {
    this.#limiter = limiter;
    this.#userCode = userCode;
    this.#charge = userCode.guarded('rateLimiter.charge', (key) => limiter.charge(key));
    this.#forget = userCode.guarded('rateLimiter.forget', (key) => limiter.forget(key));
  }

  delay(key: unknown): number {
    const given = this.#userCode.ask(delay, () => this.#limiter.delay(key));
    return given === FAILED ? this.fallback.delay(key) : Math.max(0, given);
  }

  charge(key: unknown): void {
    this.fallback.charge(key);
    this.#charge(key);
  }

  forget(key: unknown): void {
    this.fallback.forget(key);
    this.#forget(key);
  }

  failures(key: unknown): number {
    return this.fallback.failures(key);
  }
}
