import type { Clock } from '@keelson/apimachinery';
import { errorOf } from '../history/recorded-run.ts';
import type { LogFacts } from '../logging/logger.ts';

/** The number of failing requests, and of different failures of a request, that are counted apart. */
const MAX_REQUESTS = 1000;
const MAX_DIFFERENT = 4;
/** Milliseconds after which a repetition is logged again. */
const LOGGED_AGAIN_MS = 60_000;
/** Milliseconds without a failure after which a record makes room for another one: longer than any usual backoff. */
const RECENT_MS = 3_600_000;
/** Matches numbers, UUIDs and other hexadecimal ids, which differ between repetitions of one failure. */
const VARYING = /\b(?=[\da-f-]*\d)[\da-f]{4,}(?:-[\da-f]{4,})*\b|\d+(?:\.\d+)?/gi;

/** A record of failures, and the time of the latest one. */
interface Dated {
  at: number;
}

interface Failure extends Dated {
  count: number;
  /** The repetitions since the last line. */
  suppressed: number;
  loggedAt: number;
}

interface FailingRequest extends Dated {
  readonly failures: Records<Failure>;
}

/** A bounded number of records by key. While all of them are recent, the further keys share one record. */
class Records<R extends Dated> {
  readonly #max: number;
  readonly #create: () => R;
  /** Those that failed longest ago come first. */
  readonly #byKey = new Map<string, R>();
  #shared: R | undefined;

  constructor(max: number, create: () => R) {
    this.#max = max;
    this.#create = create;
  }

  of(key: string, now: number): { readonly record: R; readonly isShared: boolean } {
    const known = this.#byKey.get(key);
    const record = known ?? this.#added(key, now);
    if (record === undefined) {
      this.#shared ??= this.#create();
      return { record: this.#shared, isShared: true };
    }
    record.at = now;
    this.#byKey.delete(key);
    this.#byKey.set(key, record);
    return { record, isShared: false };
  }

  delete(key: string): void {
    this.#byKey.delete(key);
  }

  /** A new record, if there is room for it. */
  #added(key: string, now: number): R | undefined {
    if (this.#byKey.size === this.#max) {
      const [oldest] = this.#byKey;
      if (oldest !== undefined && now - oldest[1].at < RECENT_MS) return undefined;
      if (oldest !== undefined) this.#byKey.delete(oldest[0]);
    }
    const record = this.#create();
    this.#byKey.set(key, record);
    return record;
  }
}

/**
 * Thins the lines about one failure of one request: the 1st, 2nd, 4th, 8th repetition and so on are logged, and one
 * after a minute without a line. The failure after which the request is given up counts as a new one. Failures are the
 * same if their texts differ in numbers and ids only. The requests beyond the first 1000 that fail, and the failures of
 * a request beyond the first 4 different ones, are counted together: many failures make few lines.
 */
export class RepeatedFailures {
  readonly #requests = new Records<FailingRequest>(MAX_REQUESTS, () => ({
    at: 0,
    failures: new Records<Failure>(MAX_DIFFERENT, () => ({
      at: 0,
      count: 0,
      suppressed: 0,
      loggedAt: 0,
    })),
  }));
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a failure of a request; no retry follows the last one. Returns the facts of its line; `undefined` for a
   * failure without a line.
   */
  count(key: string, error: unknown, isLast = false): LogFacts | undefined {
    const now = this.#clock.monotonic();
    const text = isLast ? `last: ${textOf(error)}` : textOf(error);
    const request = this.#requests.of(key, now);
    const { record: failure, isShared } = request.record.failures.of(text, now);
    failure.count += 1;
    const { count, suppressed } = failure;
    const isLogged =
      Number.isInteger(Math.log2(count)) || now - failure.loggedAt >= LOGGED_AGAIN_MS;
    failure.suppressed = isLogged ? 0 : suppressed + 1;
    if (!isLogged) return undefined;
    failure.loggedAt = now;
    if (count === 1) return {};
    const others = request.isShared ? 'other requests' : 'other failures';
    return {
      count,
      ...(suppressed > 0 && { suppressed }),
      ...((request.isShared || isShared) && { countedWith: others }),
    };
  }

  /** Forgets the failures of a request that succeeded: the next one is logged. */
  succeeded(key: string): void {
    this.#requests.delete(key);
  }
}

function textOf(error: unknown): string {
  const { name, code, message } = errorOf(error);
  return `${name} ${code} ${message.replaceAll(VARYING, '#')}`;
}
