import {
  checkClock,
  checkCount,
  checkFlag,
  checkFunction,
  checkObserver,
  checkOptions,
  parseDuration,
  type Clock,
  type Duration,
} from '@keelson/apimachinery';
import { checkMemoryBudget, type MemoryBudget } from '../budget/memory-budget.ts';
import type { InformerObserver } from '../contract/informer-observer.ts';
import type { ListerWatcher } from '../contract/lister-watcher.ts';
import { observerMethods } from '../contract/informer-observer.ts';
import type { NormalQuery } from '../contract/watch-query.ts';

/** Configures an informer cache; only `listerWatcher` is required. */
export interface InformerCacheOptions {
  /**
   * Creates the lister-watcher of one watch; must not send a request. Called once per watch. If it throws, or returns
   * an object without `list` and `watch`, the watch is `backing-off`, and it is called again after 0.8 s, doubling to
   * 30 s.
   */
  readonly listerWatcher: (query: NormalQuery) => ListerWatcher;
  /**
   * How long a watch runs after the release of its last handle: milliseconds or a duration text.
   * Default 10 s; 0 ends it at once.
   */
  readonly linger?: Duration;
  /**
   * How many bytes of parsed bodies the cache remembers, for all watches together, counted as JSON text. A list of very
   * many objects does not evict bodies that were read more than once. Default 32 MiB.
   */
  readonly parsedBytes?: number;
  /**
   * Keeps `managedFields`, which the cache otherwise removes before it stores an object. Default
   * false.
   */
  readonly keepManagedFields?: boolean;
  /**
   * Freezes the objects that readers receive, so that code which changes one throws a `TypeError` there. Default: true
   * for the cluster of a test environment or of `keelson dev` (`Cluster.development`), else false.
   */
  readonly freeze?: boolean;
  /** Limits the memory of the stored objects, for all kinds or for single ones. Default: no limit. */
  readonly memoryBudget?: MemoryBudget;
  /**
   * Whether reads return the own writes that `written` and `deleted` report, until the watch has received them. Default
   * true.
   */
  readonly overlay?: boolean;
  /** Receives the measurements of the cache. Default: none. */
  readonly observer?: InformerObserver;
  /** The clock by which the cache waits. Default: the clock of the system. */
  readonly clock?: Clock;
  /** Returns monotonic milliseconds. Default: those of `clock`. */
  readonly now?: () => number;
  /** Returns a number from 0 to 1 for jitter. Default: those of `clock`. */
  readonly random?: () => number;
}

const members = [
  'listerWatcher',
  'linger',
  'parsedBytes',
  'keepManagedFields',
  'freeze',
  'memoryBudget',
  'overlay',
  'observer',
  'clock',
  'now',
  'random',
];

/** Throws `INVALID_OPTION` with the name of the first invalid option. */
export function checkCacheOptions(options: InformerCacheOptions): void {
  const where = 'createInformerCache';
  checkOptions(options, members, where);
  const { listerWatcher, linger, parsedBytes, now, random } = options;
  checkFunction(listerWatcher, `${where}.listerWatcher`);
  if (linger !== undefined) parseDuration(linger, `${where}.linger`);
  if (parsedBytes !== undefined) checkCount(parsedBytes, `${where}.parsedBytes`);
  checkFlag(options.keepManagedFields, `${where}.keepManagedFields`);
  checkFlag(options.freeze, `${where}.freeze`);
  if (options.memoryBudget !== undefined) {
    checkMemoryBudget(options.memoryBudget, `${where}.memoryBudget`);
  }
  checkFlag(options.overlay, `${where}.overlay`);
  checkObserver(options.observer, observerMethods, `${where}.observer`);
  checkClock(options.clock, `${where}.clock`);
  if (now !== undefined) checkFunction(now, `${where}.now`);
  if (random !== undefined) checkFunction(random, `${where}.random`);
}
