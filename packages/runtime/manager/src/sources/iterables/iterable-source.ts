import {
  checkCount,
  checkOptions,
  ignoreRejections,
  invalidOption,
  isPromised,
  pause,
  systemClock,
  type Clock,
  type SharedSlice,
} from '@keelson/apimachinery';
import type { Debounce } from '@keelson/workqueue';
import { debounceOf, type DebounceOptions } from '../event-rules/debounce.ts';
import { sourceDebounce, type EventSettings } from '../event-rules/event-settings.ts';
import { CauseSet } from '../../reconcile/cause.ts';
import { eventRateOf, type EventRateOptions } from '../../fights/event-rate.ts';
import type { FightWatch } from '../../fights/fight-watch.ts';
import { RequestGovernor } from '../../fights/request-governor.ts';
import { delayedBy, type RequestSink } from '../request-sink.ts';
import { checkPriority } from '../event-rules/request-priorities.ts';
import { ManagerError } from '../../errors.ts';
import type { History } from '../../history/history.ts';
import { PendingRequests } from './pending-requests.ts';
import type { Phase } from '../../phases/phase.ts';
import type { UserCall } from '../../event-loop/user-calls.ts';
import type { UserCode } from '../../user-code/user-code.ts';

/** A source of requests that is not a watch: a webhook, an external queue, a timer. */
export interface IterableSourceOptions<Q extends object> {
  /** Names the source in causes, logs and errors. */
  readonly name: string;
  /**
   * Yields requests. A function is called when the source opens and after each failure; its signal aborts when the
   * controller stops. An iterable that ends is not opened again. Prefer a function to a generator object: a failed
   * generator cannot be read again, which the log reports as `SOURCE_ENDED`.
   */
  readonly requests:
    | AsyncIterable<NoInfer<Q>>
    | ((signal: AbortSignal) => AsyncIterable<NoInfer<Q>>);
  /** The priority of the requests. Default 0. */
  readonly priority?: number;
  /**
   * Delays a request until no further value leads to it for a time; `{ wait: 0 }` for no delay. Default: that of the
   * controller.
   */
  readonly debounce?: DebounceOptions;
  /**
   * Limits the values for each request, as `eventRate` of a controller limits the events of each object. Default: no
   * limit, even if the controller has one.
   */
  readonly eventRate?: EventRateOptions | false;
  /**
   * The phase of the manager in which the source opens. Default: the phase of the controller, so that only a replica
   * that processes requests takes them from an external queue. With `'caches'` or `'always'` a standby consumes the
   * source too, so that its queue is filled.
   */
  readonly phase?: SourcePhase;
  /**
   * The source is not read further while this many of its requests wait for a worker, so that an external queue keeps
   * what the controller cannot process yet. Default 1000. Before the workers start, the source reads up to this number.
   */
  readonly maxPending?: number;
}

/** The phases in which a source may be opened. */
export type SourcePhase = Extract<Phase, 'caches' | 'always' | 'leader'>;

/** The phase in which a source opens: its own, or that of its controller, which may be `shards`. */
export type OpeningPhase = SourcePhase | Extract<Phase, 'shards'>;

/** The options of a source, with the phase in which it opens. */
type OpenedSourceOptions<Q extends object> = Omit<IterableSourceOptions<Q>, 'phase'> & {
  readonly phase?: OpeningPhase;
};

/** The dependencies that an iterable source gets from its controller. */
export interface IterableSourceHost<Q extends object> {
  readonly sink: RequestSink<Q>;
  /** Default: the clock of the system. */
  readonly clock?: Clock;
  /** Keeps the latest values for `explain`; `undefined` if the controller keeps none. */
  readonly history?: History | undefined;
  readonly settings: EventSettings;
  readonly fights: FightWatch;
  readonly slice: SharedSlice;
  readonly userCode: UserCode;
}

const MAX_PENDING = 1000;
/** Milliseconds before the source opens again after its first failure. */
const FIRST_DELAY_MS = 800;
/** The longest delay in milliseconds. After a run of this length the next failure counts as the first. */
const LONGEST_DELAY_MS = 30_000;

/**
 * Reads requests from an async iterable. A failure in the first turn of the event loop rejects `open`. A later failure
 * is counted, and the source opens again with backoff.
 */
export class IterableSource<Q extends object> {
  readonly name: string;
  readonly phase: OpeningPhase;
  readonly causes: CauseSet;
  readonly #options: OpenedSourceOptions<Q>;
  #debounce: Debounce | undefined;
  readonly #governor: RequestGovernor | undefined;
  readonly #sink: RequestSink<Q>;
  readonly #clock: Clock;
  readonly #history: History | undefined;
  readonly #slice: SharedSlice;
  readonly #userCode: UserCode;
  readonly #abort = new AbortController();
  readonly #pending: PendingRequests;
  /** Names its calls in reports of those that block the event loop. */
  readonly #call: UserCall;
  #iterator: AsyncIterator<Q> | undefined;
  /** The number of values so far that were not valid requests. */
  #invalid = 0;
  /** True if the current iterator has yielded a value. */
  #hasYielded = false;

  constructor(options: OpenedSourceOptions<Q>, host: IterableSourceHost<Q>) {
    this.name = options.name;
    this.phase = options.phase ?? 'leader';
    this.causes = new CauseSet(options.name);
    this.#options = options;
    this.#debounce = sourceDebounce(options, host.settings);
    const rate = eventRateOf(options.eventRate ?? false, 'eventRate');
    this.#governor = rate && new RequestGovernor(rate, options.name, host.fights);
    this.#sink = host.sink;
    this.#clock = host.clock ?? systemClock;
    this.#history = host.history;
    this.#slice = host.slice;
    this.#userCode = host.userCode;
    this.#call = { role: 'source', source: options.name };
    this.#pending = new PendingRequests(options.maxPending ?? MAX_PENDING);
  }

  /** Takes the debounce of the controller for its next values, unless it names one itself. */
  adopt(settings: EventSettings): void {
    this.#debounce = sourceDebounce(this.#options, settings);
  }

  /** The number of its requests that wait for a worker. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Records that the request of this key has left the queue, whichever source queued it. */
  left(key: string): void {
    this.#pending.left(key);
  }

  /** Opens a source that is added to a running controller. A failure in its first turn is retried as a later one is. */
  start(): void {
    void this.#reopenAfter(this.#userCode.inContext(() => this.#read()));
  }

  /** Resolves after the first turn of the event loop. Rejects with `SOURCE_FAILED` if the source failed in it. */
  async open(): Promise<void> {
    const failed = this.#userCode.inContext(() => this.#read());
    const turn = new Promise<void>((resolve) => setImmediate(resolve));
    const outcome = await Promise.race([failed, turn]);
    if (outcome === undefined) void this.#reopenAfter(failed);
    else throw new ManagerError('SOURCE_FAILED', { source: this.name }, { cause: outcome.error });
  }

  /** Ignores all further values and ends the iterable. Does not wait for an iterable that hangs. */
  close(): void {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort(new ManagerError('STOPPING', { source: this.name }));
    this.#pending.end();
    // A busy generator ends only after its current step, which may never finish.
    this.#endIterator().catch(() => undefined);
  }

  async #endIterator(): Promise<void> {
    const iterator = this.#iterator;
    await this.#userCode.call((): unknown => {
      if (iterator === undefined) return undefined;
      const end: unknown = Reflect.get(iterator, 'return');
      if (typeof end === 'function') return Reflect.apply(end, iterator, []);
      ignoreRejections(end);
      return undefined;
    });
  }

  /** Reads to the end. Returns the error of a failure, and `undefined` for an end without error. */
  async #read(): Promise<{ readonly error: unknown } | undefined> {
    const { requests } = this.#options;
    try {
      const iterator = this.#userCode.timed(this.#call, () =>
        iteratorOf(typeof requests === 'function' ? requests(this.#abort.signal) : requests),
      );
      this.#iterator = iterator;
      this.#hasYielded = false;
      // `requests` may have removed its own source. At that time `close` had no iterator to end.
      if (this.#abort.signal.aborted) {
        await this.#endIterator();
        return undefined;
      }
      for (;;) {
        const { done, value } = await this.#userCode.timed(this.#call, () => iterator.next());
        if (done === true || this.#abort.signal.aborted) return undefined;
        this.#hasYielded = true;
        this.#enqueue(value);
        await this.#pending.room();
        if (this.#abort.signal.aborted) return undefined;
        // A source that always has a value must not delay timers and sockets.
        await this.#slice.next();
      }
    } catch (error) {
      // An iterator that failed has ended.
      this.#iterator = undefined;
      return this.#abort.signal.aborted ? undefined : { error };
    }
  }

  #enqueue(request: Q): void {
    const { priority = 0 } = this.#options;
    try {
      const now = this.#clock.monotonic();
      const governor = this.#governor;
      const after = governor === undefined ? 0 : governor.delayOf(this.#sink.keyOf(request));
      const cause = this.causes.by.value;
      const add = delayedBy({ priority, cause, debounce: this.#debounce }, after);
      const key = this.#sink.enqueue(request, add, now);
      if (key !== undefined && add.after !== undefined) governor?.delayed(key);
      if (key === undefined) return;
      this.#pending.add(key);
      this.#history?.queued(key, add, undefined, now);
    } catch (error) {
      // The source continues after a value that is not a request.
      this.#invalid += 1;
      this.#sink.sourceError(this.name, error, this.#invalid);
    }
  }

  async #reopenAfter(first: Promise<{ readonly error: unknown } | undefined>): Promise<void> {
    let delay = FIRST_DELAY_MS;
    let openedAt = this.#clock.monotonic();
    for (let end = await first; end !== undefined; end = await this.#readAgain(end.error)) {
      this.#sink.sourceError(this.name, end.error);
      if (this.#clock.monotonic() - openedAt >= LONGEST_DELAY_MS) delay = FIRST_DELAY_MS;
      await pause(delay, [this.#abort.signal], this.#clock).catch(() => undefined);
      if (this.#abort.signal.aborted) return;
      delay = Math.min(delay * 2, LONGEST_DELAY_MS);
      openedAt = this.#clock.monotonic();
    }
  }

  /**
   * Reads again after a failure. Reports an end without a value, because a generator that has thrown ends at once and
   * never yields another request.
   */
  async #readAgain(cause: unknown): Promise<{ readonly error: unknown } | undefined> {
    const end = await this.#read();
    if (end === undefined && !this.#hasYielded && !this.#abort.signal.aborted) {
      const error = new ManagerError('SOURCE_ENDED', { source: this.name }, { cause });
      this.#sink.sourceError(this.name, error);
    }
    return end;
  }
}

/**
 * Returns the iterator of an iterable. Throws `INVALID_OPTION` for another value, such as the promise of an async
 * `requests`, whose rejection must not end the process.
 */
function iteratorOf<Q extends object>(iterable: AsyncIterable<Q>): AsyncIterator<Q> {
  const open: unknown = iterable?.[Symbol.asyncIterator];
  if (typeof open !== 'function') throw notIterable(iterable, open);
  const iterator = Reflect.apply(open, iterable, []) as AsyncIterator<Q>;
  const next: unknown =
    typeof iterator === 'object' && iterator !== null ? Reflect.get(iterator, 'next') : undefined;
  if (typeof next !== 'function') throw notIterable(iterator, next);
  return iterator;
}

/** The member is a promise if the user has made it by an async function. */
function notIterable(value: unknown, member: unknown): Error {
  ignoreRejections([value, member]);
  return invalidOption('requests', 'must return an async iterable and no promise', {
    returned: isPromised(value) ? 'promise' : typeof value,
  });
}

const names = ['name', 'requests', 'priority', 'debounce', 'eventRate', 'phase', 'maxPending'];

/** Throws `INVALID_OPTION` for an invalid source. */
export function checkIterable<Q extends object>(
  source: IterableSourceOptions<Q>,
  where: string,
): void {
  checkOptions(source, names, where);
  if (typeof source.name !== 'string' || source.name === '') {
    throw invalidOption(`${where}.name`, 'must be a string');
  }
  checkPriority(source.priority, `${where}.priority`);
  debounceOf(source.debounce, `${where}.debounce`);
  if (source.eventRate !== undefined) eventRateOf(source.eventRate, `${where}.eventRate`);
  if (source.maxPending !== undefined) checkCount(source.maxPending, `${where}.maxPending`);
  const { phase = 'leader', requests } = source;
  if (!['caches', 'always', 'leader'].includes(phase)) {
    throw invalidOption(`${where}.phase`, 'must be caches, always or leader');
  }
  const iterable =
    typeof requests === 'object' && requests !== null && Symbol.asyncIterator in requests;
  if (!iterable && typeof requests !== 'function') {
    throw invalidOption(
      `${where}.requests`,
      'must be an async iterable or a function that makes one',
    );
  }
}
