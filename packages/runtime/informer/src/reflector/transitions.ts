import type {
  ComparisonResult,
  ListResult,
  WatchListResult,
  WatchResult,
} from './attempt-result.ts';
import type { ListCause, RestartCause } from '../contract/informer-observer.ts';

/**
 * How long to wait before the next attempt.
 * - `none`: no delay.
 * - `spread`: at once, or milliseconds later if other watches were cut at the same time.
 * - `short`: as `spread` if the connection was stable, else 50 ms doubling to 8 s.
 * - `first-free`: as `spread` for the first attempt since the last stable connection, as `short` for later ones.
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

/** The state after a watch. If a reconnect has no cause here, its cause is how the watch ended. */
export type NextAfterWatch =
  | NextList
  | { readonly name: 'watching' | 'checking' | 'comparing'; readonly cause?: RestartCause };

/** The state after a list that failed. If it has no cause here, it has that of the failed list. */
export interface NextAfterList {
  readonly name: 'listing' | 'relisting';
  readonly cause?: ListCause;
}

/** The next state after the end of an attempt, with its delay and side effects. */
export interface Transition<Next = NextAfterWatch | NextAfterList> {
  readonly next: Next;
  readonly delay: Delay;
  /** The health of the watch until the next attempt. Default: determined by the delay. */
  readonly health?: 'stale' | 'parked' | 'over-budget';
  /** The verb that the server denied: the watch is `forbidden` until the next attempt. */
  readonly denied?: 'list' | 'watch';
  /** Set if the next list must start at the server's newest version. */
  readonly fromNewest?: true;
  /** Set if WatchList must not be used for the next 10 minutes. */
  readonly withoutWatchList?: true;
}

/** The transitions of a reflector: from the state of an attempt and how it ended to the next state. */
export const transitions: {
  readonly watching: Readonly<Record<WatchResult, Transition<NextAfterWatch>>>;
  readonly 'watch-listing': Readonly<Record<WatchListResult, Transition<NextAfterList>>>;
  readonly listing: Readonly<Record<ListResult, Transition<NextAfterList>>>;
  readonly discovery: Readonly<Record<'not-served', Transition<NextList>>>;
  readonly checking: Readonly<Record<'reached' | 'unknown', Transition<NextAfterWatch>>>;
  readonly comparing: Readonly<Record<ComparisonResult, Transition<NextAfterWatch>>>;
  readonly server: Readonly<Record<'behind', Transition<NextList>>>;
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
    forbidden: { next: { name: 'watching', cause: 'failed' }, delay: 'slow', denied: 'watch' },
    'still-forbidden': {
      next: { name: 'comparing', cause: 'failed' },
      delay: 'slow',
      denied: 'watch',
    },
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
    'suspect-idle': { next: { name: 'comparing' }, delay: 'spread', health: 'stale' },
    idle: { next: { name: 'watching' }, delay: 'spread', health: 'stale' },
    ended: { next: { name: 'watching' }, delay: 'short' },
    'instant-ends': { next: { name: 'relisting', cause: 'instant-ends' }, delay: 'short' },
    unanswered: { next: { name: 'comparing', cause: 'failed' }, delay: 'failures' },
    unmoved: { next: { name: 'comparing' }, delay: 'short' },
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
    unanswered: { next: { name: 'listing' }, delay: 'failures' },
    'over-budget': { next: { name: 'relisting' }, delay: 'long', health: 'over-budget' },
  },
  listing: {
    forbidden: { next: { name: 'relisting' }, delay: 'slow', denied: 'list' },
    'over-budget': { next: { name: 'relisting' }, delay: 'long', health: 'over-budget' },
    failed: { next: { name: 'relisting' }, delay: 'failures' },
    'expired-again': {
      next: { name: 'listing', cause: 'expired' },
      delay: 'none',
      fromNewest: true,
    },
  },
  discovery: {
    'not-served': {
      next: { name: 'relisting', cause: 'initial' },
      delay: 'slow',
      health: 'parked',
    },
  },
  checking: {
    reached: { next: { name: 'watching' }, delay: 'none' },
    unknown: { next: { name: 'watching' }, delay: 'none' },
  },
  comparing: {
    same: { next: { name: 'watching' }, delay: 'none' },
    ahead: { next: { name: 'listing', cause: 'no-progress' }, delay: 'none', fromNewest: true },
    recovered: { next: { name: 'watching' }, delay: 'none' },
    unknown: { next: { name: 'watching' }, delay: 'none' },
    unanswered: { next: { name: 'watching' }, delay: 'failures' },
  },
  server: {
    behind: { next: { name: 'relisting', cause: 'too-large' }, delay: 'none', fromNewest: true },
  },
  loop: {
    defect: { next: { name: 'relisting', cause: 'restart' }, delay: 'failures' },
  },
};
