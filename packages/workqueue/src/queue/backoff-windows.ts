import type { RateLimiter } from '../contract/rate-limiters.ts';

/** The time from a failed run of a key to its retry. */
interface BackoffWindow {
  /** Failed runs since the key was last forgotten. */
  failures: number;
  /** When the retry is due. */
  deadline: number;
  /** True once a run was handed out before the deadline: the next one waits for the deadline. */
  hadEarlyRun: boolean;
  /** The earliest moment that an add asked for and did not get; `Infinity` if there is none. */
  wantedAt: number;
}

/**
 * The backoff of every key that failed. Adds between a failure and its retry may bring one run
 * forward per window; a failure before the deadline counts, but moves neither deadline nor exponent.
 */
export class BackoffWindows {
  readonly #limiter: RateLimiter;
  readonly #windows = new Map<unknown, BackoffWindow>();

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  failures(key: unknown): number {
    return this.#windows.get(key)?.failures ?? 0;
  }

  /** Records a failed run. Returns when its retry is due. */
  fail(key: unknown, now: number): number {
    const window = this.#windows.get(key);
    const failures = (window?.failures ?? 0) + 1;
    if (window !== undefined && now < window.deadline) {
      window.failures = failures;
      return window.deadline;
    }
    const deadline = now + this.#limiter.delay(key);
    this.#limiter.charge(key);
    this.#windows.set(key, { failures, deadline, hadEarlyRun: false, wantedAt: Infinity });
    return deadline;
  }

  /** When a retry would be due that is not charged. */
  retryAt(key: unknown, now: number): number {
    const deadline = this.#windows.get(key)?.deadline ?? -Infinity;
    return now < deadline ? deadline : now + this.#limiter.delay(key);
  }

  /** When an add that asks for `wanted` is due: at the deadline if the window had its early run. */
  admit(key: unknown, wanted: number, now: number): number {
    const window = this.#windows.size === 0 ? undefined : this.#windows.get(key);
    if (window === undefined || !holdsBack(window, now) || wanted >= window.deadline) return wanted;
    window.wantedAt = Math.min(window.wantedAt, wanted);
    return window.deadline;
  }

  /** Notes that a run of the key was handed out. Returns the failures before it. */
  take(key: unknown, now: number): number {
    const window = this.#windows.size === 0 ? undefined : this.#windows.get(key);
    if (window === undefined) return 0;
    window.wantedAt = Infinity;
    if (now < window.deadline) window.hadEarlyRun = true;
    return window.failures;
  }

  /** Notes that the entry of a key whose run goes on was dropped. */
  drop(key: unknown): void {
    const window = this.#windows.get(key);
    if (window !== undefined) window.wantedAt = Infinity;
  }

  /** Forgets the failures of a key. Returns the moment that an add asked for and did not get. */
  forget(key: unknown): number {
    this.#limiter.forget(key);
    const window = this.#windows.size === 0 ? undefined : this.#windows.get(key);
    if (window === undefined) return Infinity;
    this.#windows.delete(key);
    return window.wantedAt;
  }
}

function holdsBack(window: BackoffWindow, now: number): boolean {
  return window.hadEarlyRun && now < window.deadline;
}
