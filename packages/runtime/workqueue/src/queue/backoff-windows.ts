import type { RateLimiter } from '../contract/rate-limiters.ts';

/** A limiter, and the parts of it that count the failures of each key. */
export interface Limits {
  readonly limiter: RateLimiter;
  readonly counters: readonly Pick<RateLimiter, 'charge'>[];
}

/** More failures give every exponential backoff its longest delay. */
const MAX_CHARGES = 64;

/** The time from a failed run of a key to its retry. */
interface BackoffWindow extends WantedTimes {
  /** Failed attempts since the last `forget` of the key. */
  readonly failures: number;
  /** The time when the retry is due. */
  readonly deadline: number;
  /** True after a run was handed out before the deadline: further runs wait for the deadline. */
  hadEarlyRun: boolean;
}

/** The times at which the adds that wait for a deadline would be due without it; `Infinity` without such an add. */
interface WantedTimes {
  /** The earliest time of an add without debounce. */
  plainAt: number;
  /** The time of the last debounced add, which postponed the one before. */
  debouncedAt: number;
}

/**
 * The backoff of every key that failed. An add between a failure and its retry may cause one early run per window. A
 * failure before the deadline is not a new attempt: it changes neither the deadline nor the exponent.
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

  /** True until the retry of the last failure is due. */
  isOpen(key: unknown, now: number): boolean {
    const window = this.#isEmpty ? undefined : this.#windows.get(key);
    return window !== undefined && now < window.deadline;
  }

  /** Records a failed run. Returns the time when its retry is due. `delay` replaces that of the limiter. */
  fail(key: unknown, now: number, delay?: number): number {
    const window = this.#windows.get(key);
    if (window !== undefined && now < window.deadline) return window.deadline;
    const failures = (window?.failures ?? 0) + 1;
    const deadline = now + (delay ?? this.#limiter.delay(key));
    this.#limiter.charge(key);
    this.#windows.set(key, {
      failures,
      deadline,
      hadEarlyRun: false,
      plainAt: Infinity,
      debouncedAt: Infinity,
    });
    this.#isEmpty = false;
    return deadline;
  }

  /** Returns the time when a retry is due that is not charged. */
  retryAt(key: unknown, now: number, delay?: number): number {
    const deadline = this.#windows.get(key)?.deadline ?? -Infinity;
    return now < deadline ? deadline : now + (delay ?? this.#limiter.delay(key));
  }

  /** True if an add that is due now would wait for the deadline. */
  holdsBack(key: unknown, now: number): boolean {
    return this.#holding(key, now) !== undefined;
  }

  /** Returns the time when an add for the time `wanted` is due: not before the deadline if the window had its early run. */
  admit(key: unknown, wanted: number, now: number): number {
    const window = this.#holding(key, now);
    if (window === undefined) return wanted;
    window.plainAt = Math.min(window.plainAt, wanted);
    return Math.max(wanted, window.deadline);
  }

  /** Does the same for a debounced add, whose time replaces that of the debounced add before. */
  admitDebounced(key: unknown, wanted: number, now: number): number {
    const window = this.#holding(key, now);
    if (window === undefined) return wanted;
    window.debouncedAt = wanted;
    return Math.max(wanted, window.deadline);
  }

  /** Records that a run of the key was handed out. Returns the failures before it. */
  take(key: unknown, now: number): number {
    const window = this.#isEmpty ? undefined : this.#windows.get(key);
    if (window === undefined) return 0;
    clearWanted(window);
    if (now < window.deadline) window.hadEarlyRun = true;
    return window.failures;
  }

  /** Records that the entry of a held key was dropped. */
  drop(key: unknown): void {
    const window = this.#windows.get(key);
    if (window !== undefined) clearWanted(window);
  }

  /** Forgets the failures of a key. Returns the times of the adds that wait for the deadline. */
  forget(key: unknown): WantedTimes | undefined {
    this.#limiter.forget(key);
    const window = this.#isEmpty ? undefined : this.#windows.get(key);
    if (window === undefined) return undefined;
    this.#windows.delete(key);
    this.#isEmpty = this.#windows.size === 0;
    return window;
  }

  /** The window of a key if it holds adds back. */
  #holding(key: unknown, now: number): BackoffWindow | undefined {
    const window = this.#isEmpty ? undefined : this.#windows.get(key);
    return window?.hadEarlyRun === true && now < window.deadline ? window : undefined;
  }
}

function clearWanted(window: BackoffWindow): void {
  window.plainAt = Infinity;
  window.debouncedAt = Infinity;
}
