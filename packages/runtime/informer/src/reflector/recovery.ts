import { hasCode } from '@keelson/apimachinery';
import type { ListCause, RestartCause } from '../contract/informer-observer.ts';
import type { HealthRecord } from '../contract/watch-health.ts';
import { Progress } from './progress.ts';
import type { ReconnectSpread } from './timing/reconnect-spread.ts';
import type { ComparingState, ReflectorState } from './reflector-state.ts';
import { RetryDelays, STABLE_CONNECTION_MS, type Attempt } from './retry-delays.ts';
import type { Check, Comparison } from './server-checks.ts';
import {
  listResult,
  unansweredResults,
  watchListResult,
  watchResult,
  withoutProgress,
  type WatchResult,
} from './attempt-result.ts';
import {
  transitions,
  type NextAfterList,
  type NextAfterWatch,
  type Transition,
} from './transitions.ts';
import type { WatchListSupport } from './watch-list-support.ts';
import type { StreamEnd } from './watch-stream.ts';

/** A watch that ended without an event within this time in milliseconds counts as ended at once. */
const INSTANT_END_MS = 1_000;
/** Watches in a row whose versions decreased until versions are no longer compared. */
const STEPS_BACK_UNTIL_UNORDERED = 3;

/** The collaborators of a recovery. */
export interface RecoveryOptions {
  /** The watched kind, for messages. */
  readonly subject: string;
  readonly health: HealthRecord;
  readonly support: WatchListSupport;
  readonly spread: ReconnectSpread;
  readonly now: () => number;
  readonly random: () => number;
}

/**
 * Decides what follows the end of a watch or list, and after which delay. Each end updates the counters, is classified
 * by them, and then has one row in the table (`transitions.ts`).
 */
export class Recovery {
  readonly #options: RecoveryOptions;
  readonly #delays: RetryDelays;
  readonly #progress = new Progress();
  #fromNewest = false;
  /**
   * True if the last watch had no response although its connection was accepted. A proxy may hold the response back.
   */
  #isHeld = false;
  /** True from a watch that the server forbids until one opens. */
  #isForbidden = false;
  #instantEnds = 0;
  /** Number of WatchLists in a row whose connection ended within the initial state. */
  #cuts = 0;
  /** Number of watches in a row whose versions decreased. */
  #versionsWentBack = 0;
  /**
   * True if the server has sent nothing since a watch broke or was silent for long. It may have been restored or
   * replaced since then.
   */
  #isServerUnverified = false;

  constructor(options: RecoveryOptions) {
    this.#options = options;
    this.#delays = new RetryDelays(options);
  }

  /**
   * True if the next list must start at the server's newest version, because lists from the last seen version are
   * impossible or made no progress.
   */
  get needsNewest(): boolean {
    return this.isUnordered || this.#fromNewest !== this.#progress.startsElsewhere;
  }

  /** True if the versions of the server decreased in three watches in a row. They are then no longer compared. */
  get isUnordered(): boolean {
    return this.#versionsWentBack >= STEPS_BACK_UNTIL_UNORDERED;
  }

  /** Records that the store has reached a version. */
  reached(version: string): void {
    this.#progress.reached(version);
  }

  /** Records that the initial state of a WatchList is complete, or a list from which a watch can start. */
  synced(version: string): void {
    this.#progress.listed(version);
    this.#fromNewest = false;
    this.#instantEnds = 0;
    this.#cuts = 0;
    // A forbidden watch is followed by lists, which must not become more frequent.
    if (!this.#isForbidden) this.#delays.synced();
  }

  /** Returns the state after a watch, or after a WatchList whose initial state was complete. */
  afterWatch(end: StreamEnd): ReflectorState {
    const mayBeBehind = this.#mayBeBehind(end);
    this.#countWatch(end, mayBeBehind);
    const { isUnordered } = this;
    const history = { instantEnds: this.#instantEnds, mayBeBehind, isUnordered };
    const result = this.#withProgress(watchResult(end, history), end);
    const transition = transitions.watching[result];
    return this.#follow(transition, stateAfterWatch(transition.next, end), {
      error: end.error,
      end,
    });
  }

  /**
   * Counts the watch in the progress. Returns the result of the watch, or another one if too many watches made no
   * progress.
   */
  #withProgress(ended: WatchResult, { how, opened }: StreamEnd): WatchResult {
    const isForbidden = ended === 'forbidden';
    if (isForbidden || unansweredResults.has(ended)) this.#progress.unanswered();
    else if (opened) this.#progress.opened();
    this.#isHeld = how === 'idle' && !opened;
    this.#isForbidden = isForbidden || (this.#isForbidden && !opened);
    const { isUnanswered, isUnmoved } = this.#progress;
    const progress = { isUnanswered, isUnmoved: isUnmoved && !this.isUnordered };
    const result = withoutProgress(ended, progress);
    const { name } = transitions.watching[result].next;
    const isLost = (name === 'relisting' || name === 'listing') && result !== 'over-budget';
    if (isLost && this.#progress.lost(result === 'expired' && !opened)) this.#fromNewest = true;
    return result;
  }

  afterWatchList(end: StreamEnd, cause: ListCause): ReflectorState {
    if (end.complete) return this.afterWatch(end);
    if (end.opened && (end.how === 'ended' || end.how === 'broken')) this.#cuts++;
    const history = { cuts: this.#cuts, fromNewest: this.needsNewest };
    const ended = watchListResult(end, history);
    const isUnanswered = unansweredResults.has(ended) && this.#progress.watchListUnanswered();
    const transition = transitions['watch-listing'][isUnanswered ? 'unanswered' : ended];
    return this.#follow(transition, stateAfterList(transition.next, cause), {
      error: end.error,
      end,
    });
  }

  /** Returns the state after a list that was requested at the version `from` and has the version `version`. */
  afterList(version: string, from: string): ReflectorState {
    if (from !== '' && this.#progress.isExpired(version)) {
      const transition = transitions.listing['expired-again'];
      return this.#follow(transition, stateAfterList(transition.next, 'expired'), {});
    }
    this.synced(version);
    return { name: 'watching', cause: undefined };
  }

  afterFailedList(error: Error, cause: ListCause): ReflectorState {
    const result = listResult(error);
    if (result !== 'over-budget') this.#progress.listFailed();
    const transition = transitions.listing[result];
    return this.#follow(transition, stateAfterList(transition.next, cause), { error });
  }

  /**
   * Returns the state after discovery has confirmed that the kind is not served: the reflector tries again after a slow
   * delay.
   */
  afterNotServed(error: Error): ReflectorState {
    const transition = transitions.discovery['not-served'];
    return this.#follow(transition, transition.next, { error });
  }

  /** Returns the state after a check, or after a comparison with the server's newest version. */
  afterComparison(found: Check | Comparison, cause: RestartCause): ReflectorState {
    switch (found) {
      case 'behind':
        // The server was restored from a backup or replaced.
        this.#progress.reset();
        return this.#follow(transitions.server.behind, transitions.server.behind.next, {});
      case 'reached':
        return this.#afterComparison(transitions.checking.reached, cause);
      case 'same':
        this.#progress.same();
        return this.#afterComparison(transitions.comparing.same, cause);
      case 'ahead': {
        const isListed = this.#progress.ahead(this.#isHeld || this.#isForbidden);
        return this.#afterComparison(
          transitions.comparing[isListed ? 'ahead' : 'recovered'],
          cause,
        );
      }
    }
  }

  /**
   * Returns the state after a check or comparison whose request failed. It is repeated after the next watch that is
   * silent or has no response.
   */
  afterFailedComparison(error: Error, { name, cause }: ComparingState): ReflectorState {
    this.#isServerUnverified = true;
    const isUnanswered = this.#progress.isUnanswered && !this.#isForbidden;
    const result = name === 'comparing' && isUnanswered ? 'unanswered' : 'unknown';
    return this.#afterComparison(transitions.comparing[result], cause, error);
  }

  /** Returns the state after the loop of the reflector threw an unexpected error. */
  afterDefect(error: Error): ReflectorState {
    return this.#follow(transitions.loop.defect, transitions.loop.defect.next, { error });
  }

  /** Records that the server responds again after it was away: the delays start low again. */
  serverIsBack(): void {
    this.#delays.serverIsBack();
  }

  /** Records that the request for the server's version failed, so that it is repeated after the next silent watch. */
  versionUnknown(): void {
    this.#isServerUnverified = true;
  }

  /**
   * True if the server may have been restored or replaced. Such a server sends nothing to a watch from a version that
   * it has not reached. So if a watch broke or was silent for long, and the next one is silent for long too, the
   * reflector checks the version, unless versions have no order.
   */
  #mayBeBehind({ opened, lived, frames }: StreamEnd): boolean {
    const isSilent = opened && frames === 0;
    return (
      this.#isServerUnverified && isSilent && lived >= STABLE_CONNECTION_MS && !this.isUnordered
    );
  }

  #countWatch(end: StreamEnd, mayBeBehind: boolean): void {
    const { how, opened, lived, frames, error } = end;
    const isSilent = opened && frames === 0;
    const isStable = lived >= STABLE_CONNECTION_MS;
    const broke = how === 'idle' ? !isSilent : how !== 'ended';
    // A watch that broke, or was silent for long, leaves the server unverified until the next frame or check. Servers
    // with bookmarks have no silent watches, so the check costs nothing at rest.
    const leavesUnverified = this.#isServerUnverified || isStable;
    this.#isServerUnverified = broke || (isSilent && leavesUnverified && !mayBeBehind);
    if (isStable) this.#delays.stable();
    if (how === 'status' || !opened) return;
    if (hasCode(error, 'WATCH_WENT_BACK')) this.#versionsWentBack++;
    else if (isStable && !this.isUnordered) this.#versionsWentBack = 0;
    if (how === 'idle') return;
    this.#instantEnds = isSilent && lived < INSTANT_END_MS ? this.#instantEnds + 1 : 0;
  }

  #afterComparison(
    transition: Transition<NextAfterWatch>,
    cause: RestartCause,
    error?: Error,
  ): ReflectorState {
    const attempt = error === undefined ? {} : { error };
    return this.#follow(transition, stateAfterComparison(transition.next, cause), attempt);
  }

  #follow(transition: Transition, next: ReflectorState, attempt: Attempt): ReflectorState {
    if (transition.fromNewest === true) {
      this.#fromNewest = true;
      this.#progress.startsAtNewest();
    }
    if (transition.withoutWatchList === true) {
      this.#options.support.unsupported();
      this.#cuts = 0;
    }
    this.#reportHealth(transition, attempt);
    const delay = this.#delays.next(transition.delay, attempt);
    if (delay === 0) return next;
    const isFailure = transition.delay === 'failures' || transition.delay === 'slow';
    return { name: 'waiting', delay, next, failure: isFailure ? attempt.error : undefined };
  }

  #reportHealth({ health, denied: verb }: Transition, { error }: Attempt): void {
    const { subject, health: record } = this.#options;
    if (health === 'stale') record.bad('stale', 'the stream has been silent for too long', error);
    if (health === 'parked') record.bad('parked', `the server does not serve ${subject}`, error);
    if (health === 'over-budget') record.bad('over-budget', 'the memory budget is used up', error);
    if (verb === undefined) return;
    record.bad('forbidden', `the server does not allow to ${verb} ${subject}`, error, verb);
  }
}

function stateAfterWatch(next: NextAfterWatch, end: StreamEnd): ReflectorState {
  return stateAfterComparison(next, restartCause(end));
}

/** Returns the next state. A reconnect without a cause of its own has that of the attempt before the comparison. */
function stateAfterComparison(next: NextAfterWatch, cause: RestartCause): ReflectorState {
  switch (next.name) {
    case 'watching':
    case 'checking':
    case 'comparing':
      return { name: next.name, cause: next.cause ?? cause };
    case 'listing':
    case 'relisting':
      return next;
  }
}

function stateAfterList({ name, cause }: NextAfterList, last: ListCause): ReflectorState {
  return { name, cause: cause ?? last };
}

function restartCause({ how }: StreamEnd): RestartCause {
  if (how === 'idle') return 'idle';
  return how === 'ended' ? 'end' : 'broken';
}
