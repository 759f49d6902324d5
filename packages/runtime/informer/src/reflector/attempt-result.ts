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
  /** 403 too often in a row, while the server may respond to lists. */
  | 'still-forbidden'
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
  /** As `suspect`, but the watchdog ended the watch. */
  | 'suspect-idle'
  /** The watchdog ended it. */
  | 'idle'
  /** The server or the network ended it. */
  | 'ended'
  /** It ended at once without events, too often in a row. Some servers report a 410 in this way. */
  | 'instant-ends'
  /** `throttled`, `unavailable` or `no-response` too often in a row, while the server may respond to lists. */
  | 'unanswered'
  /** It ended without a newer version, and so did too many watches before it. */
  | 'unmoved';

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
  /** The server sent nothing more after the headers. */
  | 'idle'
  /** The connection failed before the headers. */
  | 'no-response'
  /** A response that is not of the API, such as the page of a proxy: LIST shows whether WatchList is the reason. */
  | 'foreign'
  /** The connection ended within the initial state. */
  | 'cut'
  /** The connection ended within the initial state, too often in a row. */
  | 'cut-again'
  /** `throttled` or `no-response` too often in a row. */
  | 'unanswered'
  | 'over-budget';

/** How a LIST failed. `expired-again`: it succeeded, but has a version from which the server refuses a watch. */
export type ListResult = 'forbidden' | 'over-budget' | 'failed' | 'expired-again';

/** The result of a comparison of the server's newest version with the last seen one. */
export type ComparisonResult =
  | 'same'
  | 'ahead'
  /** The server is ahead and responds again: a watch may open now. */
  | 'recovered'
  /** The request failed. */
  | 'unknown'
  /** The request failed, as the watches before it did. */
  | 'unanswered';

/** Facts about earlier attempts and the one that has just ended. */
export interface WatchHistory {
  /** Watches in a row that ended at once without events. */
  readonly instantEnds: number;
  readonly mayBeBehind: boolean;
  readonly isUnordered: boolean;
}

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

/** The results of attempts without a usable response. The server may still respond to lists. */
export const unansweredResults: ReadonlySet<WatchResult | WatchListResult> = new Set([
  'throttled',
  'unavailable',
  'no-response',
]);

/** Replaces the result of a watch if too many before it made no progress either. */
export function withoutProgress(
  result: WatchResult,
  { isUnanswered, isUnmoved }: { readonly isUnanswered: boolean; readonly isUnmoved: boolean },
): WatchResult {
  if (unansweredResults.has(result)) return isUnanswered ? 'unanswered' : result;
  if (result === 'forbidden') return isUnanswered ? 'still-forbidden' : result;
  return result === 'ended' && isUnmoved ? 'unmoved' : result;
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
/** The HTTP status codes with which servers refuse the parameters of a WatchList. */
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

/**
 * True for a response that is not of the API. The code is that of `@keelson/client`; other lister-watchers may use it
 * too.
 */
function isForeign(error: Error): boolean {
  return hasCode(error, 'UNEXPECTED_RESPONSE');
}

function isOverBudget(error: Error): boolean {
  return hasCode(error, 'MEMORY_BUDGET_EXCEEDED');
}
