import {
  checkFunction,
  checkLimiter,
  checkNumber,
  checkObject,
  checkObserver,
  checkOptionNames,
} from './check-options.ts';
import { WorkQueueError } from '../errors.ts';
import {
  ExponentialBackoff,
  type ExponentialBackoffOptions,
  type RateLimiter,
} from './rate-limiters.ts';
import { observerMethods, type WorkQueueObserver } from './work-queue-observer.ts';

/** Configures a {@link WorkQueue}; every option has a default. */
export interface WorkQueueOptions<Item, Cause = unknown, Source = Cause> {
  /**
   * The name of the queue in errors. It also enables the observer: a queue without a name reports
   * nothing. Default: no name.
   */
  readonly name?: string;
  /** Returns the key of an item: items with the same key are the same. Default: the item itself. */
  readonly keyOf?: (item: Item) => unknown;
  /** A monotonic clock in ms. Default `performance.now`. */
  readonly now?: () => number;
  /**
   * Limits of the backoff per item. Default 5 ms to 1000 s. Cannot be combined with `rateLimiter`.
   */
  readonly backoff?: ExponentialBackoffOptions;
  /** Decides the delay of rate-limited adds instead of `backoff`. Default: the exponential backoff. */
  readonly rateLimiter?: RateLimiter;
  /** Returns true if two causes are the same. Default `Object.is`. */
  readonly sameCause?: (one: Cause, other: Cause) => boolean;
  /**
   * Returns the source of a cause, for `withdraw`. An entry has the sources of all its adds, but
   * keeps only eight of their causes. Default: each cause is its own source.
   */
  readonly sourceOf?: (cause: Cause) => Source;
  /** Receives the measurements of the queue. Default: none. */
  readonly observer?: WorkQueueObserver;
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
  /** Why the item is added. `withdraw` never purges an entry with an add that names no cause. Default: no cause. */
  readonly cause?: Cause;
  /** Several causes of one add, instead of `cause`. Default: none. */
  readonly causes?: readonly Cause[];
}

/** Decides whether `shutDown` waits. */
export interface ShutDownOptions {
  /** Waits for held items, and for items that are added again while held. Default false. */
  readonly drain?: boolean;
}

const names = [
  'name',
  'keyOf',
  'now',
  'backoff',
  'rateLimiter',
  'sameCause',
  'sourceOf',
  'observer',
];

type Resolved<Item, Cause, Source> = Required<
  Pick<WorkQueueOptions<Item, Cause, Source>, 'now' | 'rateLimiter' | 'sameCause'>
> & {
  readonly sourceOf: ((cause: Cause) => Source) | undefined;
  readonly name: string | undefined;
  readonly keyOf: ((item: Item) => unknown) | undefined;
  readonly observer: WorkQueueObserver | undefined;
};

/** Checks the options and adds the defaults. */
export function resolveOptions<Item, Cause, Source>(
  options: WorkQueueOptions<Item, Cause, Source>,
): Resolved<Item, Cause, Source> {
  checkOptionNames(options, names);
  for (const option of ['keyOf', 'now', 'sameCause', 'sourceOf'] as const) {
    checkFunction(option, options[option]);
  }
  if (options.backoff !== undefined && options.rateLimiter !== undefined) {
    throw new WorkQueueError('INVALID_OPTION', { option: 'backoff', conflictsWith: 'rateLimiter' });
  }
  checkIs('name', options.name === undefined || typeof options.name === 'string');
  if (options.observer !== undefined) {
    checkObserver('observer', options.observer, observerMethods);
  }
  if (options.backoff !== undefined) checkObject('backoff', options.backoff);
  if (options.rateLimiter !== undefined) checkLimiter('rateLimiter', options.rateLimiter);
  return {
    name: options.name,
    keyOf: options.keyOf,
    now: options.now ?? (() => performance.now()),
    rateLimiter: options.rateLimiter ?? new ExponentialBackoff(options.backoff),
    sameCause: options.sameCause ?? Object.is,
    sourceOf: options.sourceOf,
    observer: options.name === undefined ? undefined : options.observer,
  };
}

/** Throws `INVALID_OPTION` for an unknown option of `add`, or a number that is not finite. */
export function checkAddOptions(options: AddOptions): void {
  checkObject('options', options);
  // Runs on every add: a `switch` costs a tenth of a lookup in a list of names.
  for (const option in options) {
    switch (option) {
      case 'priority':
      case 'after':
        if (options[option] !== undefined) checkNumber(option, options[option]);
        break;
      case 'rateLimited':
        if (options[option] !== undefined) checkIs(option, typeof options[option] === 'boolean');
        break;
      case 'causes':
        if (options[option] !== undefined) checkIs(option, Array.isArray(options[option]));
        break;
      case 'cause':
        break;
      default:
        throw new WorkQueueError('INVALID_OPTION', { option });
    }
  }
}

function checkIs(option: string, is: boolean): void {
  if (!is) throw new WorkQueueError('INVALID_OPTION', { option });
}

/** Throws `INVALID_OPTION` for an unknown option of `shutDown`. */
export function checkShutDownOptions(options: ShutDownOptions): void {
  checkOptionNames(options, ['drain']);
  checkIs('drain', options.drain === undefined || typeof options.drain === 'boolean');
}
