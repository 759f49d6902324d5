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

/** Options of {@link WorkQueue}. */
export interface WorkQueueOptions<Item, Cause = unknown, Source = Cause> {
  /** Names the queue in errors and turns its observer on: a queue without a name reports nothing. */
  readonly name?: string;
  /** What makes two items the same. Default: the item itself. */
  readonly keyOf?: (item: Item) => unknown;
  /** A monotonic clock in ms. Default `performance.now`. */
  readonly now?: () => number;
  /** Bounds of the backoff by item. Default 5 ms to 1000 s. Not together with `rateLimiter`. */
  readonly backoff?: ExponentialBackoffOptions;
  /** Decides the delay of rate-limited adds instead of `backoff`. */
  readonly rateLimiter?: RateLimiter;
  /** When two causes are one. Default `Object.is`. */
  readonly sameCause?: (one: Cause, other: Cause) => boolean;
  /**
   * The source behind a cause: what `withdraw` takes back. An entry knows every source that asked for
   * it, however many; of its causes it keeps eight. Default: each cause is its own source.
   */
  readonly sourceOf?: (cause: Cause) => Source;
  readonly observer?: WorkQueueObserver;
}

/** Options of one `add`. */
export interface AddOptions<Cause = unknown> {
  /** Higher goes out first. Default 0. */
  readonly priority?: number;
  /** Delay in ms before the item is ready; 0 or less is none. Default 0. */
  readonly after?: number;
  /**
   * Reports a failed run: the item waits for its backoff. For a held item the first such add counts as
   * the failure of its run, also if the item was added meanwhile, and keeps the causes of the run.
   * Another one that collapses is not charged. With `after` the longer delay wins.
   */
  readonly rateLimited?: boolean;
  /** Why the item is added. An entry with an add that names no cause is never purged by `withdraw`. */
  readonly cause?: Cause;
  /** Several causes at once. */
  readonly causes?: readonly Cause[];
}

/** Options of `shutDown`. */
export interface ShutDownOptions {
  /** Wait for the items that are held, and for what is added again for them. Default false. */
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

/** Checks the options and fills in the defaults. */
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
  // Runs on every add: a switch over the names costs a tenth of what a list and a lookup do.
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
