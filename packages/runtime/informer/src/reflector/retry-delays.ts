import { statusOf } from '@keelson/apimachinery';
import type { HealthRecord } from '../contract/watch-health.ts';
import { Backoff } from './timing/backoff.ts';
import type { ReconnectSpread } from './timing/reconnect-spread.ts';
import type { Delay } from './transitions.ts';
import type { StreamEnd } from './watch-stream.ts';

/** Milliseconds after which a connection counts as stable. */
export const STABLE_CONNECTION_MS = 10_000;
/**
 * The longest `Retry-After` in milliseconds that is respected, because an outage may end earlier than the server
 * expected.
 */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Milliseconds to wait after the memory budget refused objects. The delay is long because each attempt reads all
 * objects again.
 */
const LONG_DELAY_MS = 10 * 60_000;

/** An attempt that has ended. */
export interface Attempt {
  readonly error?: Error;
  /** How the stream ended; `undefined` for a LIST. */
  readonly end?: StreamEnd;
}

/** The collaborators of the delays of a reflector. */
export interface RetryDelaysOptions {
  readonly health: HealthRecord;
  readonly spread: ReconnectSpread;
  readonly now: () => number;
  readonly random: () => number;
}

/** Decides how long a reflector waits before its next attempt. */
export class RetryDelays {
  readonly #options: RetryDelaysOptions;
  /** The delays after connections that were not stable. */
  readonly #short: Backoff;
  /** The delays after failed attempts. */
  readonly #failures: Backoff;
  /** The delays after errors that an administrator must repair, such as a missing permission or a missing kind. */
  readonly #slow: Backoff;

  constructor(options: RetryDelaysOptions) {
    const { now, random } = options;
    this.#options = options;
    this.#short = new Backoff({ base: 50, max: 8_000, resetAfter: Infinity, now, random });
    this.#failures = new Backoff({ base: 800, max: 30_000, resetAfter: 120_000, now, random });
    this.#slow = new Backoff({ base: 2_000, max: 60_000, resetAfter: 120_000, now, random });
  }

  /** Records that a list is complete. */
  synced(): void {
    this.#slow.reset();
  }

  /** Records that a connection was stable. */
  stable(): void {
    this.#short.reset();
  }

  /** Records that the server responds again, so that earlier failures do not count. */
  serverIsBack(): void {
    this.#failures.reset();
    this.#slow.reset();
  }

  /** Returns the milliseconds until the next attempt, and reports a wait to the health of the watch. */
  next(delay: Delay, attempt: Attempt): number {
    const { error, end } = attempt;
    const isStable = end !== undefined && end.lived >= STABLE_CONNECTION_MS;
    switch (delay) {
      case 'none':
        return 0;
      case 'spread':
        // A watch that reached its timeout needs no spreading, because the timeouts of watches are random.
        return end?.reachedTimeout === true ? 0 : this.#options.spread.delay();
      case 'short':
        return isStable ? this.next('spread', attempt) : this.#unstable(error);
      case 'first-free':
        return this.#first(attempt);
      case 'failures':
        return this.#failed(error);
      case 'slow':
        return this.#slow.next();
      case 'long':
        return LONG_DELAY_MS;
    }
  }

  /** Returns no delay for the first attempt, but counts it, so that the next one is delayed. */
  #first(attempt: Attempt): number {
    if (!this.#short.isFresh) return this.next('short', attempt);
    this.#short.next();
    return this.next('spread', attempt);
  }

  #unstable(error: Error | undefined): number {
    this.#options.health.bad('backing-off', 'the connection did not last', error);
    return this.#short.next();
  }

  #failed(error: Error | undefined): number {
    const retryAfter = retryAfterMs(error);
    const reason = retryAfter > 0 ? 'the server asked to wait' : 'the attempt failed';
    this.#options.health.bad('backing-off', reason, error);
    return Math.max(this.#failures.next(), retryAfter);
  }
}

/** Returns 0 if the response has no valid `Retry-After`. */
function retryAfterMs(error: Error | undefined): number {
  const seconds: unknown = statusOf(error)?.details?.retryAfterSeconds;
  return typeof seconds === 'number' ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : 0;
}
