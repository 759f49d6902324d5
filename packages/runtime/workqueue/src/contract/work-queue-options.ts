import {
  checkFunction,
  checkFunctions,
  checkLimiter,
  checkNumber,
  checkObject,
  checkObserver,
  checkOptionNames,
} from './check-options.ts';
import { WorkQueueError } from '../errors.ts';
import type { Debounce } from './debounce.ts';
import { Grouping, type GroupRules } from './grouping.ts';
import { guardedClock } from './guarded-clock.ts';
import { GuardedLimiter } from './guarded-limiter.ts';
import {
  ExponentialBackoff,
  type ExponentialBackoffOptions,
  type RateLimiter,
} from './rate-limiters.ts';
import { turnClock, type TurnClock } from './turn-clock.ts';
import type { StartTimer } from './start-timer.ts';
import { UserCode } from './user-code.ts';
import { guardedObserver, observerMethods, type WorkQueueObserver } from './work-queue-observer.ts';

/** Configures a {@link WorkQueue}; every option has a default. */
export interface WorkQueueOptions<Item, Cause = unknown, Source = Cause> {
  /**
   * The name of the queue in errors. It also enables the observer: a queue without a name reports
   * nothing. Default: no name.
   */
  readonly name?: string;
  /**
   * The member of an item that is its key, or a function that returns the key. Items with the same key are the same.
   * Default: the item itself.
   */
  readonly keyOf?: KeyOf<Item>;
  /** The clock of the queue. Default: `performance.now` and `setTimeout`. */
  readonly clock?: QueueClock;
  /**
   * Limits of the backoff per item. Default 5 ms to 1000 s. Cannot be combined with `rateLimiter`.
   */
  readonly backoff?: ExponentialBackoffOptions;
  /** Decides the delay of rate-limited adds instead of `backoff`. Default: the exponential backoff. */
  readonly rateLimiter?: RateLimiter;
  /** Compares causes and finds their sources. Default: causes are compared by `Object.is`, and each is its own source. */
  readonly causes?: CauseRules<Cause, Source>;
  /**
   * The time in ms after which a ready item rises by one priority that has ready items. Then it takes turns with the
   * items of the priority that it has reached, so that every item is handed out under any load. Default 10 000;
   * 0 means that no item rises.
   */
  readonly ageAfter?: number;
  /** Groups the items, so that a group with many items does not delay the others. Default: no groups. */
  readonly groups?: GroupRules<Item>;
  /**
   * Called with the key of each entry that leaves the queue: one that is handed out, purged, withdrawn, or dropped by
   * `shutDown`. With the adds that created an entry it gives an exact account of the queued keys. Default: none.
   */
  readonly onLeave?: (key: unknown) => void;
  /**
   * Receives an error (`USER_FUNCTION_FAILED`) when another function of these options or a listener of `onAvailable`
   * throws, rejects or returns an invalid value. The queue then continues with a default: no group, weight 1, the delay
   * of the default backoff, causes that are not the same, or no source. A failed `keyOf` throws at its call instead.
   * Default: one warning of the process for each function.
   */
  readonly onError?: (error: WorkQueueError) => void;
  /** Receives the measurements of the queue. Default: none. */
  readonly observer?: WorkQueueObserver;
}

/** The member of an item that is its key, or a function that returns the key. */
export type KeyOf<Item> = (keyof Item & string) | ((item: Item) => unknown);

/** The clock of a queue, for tests with a time of their own. */
export interface QueueClock {
  /** Returns a monotonic time in ms. While it fails, its last time is used. */
  readonly now: () => number;
  /** Calls `fire` once after a delay in ms; returns a function that cancels it. Default `setTimeout`. */
  readonly startTimer?: StartTimer;
}

/** Compares the causes of items, and finds their sources. */
export interface CauseRules<Cause, Source = Cause> {
  /** Returns true if two causes are the same. Default `Object.is`. */
  readonly sameCause?: (one: Cause, other: Cause) => boolean;
  /**
   * Returns the source of a cause, for `withdraw`. An entry has the sources of all its adds, but
   * keeps only eight of their causes. Default: each cause is its own source.
   */
  readonly sourceOf?: (cause: Cause) => Source;
}

/** The time, the priority and the causes of one `add`. */
export interface AddOptions<Cause = unknown> {
  /** Items of a higher priority are handed out first. Default 0. */
  readonly priority?: number;
  /** Delay in ms before the item is ready; 0 or less means no delay. Default 0. */
  readonly after?: number;
  /**
   * Reports a failed run: the item waits for its backoff. For a held item, the first such add
   * counts as the failure of its run, even if the item was added again before. The retry keeps the
   * causes of the run. A further rate-limited add of a queued entry is not counted. With `after`, the longer delay
   * is used. Default false.
   */
  readonly rateLimited?: boolean;
  /**
   * The delay in ms after the failure that `rateLimited` reports, instead of that of the rate limiter, which counts the
   * failure all the same. A failure before the end of an earlier delay keeps that end. Default: the delay of the rate
   * limiter.
   */
  readonly backoff?: number | undefined;
  /**
   * Delays the item until no further debounced add of it came for `wait` ms, at most until `maxWait` ms after the
   * first. Adds without `debounce` are not delayed, and later debounced adds do not postpone them. Has no effect on a
   * ready item, or together with `rateLimited`. Default: no such delay.
   */
  readonly debounce?: Debounce | undefined;
  /** Why the item is added. `withdraw` never purges an entry with an add that names no cause. Default: no cause. */
  readonly cause?: Cause;
  /** Several causes of one add, instead of `cause`. Default: none. */
  readonly causes?: readonly Cause[];
}

/** The limiter of the retries of a queue. */
type RetryOptions = Pick<WorkQueueOptions<never>, 'backoff' | 'rateLimiter'>;

/** The limiter that `limitRetries` sets: `backoff` or `rateLimiter`, as in the options of the queue. */
export interface LimitOptions extends RetryOptions {
  /**
   * A part of `rateLimiter` that is charged with the failures so far, such as an `ExponentialBackoff`. Default: none,
   * so the limiter counts from now on. With `backoff` the failures so far count in any case.
   */
  readonly counter?: RateLimiter | undefined;
}

/** Decides whether `shutDown` waits. */
export interface ShutDownOptions {
  /** Waits for held items, and for items that are added again while held. Default false. */
  readonly drain?: boolean;
}

const names = [
  'name',
  'keyOf',
  'clock',
  'backoff',
  'rateLimiter',
  'causes',
  'ageAfter',
  'groups',
  'onLeave',
  'onError',
  'observer',
];

/** The options that are functions of the user whose errors are reported. */
const functionOptions = ['keyOf', 'onLeave', 'onError'] as const;

/** The options that have functions of the user as members. */
const functionMembers = {
  clock: { required: ['now'], optional: ['startTimer'] },
  causes: { required: [], optional: ['sameCause', 'sourceOf'] },
  groups: { required: ['groupOf'], optional: ['weightOf'] },
} as const;

/** The functions of the user in the options whose errors are reported, as errors name them. */
export const functionNames: readonly string[] = [
  ...functionOptions,
  ...Object.values(functionMembers).flatMap(({ required, optional }) => [...required, ...optional]),
].filter((name) => name !== 'startTimer');

const DEFAULT_AGE_AFTER_MS = 10_000;

type Resolved<Item, Cause, Source> = Required<
  Pick<WorkQueueOptions<Item, Cause, Source>, 'rateLimiter' | 'ageAfter'>
> &
  TurnClock & {
    readonly sameCause: ((one: Cause, other: Cause) => boolean) | undefined;
    readonly sourceOf: ((cause: Cause) => Source) | undefined;
    readonly onLeave: ((key: unknown) => void) | undefined;
    readonly name: string | undefined;
    readonly startTimer: StartTimer | undefined;
    readonly keyOf: KeyOf<Item> | undefined;
    readonly grouping: Grouping<Item>;
    readonly userCode: UserCode;
    readonly observer: WorkQueueObserver | undefined;
  };

/** Checks the options and adds the defaults. */
export function resolveOptions<Item, Cause, Source>(
  options: WorkQueueOptions<Item, Cause, Source>,
): Resolved<Item, Cause, Source> {
  checkOptions(options);
  const { causes, clock, groups, observer, onLeave } = options;
  const userCode = new UserCode(options.onError);
  return {
    name: options.name,
    keyOf: options.keyOf,
    startTimer: clock?.startTimer,
    ...clockOf(clock?.now, userCode),
    rateLimiter: limiterOf(options, userCode),
    sameCause: causes?.sameCause,
    sourceOf: causes?.sourceOf,
    onLeave: onLeave && userCode.guarded('onLeave', onLeave),
    ageAfter: options.ageAfter ?? DEFAULT_AGE_AFTER_MS,
    grouping: new Grouping(groups, userCode),
    userCode,
    observer:
      options.name !== undefined && observer ? guardedObserver(observer, userCode) : undefined,
  };
}

function checkOptions<Item, Cause, Source>(options: WorkQueueOptions<Item, Cause, Source>): void {
  checkOptionNames(options, names);
  for (const option of functionOptions) {
    if (option !== 'keyOf' || typeof options.keyOf !== 'string')
      checkFunction(option, options[option]);
  }
  for (const option of ['clock', 'causes', 'groups'] as const) {
    if (options[option] !== undefined) {
      checkFunctions(option, options[option], functionMembers[option]);
    }
  }
  checkRetryOptions(options);
  checkIs('name', options.name === undefined || typeof options.name === 'string');
  if (options.ageAfter !== undefined) checkedAge(options.ageAfter);
  if (options.observer !== undefined) {
    checkObserver('observer', options.observer, observerMethods);
  }
}

/** Returns a valid `ageAfter`. Throws `INVALID_OPTION` for any other time. */
export function checkedAge(milliseconds: number): number {
  checkNumber('ageAfter', milliseconds, 0);
  return milliseconds;
}

function checkRetryOptions({ backoff, rateLimiter }: RetryOptions): void {
  if (backoff !== undefined && rateLimiter !== undefined) {
    throw new WorkQueueError('INVALID_OPTION', { option: 'backoff', conflictsWith: 'rateLimiter' });
  }
  if (backoff !== undefined) checkObject('backoff', backoff);
  if (rateLimiter !== undefined) checkLimiter('rateLimiter', rateLimiter);
}

/** The clock of a user is read each time, because a test may advance it within a turn. */
function clockOf(now: (() => number) | undefined, userCode: UserCode): TurnClock {
  if (now === undefined) return turnClock();
  const guarded = guardedClock(now, userCode);
  return { now: guarded, thisTurn: guarded };
}

function limiterOf({ backoff, rateLimiter }: RetryOptions, userCode: UserCode): RateLimiter {
  if (rateLimiter === undefined) return new ExponentialBackoff(backoff);
  return new GuardedLimiter(rateLimiter, userCode);
}

/**
 * Checks the options of `limitRetries`. Returns the limiter, and the parts of it to charge with the failures so far.
 */
export function resolveLimits(
  options: LimitOptions,
  userCode: UserCode,
): {
  readonly limiter: RateLimiter;
  readonly counters: readonly Pick<RateLimiter, 'charge'>[];
} {
  userCode.refuseReentry();
  checkOptionNames(options, ['backoff', 'rateLimiter', 'counter']);
  checkRetryOptions(options);
  const { counter } = options;
  if (counter !== undefined) checkLimiter('counter', counter);
  const limiter = limiterOf(options, userCode);
  const own = limiter instanceof GuardedLimiter ? limiter.fallback : limiter;
  if (counter === undefined) return { limiter, counters: [own] };
  const charge = userCode.guarded('counter.charge', (key: unknown) => counter.charge(key));
  return { limiter, counters: [own, { charge }] };
}

/** Throws `INVALID_OPTION` for an unknown option of `add`, or a number that is not finite. */
export function checkAddOptions(options: AddOptions): void {
  const isObject = typeof options === 'object' && options !== null && !Array.isArray(options);
  if (!isObject) checkObject('options', options);
  // This runs on every add, so the usual values are checked without a call. A `switch` takes a tenth of the time of a lookup in a list of names.
  for (const option in options) {
    switch (option) {
      case 'priority':
      case 'after':
        if (options[option] !== undefined && !Number.isFinite(options[option])) {
          checkNumber(option, options[option]);
        }
        break;
      case 'backoff':
        if (options[option] !== undefined) checkNumber(option, options[option], 0);
        break;
      case 'rateLimited':
        if (options[option] !== undefined) checkIs(option, typeof options[option] === 'boolean');
        break;
      case 'causes':
        if (options[option] !== undefined) checkIs(option, Array.isArray(options[option]));
        break;
      case 'debounce':
        if (options[option] !== undefined) checkDebounce(options[option]);
        break;
      case 'cause':
        break;
      default:
        throw new WorkQueueError('INVALID_OPTION', { option });
    }
  }
}

function checkDebounce(debounce: Debounce): void {
  checkObject('debounce', debounce);
  checkNumber('debounce.wait', debounce.wait, 0);
  checkNumber('debounce.maxWait', debounce.maxWait, debounce.wait);
}

function checkIs(option: string, is: boolean): void {
  if (!is) throw new WorkQueueError('INVALID_OPTION', { option });
}

/** Throws `INVALID_OPTION` for an unknown option of `shutDown`. */
export function checkShutDownOptions(options: ShutDownOptions): void {
  checkOptionNames(options, ['drain']);
  checkIs('drain', options.drain === undefined || typeof options.drain === 'boolean');
}
