import { checkLimiter } from './check-options.ts';
import type { RateLimiter } from './rate-limiter.ts';

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
