import {
  hasCode,
  isGone,
  isNotFound,
  isResourceVersionTooLarge,
  isTooManyRequests,
  isUnauthorized,
  statusOf,
  StatusError,
  type Clock,
} from '@keelson/apimachinery';

/** The protobuf attempts in a row that may fail until the next one requests JSON. */
const FAILURES_UNTIL_TRIAL = 3;
/** Milliseconds for which JSON is requested after an attempt in JSON worked. It doubles while protobuf still fails. */
const FIRST_JSON_MS = 60_000;
const LONGEST_JSON_MS = 60 * 60_000;
/** Milliseconds after which a watch without an object counts as one that works, and an aborted attempt as a failure. */
const LASTING_MS = 10_000;

/**
 * The errors without a status that a spoiled response leads to. Others, such as an unreachable server, occur with every
 * format.
 */
const blamable = [
  'CONNECTION_LOST',
  'REQUEST_TIMEOUT',
  'UNEXPECTED_RESPONSE',
  'FRAME_TOO_LARGE',
  'MALFORMED_LIST',
  'MALFORMED_OBJECT',
  'MALFORMED_WATCH_EVENT',
  'TRUNCATED_RESPONSE',
  'UNKNOWN_EVENT_TYPE',
];

/** The two ways to read the objects of a resource. A proxy may spoil only one of them. */
export type ReadVerb = 'list' | 'watch';

interface FormatTrialsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Called with the error of the protobuf attempt when JSON works for the first time. */
  readonly onBlamed: (error: unknown) => void;
}

/**
 * Decides between protobuf and JSON for one resource, by the attempts so far. A proxy may spoil only the responses to
 * requests for protobuf. So after three lists or three watches in a row that failed, the next attempts request JSON. If
 * one of the same verb works, JSON is used for a minute. Then one protobuf attempt decides: after another failure, JSON is tried again and used for twice
 * the time, up to an hour. If JSON fails too, the format is not the reason, and protobuf is used again.
 */
export class FormatTrials {
  readonly #options: FormatTrialsOptions;
  readonly #failures = { list: 0, watch: 0 };
  #error: unknown;
  /** True while the next attempts request JSON, and none of them has shown whether it works. */
  #isTrial = false;
  /** The verb that failed last as protobuf. */
  #failing: ReadVerb | undefined;
  #jsonUntil = -Infinity;
  /** The last time for which JSON was used, in milliseconds; 0 if protobuf worked since then. */
  #period = 0;

  constructor(options: FormatTrialsOptions) {
    this.#options = options;
  }

  /** True if the next attempt must request JSON. */
  get isJson(): boolean {
    return this.#isTrial || this.#options.clock.monotonic() < this.#jsonUntil;
  }

  begin(verb: ReadVerb, isJson: boolean): FormatAttempt {
    return new FormatAttempt(this.#options.clock, {
      worked: () => (isJson ? this.#jsonWorked(verb) : this.#protobufWorked(verb)),
      failed: (error) => (isJson ? this.#jsonFailed(verb) : this.#protobufFailed(verb, error)),
    });
  }

  #protobufWorked(verb: ReadVerb): void {
    this.#failures[verb] = 0;
    if (verb !== this.#failing) return;
    this.#period = 0;
    this.#isTrial = false;
  }

  #protobufFailed(verb: ReadVerb, error: unknown): void {
    this.#failures[verb] += 1;
    const isRepeated = this.#period > 0 && verb === this.#failing;
    if (this.#isTrial || this.#failures[verb] < (isRepeated ? 1 : FAILURES_UNTIL_TRIAL)) return;
    this.#error = error;
    this.#failing = verb;
    this.#isTrial = true;
  }

  #jsonWorked(verb: ReadVerb): void {
    if (!this.#isTrial || verb !== this.#failing) return;
    this.#endTrial(verb);
    if (this.#period === 0) this.#options.onBlamed(this.#error);
    this.#period = Math.min(Math.max(2 * this.#period, FIRST_JSON_MS), LONGEST_JSON_MS);
    this.#jsonUntil = this.#options.clock.monotonic() + this.#period;
  }

  #jsonFailed(verb: ReadVerb): void {
    if (verb === this.#failing) this.#endTrial(verb);
  }

  #endTrial(verb: ReadVerb): void {
    this.#isTrial = false;
    this.#failures[verb] = 0;
  }
}

interface Verdict {
  readonly worked: () => void;
  readonly failed: (error: unknown) => void;
}

/** One list or watch, which shows whether its format works. */
export class FormatAttempt {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #verdict: Verdict;
  readonly #startedAt: number;
  #openedAt: number | undefined;
  #isDecided = false;

  constructor(clock: Pick<Clock, 'monotonic'>, verdict: Verdict) {
    this.#clock = clock;
    this.#verdict = verdict;
    this.#startedAt = clock.monotonic();
  }

  /** Records that a watch has a response. */
  opened(): void {
    this.#openedAt = this.#clock.monotonic();
  }

  /** Records the first object of a watch, or the end of a list. */
  worked(): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.#verdict.worked();
  }

  /** Records the end of a watch. One that ends at once without an object has not worked. */
  ended(): void {
    const lived = this.#openedAt === undefined ? 0 : this.#clock.monotonic() - this.#openedAt;
    if (lived >= LASTING_MS) this.worked();
    else this.#failed(undefined);
  }

  /** Records an error, or the abort of the request. */
  failed(error: unknown, isAborted: boolean): void {
    const now = this.#clock.monotonic();
    if (this.#openedAt !== undefined && now - this.#openedAt >= LASTING_MS) return this.worked();
    const isHeld = isAborted && now - this.#startedAt >= LASTING_MS;
    if (isHeld || (!isAborted && isBlamable(error))) this.#failed(error);
  }

  #failed(error: unknown): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    this.#verdict.failed(error);
  }
}

/** False for an error that has another reason than the format: of the version, the credentials, the load or an outage. */
function isBlamable(error: unknown): boolean {
  const code = statusOf(error)?.code;
  if (code === undefined) return blamable.some((one) => hasCode(error, one));
  const isOfVersion = isGone(error) || isResourceVersionTooLarge(error) || isNotFound(error);
  if (isOfVersion || isTooManyRequests(error) || isUnauthorized(error)) return false;
  return !(code === 503 && error instanceof StatusError && error.retryAfter !== undefined);
}
