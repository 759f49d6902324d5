import {
  hasCode,
  isForbidden,
  isGone,
  isNotFound,
  isResourceVersionTooLarge,
  isTooManyRequests,
  isUnauthorized,
  statusOf,
} from '@keelson/apimachinery';
import type { ListCause, RestartCause } from '../contract/informer-observer.ts';
import type { StreamEnd } from './watch-stream.ts';

/** How a watch, or a WatchList after its initial state, ended. */
export type WatchResult =
  /** 410: the server no longer has the version. */
  | 'expired'
  /** The server has not reached the version. */
  | 'too-large'
  /** 429. */
  | 'throttled'
  /** 403. */
  | 'forbidden'
  /** 404: a LIST shows whether the kind is gone. */
  | 'not-found'
  /** An ERROR event with another status. */
  | 'error-event'
  /** 5xx, 408 or 401: the version is still valid. */
  | 'unavailable'
  /** Any other error response. */
  | 'refused'
  /** No response. */
  | 'no-response'
  /** The versions went back too often: they have no order. */
  | 'unordered'
  /** The memory budget refuses more objects. */
  | 'over-budget'
  /** A long silent watch after a broken one: the server may have been restored or replaced. */
  | 'suspect'
  /** The same, and the watchdog ended it. */
  | 'suspect-idle'
  /** The watchdog ended it. */
  | 'idle'
  /** The server or the network ended it. */
  | 'ended'
  /** It ended at once without events, too often in a row. This may be how a server reports 410. */
  | 'instant-ends';

/** How a WatchList ended before its initial state was complete. */
export type WatchListResult =
  | 'throttled'
  /** 410 or a version that is too large, at the version last seen. */
  | 'expired'
  | 'too-large'
  /** The server does not support WatchList, or it is disabled. */
  | 'unsupported'
  /** Any other error response: LIST shows whether WatchList is the reason. */
  | 'refused'
  /** No response headers in time: the server is slow or down. WatchList may be supported. */
  | 'no-headers'
  /** Silent after the headers. */
  | 'idle'
  | 'no-response'
  /** A response that is not of the API, such as the page of a proxy: LIST shows whether WatchList is the reason. */
  | 'foreign'
  | 'cut'
  /** Cut too often in a row. */
  | 'cut-again'
  | 'over-budget';

/** How a LIST failed. */
export type ListResult = 'forbidden' | 'over-budget' | 'failed';

/** What earlier attempts showed, with the one that has just ended. */
export interface WatchHistory {
  /** Watches in a row that ended at once without events. */
  readonly instantEnds: number;
  readonly mayBeBehind: boolean;
  readonly isUnordered: boolean;
}

/**
 * How long to wait before the next attempt.
 * - `none`: no time.
 * - `spread`: at once, but apart from other watches that were cut at the same time.
 * - `short`: as `spread` if the connection was stable, else 50 ms doubling to 8 s.
 * - `first-free`: the first since the last stable connection as `spread`, later ones as `short`.
 * - `failures`: 0.8 s doubling to 30 s, and not less than `Retry-After`.
 * - `long`: 10 minutes. The budget ends it earlier when there is room.
 * - `slow`: 2 s doubling to 60 s, for errors that an administrator must repair.
 */
export type Delay = 'none' | 'spread' | 'short' | 'first-free' | 'failures' | 'slow' | 'long';

/** A list with its cause. */
interface NextList {
  readonly name: 'listing' | 'relisting';
  readonly cause: ListCause;
}

/** The state after a watch. The default cause of a reconnect is how the watch ended. */
export type NextAfterWatch =
  | NextList
  | { readonly name: 'watching' | 'checking'; readonly cause?: RestartCause };

/** The state after a list that failed. The default cause is that of the list. */
export interface NextAfterList {
  readonly name: 'listing' | 'relisting';
  readonly cause?: ListCause;
}

/** What follows the end of an attempt. */
export interface Transition<Next = NextAfterWatch | NextAfterList> {
  readonly next: Next;
  readonly delay: Delay;
  /** The health of the watch meanwhile, if the delay does not decide it. */
  readonly health?: 'stale' | 'forbidden' | 'parked' | 'over-budget';
  /** The next list begins at the server's newest version. */
  readonly fromNewest?: true;
  /** WatchList is not used for a while. */
  readonly withoutWatchList?: true;
}

/** The transitions of a reflector: (state of the attempt, how it ended) → what follows. */
export const transitions: {
  readonly watching: Readonly<Record<WatchResult, Transition<NextAfterWatch>>>;
  readonly 'watch-listing': Readonly<Record<WatchListResult, Transition<NextAfterList>>>;
  readonly listing: Readonly<Record<ListResult, Transition<NextAfterList>>>;
  readonly discovery: Readonly<Record<'not-served', Transition<NextList>>>;
  readonly checking: Readonly<Record<'server-behind', Transition<NextList>>>;
  readonly loop: Readonly<Record<'defect', Transition<NextList>>>;
} = {
  watching: {
    expired: { next: { name: 'relisting', cause: 'expired' }, delay: 'first-free' },
    'too-large': {
      next: { name: 'relisting', cause: 'too-large' },
      delay: 'first-free',
      fromNewest: true,
    },
    throttled: { next: { name: 'watching', cause: 'throttled' }, delay: 'failures' },
    forbidden: { next: { name: 'watching', cause: 'failed' }, delay: 'slow', health: 'forbidden' },
    'not-found': { next: { name: 'listing', cause: 'error' }, delay: 'short' },
    'error-event': { next: { name: 'relisting', cause: 'error' }, delay: 'short' },
    unavailable: { next: { name: 'watching', cause: 'failed' }, delay: 'failures' },
    refused: { next: { name: 'relisting', cause: 'error' }, delay: 'failures' },
    'no-response': { next: { name: 'watching', cause: 'failed' }, delay: 'failures' },
    unordered: { next: { name: 'relisting', cause: 'error' }, delay: 'short', fromNewest: true },
    'over-budget': {
      next: { name: 'relisting', cause: 'error' },
      delay: 'long',
      health: 'over-budget',
    },
    suspect: { next: { name: 'checking' }, delay: 'spread' },
    'suspect-idle': { next: { name: 'checking' }, delay: 'spread', health: 'stale' },
    idle: { next: { name: 'watching' }, delay: 'spread', health: 'stale' },
    ended: { next: { name: 'watching' }, delay: 'short' },
    'instant-ends': { next: { name: 'relisting', cause: 'instant-ends' }, delay: 'short' },
  },
  'watch-listing': {
    throttled: { next: { name: 'relisting' }, delay: 'failures' },
    expired: { next: { name: 'relisting', cause: 'expired' }, delay: 'none', fromNewest: true },
    'too-large': {
      next: { name: 'relisting', cause: 'too-large' },
      delay: 'none',
      fromNewest: true,
    },
    unsupported: { next: { name: 'listing' }, delay: 'none', withoutWatchList: true },
    refused: { next: { name: 'listing' }, delay: 'none' },
    'no-headers': { next: { name: 'listing' }, delay: 'none' },
    idle: { next: { name: 'listing' }, delay: 'none', withoutWatchList: true },
    'no-response': { next: { name: 'relisting' }, delay: 'failures' },
    foreign: { next: { name: 'listing' }, delay: 'none' },
    cut: { next: { name: 'relisting' }, delay: 'short' },
    'cut-again': { next: { name: 'listing' }, delay: 'none', withoutWatchList: true },
    'over-budget': { next: { name: 'relisting' }, delay: 'long', health: 'over-budget' },
  },
  listing: {
    forbidden: { next: { name: 'relisting' }, delay: 'slow', health: 'forbidden' },
    'over-budget': { next: { name: 'relisting' }, delay: 'long', health: 'over-budget' },
    failed: { next: { name: 'relisting' }, delay: 'failures' },
  },
  discovery: {
    'not-served': {
      next: { name: 'relisting', cause: 'initial' },
      delay: 'slow',
      health: 'parked',
    },
  },
  checking: {
    'server-behind': {
      next: { name: 'relisting', cause: 'too-large' },
      delay: 'none',
      fromNewest: true,
    },
  },
  loop: {
    defect: { next: { name: 'relisting', cause: 'restart' }, delay: 'failures' },
  },
};

/** Instant ends in a row until a relist. A broken connection is more likely a fault of the network. */
const INSTANT_ENDS_UNTIL_RELIST = { ended: 3, broken: 10 };

/** Classifies the end of a watch. */
export function watchResult(end: StreamEnd, history: WatchHistory): WatchResult {
  if (end.how === 'status') return statusResult(end);
  if (!end.opened) return 'no-response';
  if (isOverBudget(end.error)) return 'over-budget';
  if (hasCode(end.error, 'WATCH_WENT_BACK') && history.isUnordered) return 'unordered';
  if (end.how === 'idle') return history.mayBeBehind ? 'suspect-idle' : 'idle';
  if (history.mayBeBehind) return 'suspect';
  return history.instantEnds < INSTANT_ENDS_UNTIL_RELIST[end.how] ? 'ended' : 'instant-ends';
}

function statusResult({ error, opened }: StreamEnd): WatchResult {
  if (isGone(error)) return 'expired';
  if (isResourceVersionTooLarge(error)) return 'too-large';
  if (isTooManyRequests(error)) return 'throttled';
  if (isForbidden(error)) return 'forbidden';
  if (isNotFound(error)) return 'not-found';
  if (opened) return 'error-event';
  const code = statusOf(error)?.code ?? 0;
  const isUnavailable = code >= 500 || code === 408 || isUnauthorized(error);
  return isUnavailable ? 'unavailable' : 'refused';
}

/** Initial states cut in a row until LIST is used instead. */
const CUTS_UNTIL_LIST = 2;
/** The status codes with which servers refuse the parameters of a WatchList. */
const UNSUPPORTED_CODES: ReadonlySet<number> = new Set([400, 405, 406, 415, 422]);

/** Classifies the end of a WatchList without its initial state. `cuts`: such ends in a row, this one included. */
export function watchListResult(
  end: StreamEnd,
  history: { readonly cuts: number; readonly fromNewest: boolean },
): WatchListResult {
  if (end.how === 'status') return watchListStatusResult(end.error, history.fromNewest);
  if (isOverBudget(end.error)) return 'over-budget';
  if (end.how === 'idle') return end.opened ? 'idle' : 'no-headers';
  if (!end.opened) return isForeign(end.error) ? 'foreign' : 'no-response';
  return history.cuts > CUTS_UNTIL_LIST ? 'cut-again' : 'cut';
}

function watchListStatusResult(error: Error, fromNewest: boolean): WatchListResult {
  if (isTooManyRequests(error)) return 'throttled';
  if (isResourceVersionTooLarge(error) && !fromNewest) return 'too-large';
  if (isGone(error) && !fromNewest) return 'expired';
  return UNSUPPORTED_CODES.has(statusOf(error)?.code ?? 0) ? 'unsupported' : 'refused';
}

/** Classifies the error of a LIST. */
export function listResult(error: Error): ListResult {
  if (isOverBudget(error)) return 'over-budget';
  return isForbidden(error) ? 'forbidden' : 'failed';
}

/** The code is that of the client; another lister-watcher may use it too. */
function isForeign(error: Error): boolean {
  return hasCode(error, 'UNEXPECTED_RESPONSE');
}

function isOverBudget(error: Error): boolean {
  return hasCode(error, 'MEMORY_BUDGET_EXCEEDED');
}
