import type { RateLimiter } from '../contract/rate-limiters.ts';

/** A limiter, and the parts of it that count the failures of each key. */
export interface Limits {
  readonly limiter: RateLimiter;
  readonly counters: readonly RateLimiter[];
}

/** More failures give every exponential backoff its longest delay. */
const MAX_CHARGES = 64;

/** The time from a failed run of a key to its retry. */
interface BackoffWindow {
  /** Failed runs since the last `forget` of the key. */
  failures: number;
  /** The time when the retry is due. */
  deadline: number;
  /** True after a run was handed out before the deadline: further runs wait for the deadline. */
  hadEarlyRun: boolean;
  /** The earliest time of an add that waits for the deadline; `Infinity` without such an add. */
  wantedAt: number;
}

/**
 * The backoff of every key that failed. An add between a failure and its retry may cause one early
 * run per window. A failure before the deadline is counted, but changes neither the deadline nor
 * the exponent.
 */
export class BackoffWindows {
  #limiter: RateLimiter;
  readonly #windows = new Map<unknown, BackoffWindow>();
  /** True if no key failed. The size of the map costs a call for every add and take. */
  #isEmpty = true;

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /**
   * Uses another limiter from the next failure on. Its counters are charged with the failures that the former one has
   * counted.
   */
  limitBy({ limiter, counters }: Limits): void {
    for (const key of this.#windows.keys()) {
      const charges = Math.min(this.#limiter.failures(key), MAX_CHARGES);
      for (let charge = 0; charge < charges; charge += 1) {
        for (const counter of counters) counter.charge(key);
      }
    }
    this.#limiter = limiter;
  }

  failures(key: unknown): number {
    return this.#windows.get(key)?.failures ?? 0;
  }

  /** Records a failed run. Returns the time when its retry is due. `delay` replaces that of the limiter. */
  fail(key: unknown, now: number, delay?: number): number {
    const window = this.#windows.get(key);
    const failures = (window?.failures ?? 0) + 1;
    if (window !== undefined && now < window.deadline) {
      window.failures = failures;
      return window.deadline;
    }
    const deadline = now + (delay ?? this.#limiter.delay(key));
    this.#limiter.charge(key);
    this.#windows.set(key, { failures, deadline, hadEarlyRun: false, wantedAt: Infinity });
    this.#isEmpty = false;
    return deadline;
  }

  /** Returns the time when a retry is due that is not charged. */
  retryAt(key: unknown, now: number, delay?: number): number {
    const deadline = this.#windows.get(key)?.deadline ?? -Infinity;
    return now < deadline ? deadline : now + (delay ?? this.#limiter.delay(key));
  }

  /**
   * Returns the time when an add for the time `wanted` is due: the deadline if the window had its
   * early run.
   */
  admit(key: unknown, wanted: number, now: number): number {
    const window = this.#isEmpty ? undefined : this.#windows.get(key);
    if (window === undefined || !delaysAdds(window, now) || wanted >= window.deadline)
      return wanted;
    window.wantedAt = Math.min(window.wantedAt, wanted);
    return window.deadline;
  }

  /** Records that a run of the key was handed out. Returns the failures before it. */
  take(key: unknown, now: number): number {
    const window = this.#isEmpty ? undefined : this.#windows.get(key);
    if (window === undefined) return 0;
    window.wantedAt = Infinity;
    if (now < window.deadline) window.hadEarlyRun = true;
    return window.failures;
  }

  /** Records that the entry of a held key was dropped. */
  drop(key: unknown): void {
    const window = this.#windows.get(key);
    if (window !== undefined) window.wantedAt = Infinity;
  }

  /**
   * Forgets the failures of a key. Returns the earliest time of an add that waits for the deadline.
   */
  forget(key: unknown): number {
    this.#limiter.forget(key);
    const window = this.#isEmpty ? undefined : this.#windows.get(key);
    if (window === undefined) return Infinity;
    this.#windows.delete(key);
    this.#isEmpty = this.#windows.size === 0;
    return window.wantedAt;
  }
}

function delaysAdds(window: BackoffWindow, now: number): boolean {
  return window.hadEarlyRun && now < window.deadline;
}
