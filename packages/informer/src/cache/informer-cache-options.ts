import {
  checkCount,
  checkFlag,
  checkFunction,
  checkObserver,
  checkOptions,
  parseDuration,
  type Duration,
} from '@keelson/apimachinery';
import type { InformerObserver } from '../contract/informer-observer.ts';
import type { ListerWatcher } from '../contract/lister-watcher.ts';
import { observerMethods } from '../contract/user-code.ts';
import type { NormalQuery } from '../contract/watch-query.ts';

/** What an informer cache is made of. */
export interface InformerCacheOptions {
  /** Makes the source of one watch. Called once per watch; must not touch the network. */
  readonly listerWatcher: (query: NormalQuery) => ListerWatcher;
  /** How long a watch outlives its last handle. Milliseconds or a duration text; default 10 s, 0: not at all. */
  readonly linger?: Duration;
  /** How many bytes of parsed bodies to remember over all watches. Default 32 MiB of JSON text. */
  readonly parsedBytes?: number;
  /** Keep `managedFields`, which are cut from what is stored otherwise. Default false. */
  readonly keepManagedFields?: boolean;
  /** Freeze what readers see, so that a write to it throws: for development and tests. Default false. */
  readonly freeze?: boolean;
  readonly observer?: InformerObserver;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  /** From 0 to 1, for jitter. */
  readonly random?: () => number;
}

const members = [
  'listerWatcher',
  'linger',
  'parsedBytes',
  'keepManagedFields',
  'freeze',
  'observer',
  'now',
  'random',
];

/** Refuses options that are wrong, by name. Code `INVALID_OPTION`. */
export function checkCacheOptions(options: InformerCacheOptions): void {
  const where = 'createInformerCache';
  checkOptions(options, members, where);
  const { listerWatcher, linger, parsedBytes, now, random } = options;
  checkFunction(listerWatcher, `${where}.listerWatcher`);
  if (linger !== undefined) parseDuration(linger, `${where}.linger`);
  if (parsedBytes !== undefined) checkCount(parsedBytes, `${where}.parsedBytes`);
  checkFlag(options.keepManagedFields, `${where}.keepManagedFields`);
  checkFlag(options.freeze, `${where}.freeze`);
  checkObserver(options.observer, observerMethods, `${where}.observer`);
  if (now !== undefined) checkFunction(now, `${where}.now`);
  if (random !== undefined) checkFunction(random, `${where}.random`);
}
