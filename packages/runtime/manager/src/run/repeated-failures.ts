import type { Clock } from '@keelson/apimachinery';
import { LRUCache } from 'lru-cache';
import { errorOf } from '../history/recorded-run.ts';
import type { LogFacts } from '../logging/logger.ts';

/** The number of requests whose last failure is remembered. */
const MAX_REMEMBERED = 1000;
/** The number of different failures of a request that are remembered: those that take turns are thinned too. */
const MAX_DIFFERENT = 4;
/** The characters of an error that decide whether two failures are the same. */
const COMPARED_CHARACTERS = 200;
/** Milliseconds after which a repetition is logged again. */
const LOGGED_AGAIN_MS = 60_000;
/** Matches numbers, UUIDs and other hexadecimal ids, which differ between repetitions of one failure. */
const VARYING = /\b(?=[\da-f-]*\d)[\da-f]{4,}(?:-[\da-f]{4,})*\b|\d+(?:\.\d+)?/gi;

interface Failure {
  count: number;
  /** The repetitions since the last line. */
  suppressed: number;
  loggedAt: number;
}

/**
 * Thins the lines about one failure of one request: the 1st, 2nd, 4th, 8th repetition and so on are logged, and one
 * after a minute without a line. The failure after which the request is given up counts as a new one, so it is always
 * logged. Failures are the same if their texts differ in numbers and ids only.
 */
export class RepeatedFailures {
  /** Created at the first failure. */
  #failures: LRUCache<string, Map<string, Failure>> | undefined;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Counts a failure of a request; no retry follows the last one. Returns the facts of its line; `undefined` for a
   * failure without a line.
   */
  count(key: string, error: unknown, isLast = false): LogFacts | undefined {
    this.#failures ??= new LRUCache({ max: MAX_REMEMBERED });
    const now = this.#clock.monotonic();
    const text = isLast ? `last: ${textOf(error)}` : textOf(error);
    const ofRequest = this.#failures.get(key) ?? new Map<string, Failure>();
    const known = ofRequest.get(text);
    if (known === undefined) {
      const [oldest] = ofRequest.keys();
      if (ofRequest.size === MAX_DIFFERENT && oldest !== undefined) ofRequest.delete(oldest);
      this.#failures.set(key, ofRequest.set(text, { count: 1, suppressed: 0, loggedAt: now }));
      return {};
    }
    known.count += 1;
    if (!Number.isInteger(Math.log2(known.count)) && now - known.loggedAt < LOGGED_AGAIN_MS) {
      known.suppressed += 1;
      return undefined;
    }
    const { count, suppressed } = known;
    known.suppressed = 0;
    known.loggedAt = now;
    return { count, ...(suppressed > 0 && { suppressed }) };
  }

  /** Forgets the failures of a request that succeeded: the next one is logged. */
  succeeded(key: string): void {
    this.#failures?.delete(key);
  }
}

function textOf(error: unknown): string {
  const { name, code, message } = errorOf(error);
  return `${name} ${code} ${message.replaceAll(VARYING, '#')}`.slice(0, COMPARED_CHARACTERS);
}
