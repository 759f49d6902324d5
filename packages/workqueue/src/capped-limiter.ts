import { checkLimiter, checkNumber } from './check-options.ts';
import type { RateLimiter } from './rate-limiter.ts';

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
