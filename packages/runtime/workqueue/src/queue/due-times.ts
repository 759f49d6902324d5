import type { Debounce } from '../contract/debounce.ts';
import { GuardedLimiter } from '../contract/guarded-limiter.ts';
import type { RateLimiter } from '../contract/rate-limiters.ts';
import type { AddOptions } from '../contract/work-queue-options.ts';

/** A limiter of retries, and the parts of it that count the failures of each key. */
export interface Limits {
  readonly limiter: RateLimiter;
  readonly counters: readonly Pick<RateLimiter, 'charge'>[];
}

/**
 * The most failures with which a new limiter is charged for a key. An exponential backoff has its longest delay by
 * then.
 */
const MAX_CHARGES = 64;

/** The time from a failed run of a key to its retry. */
interface BackoffWindow {
  /** Failed attempts since the last `forget` of the key. */
  readonly failures: number;
  /** The time when the retry is due. */
  readonly deadline: number;
  /** True after a run was handed out before the deadline: further runs wait for the deadline. */
  hadEarlyRun: boolean;
  /**
   * The earliest time that an add without debounce requested; `Infinity` without such an add. `forget` makes the add
   * due then.
   */
  plainAt: number;
  /**
   * The time that the last debounced add requested, which replaces those of earlier ones; `Infinity` without such an
   * add.
   */
  debouncedAt: number;
}

/** The limits up to which debounced adds may postpone the entry of a key. */
interface DebounceWindow {
  /** The time at which the `maxWait` of the debounced adds ends. */
  latest: number;
  /**
   * The earliest time that an add without debounce requested. No debounced add postpones the entry beyond it.
   * `Infinity` without such an add.
   */
  fixed: number;
}

/**
 * Decides when an add is due, from the backoff and the debounce of its key.
 *
 * A backoff begins with a failure. An add between a failure and its retry may cause one early run per window. A failure
 * before the deadline is not a new attempt: it changes neither the deadline nor the exponent. A debounce begins with
 * the first debounced add of an entry, and ends when the entry is handed out or dropped.
 */
export class DueTimes {
  #limiter: RateLimiter;
  /** True for a limiter of a user, which may count more than the failures of this queue. */
  isForeign: boolean;
  readonly #backoffs = new Map<unknown, BackoffWindow>();
  readonly #debounces = new Map<unknown, DebounceWindow>();
  /**
   * True if no key has a backoff or a debounce. Then an add without a delay is due at once, and a taken item had no
   * failures.
   */
  isEmpty = true;

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
    this.isForeign = limiter instanceof GuardedLimiter;
  }

  /**
   * Uses another limiter from the next failure on. Its counters are charged with the failures that the former limiter
   * counted, so that the delays do not start again at the first one.
   */
  limitBy({ limiter, counters }: Limits): void {
    for (const key of this.#backoffs.keys()) {
      const charges = Math.min(this.#limiter.failures(key), MAX_CHARGES);
      for (let charge = 0; charge < charges; charge += 1) {
        for (const counter of counters) counter.charge(key);
      }
    }
    this.#limiter = limiter;
    this.isForeign = limiter instanceof GuardedLimiter;
  }

  failures(key: unknown): number {
    return this.#backoffs.get(key)?.failures ?? 0;
  }

  /** True until the retry of the last failure is due. */
  isBackingOff(key: unknown, now: number): boolean {
    const window = this.#backoffs.get(key);
    return window !== undefined && now < window.deadline;
  }

  /** Returns the time when the retry of the last failure is due; `undefined` without a failure since `forget`. */
  backoffEnd(key: unknown): number | undefined {
    return this.#backoffs.get(key)?.deadline;
  }

  /** Records a failed run. Returns the time when its retry is due. `delay` in ms replaces that of the limiter. */
  fail(key: unknown, now: number, delay?: number): number {
    const window = this.#backoffs.get(key);
    if (window !== undefined && now < window.deadline) return window.deadline;
    const failures = (window?.failures ?? 0) + 1;
    const deadline = now + (delay ?? this.#limiter.delay(key));
    this.#limiter.charge(key);
    this.#backoffs.set(key, {
      failures,
      deadline,
      hadEarlyRun: false,
      plainAt: Infinity,
      debouncedAt: Infinity,
    });
    this.isEmpty = false;
    return deadline;
  }

  /**
   * Returns the time when an add without a new failure is due. `before` is the due time of the existing entry, or
   * `Infinity`.
   */
  due(key: unknown, options: AddOptions, now: number, before: number): number {
    const { after = 0 } = options;
    const wanted = after > 0 ? now + after : now;
    if (options.rateLimited === true) {
      return Math.max(wanted, this.#retryAt(key, now, options.backoff));
    }
    const debounce = debounceOf(options);
    if (debounce === undefined) {
      const window = this.#holding(key, now);
      if (window === undefined) return wanted;
      window.plainAt = Math.min(window.plainAt, wanted);
      return Math.max(wanted, window.deadline);
    }
    const delayed = Math.max(wanted, this.#delay(key, debounce, now, before));
    const window = this.#backoffs.get(key);
    if (window === undefined) return delayed;
    // An add after the deadline does not wait for it, and replaces the time of one that did.
    const isHeldBack = isHolding(window, now);
    window.debouncedAt = isHeldBack ? delayed : Infinity;
    return isHeldBack ? Math.max(delayed, window.deadline) : delayed;
  }

  /** True if the backoff of a key delays its adds: the deadline is not reached, and the early run was handed out. */
  holdsBack(key: unknown, now: number): boolean {
    return this.#holding(key, now) !== undefined;
  }

  /** Records that an add without debounce is due at this time, so that no debounced add postpones it. */
  fix(key: unknown, due: number): void {
    const window = this.#debounces.get(key);
    if (window !== undefined) window.fixed = Math.min(window.fixed, due);
  }

  /** Returns the time beyond which no debounced add may postpone the entry; `Infinity` without such a time. */
  fixedAt(key: unknown): number {
    return this.#debounces.get(key)?.fixed ?? Infinity;
  }

  /** Records that a run of the key was handed out. Returns the number of failures before it. */
  take(key: unknown, now: number): number {
    this.#endDebounce(key);
    const window = this.#backoffs.get(key);
    if (window === undefined) return 0;
    clearWanted(window);
    if (now < window.deadline) window.hadEarlyRun = true;
    return window.failures;
  }

  /** Lets the next add during the backoff of a key cause another early run. */
  allowEarlyRun(key: unknown): void {
    const window = this.#backoffs.get(key);
    if (window !== undefined) window.hadEarlyRun = false;
  }

  /**
   * Records that the entry of a key was dropped, and ends its backoff. With `isRunning` the backoff stays, because a
   * worker holds the key and may still report a failure.
   */
  drop(key: unknown, isRunning: boolean): void {
    this.#endDebounce(key);
    const window = this.#backoffs.get(key);
    if (!isRunning) this.forget(key);
    else if (window !== undefined) clearWanted(window);
  }

  /**
   * Forgets the failures of a key. Returns the new due time of an add that waited only for the backoff: `Infinity`
   * without such an add, `undefined` without a backoff.
   */
  forget(key: unknown): number | undefined {
    this.#limiter.forget(key);
    const window = this.isEmpty ? undefined : this.#backoffs.get(key);
    if (window === undefined) return undefined;
    this.#backoffs.delete(key);
    this.#noticeSizes();
    this.fix(key, window.plainAt);
    return Math.min(window.plainAt, window.debouncedAt);
  }

  /** Returns the time when a retry is due, without counting a failure. */
  #retryAt(key: unknown, now: number, delay: number | undefined): number {
    const deadline = this.#backoffs.get(key)?.deadline ?? -Infinity;
    return now < deadline ? deadline : now + (delay ?? this.#limiter.delay(key));
  }

  /** Records a debounced add. Returns the time that it requests: after `wait`, but not after the end of `maxWait`. */
  #delay(key: unknown, { wait, maxWait }: Debounce, now: number, before: number): number {
    let window = this.#debounces.get(key);
    if (window === undefined) {
      window = { latest: now + maxWait, fixed: before };
      this.#debounces.set(key, window);
      this.isEmpty = false;
    }
    window.latest = Math.min(window.latest, now + maxWait);
    return Math.min(now + wait, window.latest);
  }

  /** Returns the backoff of a key if it delays adds (see `holdsBack`). */
  #holding(key: unknown, now: number): BackoffWindow | undefined {
    const window = this.#backoffs.get(key);
    return window !== undefined && isHolding(window, now) ? window : undefined;
  }

  #endDebounce(key: unknown): void {
    if (this.#debounces.delete(key)) this.#noticeSizes();
  }

  #noticeSizes(): void {
    this.isEmpty = this.#backoffs.size === 0 && this.#debounces.size === 0;
  }
}

/** Returns the debounce of an add; `undefined` for an add that is not debounced, or that is rate-limited. */
export function debounceOf({ debounce, rateLimited }: AddOptions): Debounce | undefined {
  return rateLimited === true || debounce?.wait === 0 ? undefined : debounce;
}

/** True until the end of a backoff whose early run was handed out. */
function isHolding({ hadEarlyRun, deadline }: BackoffWindow, now: number): boolean {
  return hadEarlyRun && now < deadline;
}

function clearWanted(window: BackoffWindow): void {
  window.plainAt = Infinity;
  window.debouncedAt = Infinity;
}
