import { hasCode, statusOf } from '@keelson/apimachinery';
import type { ListCause, RestartCause } from '../contract/informer-observer.ts';
import { Backoff } from './backoff.ts';
import type { HealthRecord } from '../contract/watch-health.ts';
import type { ReconnectSpread } from './reconnect-spread.ts';
import type { ReflectorState } from './reflector-state.ts';
import {
  listResult,
  transitions,
  watchListResult,
  watchResult,
  type Delay,
  type NextAfterList,
  type NextAfterWatch,
  type Transition,
} from './transitions.ts';
import type { WatchListSupport } from './watch-list-support.ts';
import type { StreamEnd } from './watch-stream.ts';

/** A connection that lasted this long was stable. */
const STABLE_CONNECTION_MS = 10_000;
/** A watch that ended within this time, without an event, ended at once. */
const INSTANT_END_MS = 1_000;
/** Watches in a row whose versions went back, until versions are no longer compared. */
const STEPS_BACK_UNTIL_UNORDERED = 3;
/** The longest `Retry-After` that is respected: an outage may end earlier than the server expected. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** The delay after the memory budget refused objects: each attempt reads them again. */
const LONG_DELAY_MS = 10 * 60_000;

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

/** An attempt that has ended. */
interface Attempt {
  readonly error?: Error;
  /** `undefined` for a LIST. */
  readonly end?: StreamEnd;
}

/**
 * Decides what follows the end of a watch or list, and after which delay. Each end updates the counters, is classified
 * by them, and then has one row in the table (`transitions.ts`).
 */
export class Recovery {
  readonly #options: RecoveryOptions;
  /** After connections that were not stable. */
  readonly #short: Backoff;
  /** After failed attempts. */
  readonly #failures: Backoff;
  /** For errors that an administrator must repair: a missing permission, a missing kind. */
  readonly #slow: Backoff;
  #fromNewest = false;
  #instantEnds = 0;
  /** Initial states in a row that were cut. */
  #cuts = 0;
  /** Watches in a row whose versions went back. */
  #versionsWentBack = 0;
  /** The server has sent nothing since a watch broke or was silent for long, so that it may be another server. */
  #isServerUnverified = false;

  constructor(options: RecoveryOptions) {
    const { now, random } = options;
    this.#options = options;
    this.#short = new Backoff({ base: 50, max: 8_000, resetAfter: Infinity, now, random });
    this.#failures = new Backoff({ base: 800, max: 30_000, resetAfter: 120_000, now, random });
    this.#slow = new Backoff({ base: 2_000, max: 60_000, resetAfter: 120_000, now, random });
  }

  /** The next list has to begin at the server's newest version, because the last one cannot be listed from. */
  get needsNewest(): boolean {
    return this.#fromNewest;
  }

  /** The versions of the server decreased three times in a row: they are no longer compared. */
  get isUnordered(): boolean {
    return this.#versionsWentBack >= STEPS_BACK_UNTIL_UNORDERED;
  }

  /** A list, or the initial state of a WatchList, is complete. */
  synced(): void {
    this.#fromNewest = false;
    this.#instantEnds = 0;
    this.#cuts = 0;
    this.#slow.reset();
  }

  /** After a watch, or a WatchList whose initial state was complete. */
  afterWatch(end: StreamEnd): ReflectorState {
    const mayBeBehind = this.#mayBeBehind(end);
    this.#countWatch(end, mayBeBehind);
    const { isUnordered } = this;
    const result = watchResult(end, { instantEnds: this.#instantEnds, mayBeBehind, isUnordered });
    const transition = transitions.watching[result];
    return this.#follow(transition, stateAfterWatch(transition.next, end), {
      error: end.error,
      end,
    });
  }

  afterWatchList(end: StreamEnd, cause: ListCause): ReflectorState {
    if (end.complete) return this.afterWatch(end);
    if (end.opened && (end.how === 'ended' || end.how === 'broken')) this.#cuts++;
    const history = { cuts: this.#cuts, fromNewest: this.#fromNewest };
    const transition = transitions['watch-listing'][watchListResult(end, history)];
    return this.#follow(transition, stateAfterList(transition.next, cause), {
      error: end.error,
      end,
    });
  }

  afterFailedList(error: Error, cause: ListCause): ReflectorState {
    const transition = transitions.listing[listResult(error)];
    return this.#follow(transition, stateAfterList(transition.next, cause), { error });
  }

  /** Discovery confirmed that the kind is not served. The reflector looks again from time to time. */
  afterNotServed(error: Error): ReflectorState {
    const transition = transitions.discovery['not-served'];
    return this.#follow(transition, transition.next, { error });
  }

  /** The server has not reached the version last seen: it was restored or replaced. */
  afterServerBehind(): ReflectorState {
    const transition = transitions.checking['server-behind'];
    return this.#follow(transition, transition.next, {});
  }

  /** The loop of the reflector threw. */
  afterDefect(error: Error): ReflectorState {
    return this.#follow(transitions.loop.defect, transitions.loop.defect.next, { error });
  }

  /** The request for the server's version failed: it is sent again after the next silent watch. */
  versionUnknown(): void {
    this.#isServerUnverified = true;
  }

  /**
   * A server that was restored or replaced sends nothing to a watch that starts at a version it has not reached. So
   * if a watch broke or was silent for long, and the next one is silent for long too, the server has to confirm the
   * version, unless versions have no order.
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
    if (isStable) this.#short.reset();
    if (how === 'status' || !opened) return;
    if (hasCode(error, 'WATCH_WENT_BACK')) this.#versionsWentBack++;
    else if (isStable && !this.isUnordered) this.#versionsWentBack = 0;
    if (how === 'idle') return;
    this.#instantEnds = isSilent && lived < INSTANT_END_MS ? this.#instantEnds + 1 : 0;
  }

  #follow(transition: Transition, next: ReflectorState, attempt: Attempt): ReflectorState {
    if (transition.fromNewest === true) this.#fromNewest = true;
    if (transition.withoutWatchList === true) {
      this.#options.support.unsupported();
      this.#cuts = 0;
    }
    this.#reportHealth(transition, attempt);
    const delay = this.#delay(transition.delay, attempt);
    return delay === 0 ? next : { name: 'waiting', delay, next };
  }

  #delay(delay: Delay, attempt: Attempt): number {
    const { error, end } = attempt;
    const isStable = end !== undefined && end.lived >= STABLE_CONNECTION_MS;
    switch (delay) {
      case 'none':
        return 0;
      case 'spread':
        // Watches have different timeouts: one whose timeout is over needs no spreading.
        return end?.reachedTimeout === true ? 0 : this.#options.spread.delay();
      case 'short':
        return isStable ? this.#delay('spread', attempt) : this.#unstable(error);
      case 'first-free':
        return this.#first(attempt);
      case 'failures':
        return this.#failed(error);
      case 'slow':
        return this.#slow.next();
      case 'long':
        return LONG_DELAY_MS;
    }
  }

  /** The first attempt is not delayed. It counts, so that the next one is. */
  #first(attempt: Attempt): number {
    if (!this.#short.isFresh) return this.#delay('short', attempt);
    this.#short.next();
    return this.#delay('spread', attempt);
  }

  #unstable(error: Error | undefined): number {
    this.#options.health.bad('backing-off', 'the connection did not last', error);
    return this.#short.next();
  }

  #failed(error: Error | undefined): number {
    const retryAfter = retryAfterMs(error);
    const reason = retryAfter > 0 ? 'the server asked to wait' : 'the attempt failed';
    this.#options.health.bad('backing-off', reason, error);
    return Math.max(this.#failures.next(), retryAfter);
  }

  #reportHealth({ health, next }: Transition, { error }: Attempt): void {
    const { subject, health: record } = this.#options;
    if (health === 'stale') record.bad('stale', 'the stream has been silent for too long', error);
    if (health === 'parked') record.bad('parked', `the server does not serve ${subject}`, error);
    if (health === 'over-budget') record.bad('over-budget', 'the memory budget is used up', error);
    if (health !== 'forbidden') return;
    const verb = next.name === 'watching' ? 'watch' : 'list';
    record.bad('forbidden', `the server does not allow to ${verb} ${subject}`, error, verb);
  }
}

function stateAfterWatch(next: NextAfterWatch, end: StreamEnd): ReflectorState {
  switch (next.name) {
    case 'watching':
    case 'checking':
      return { name: next.name, cause: next.cause ?? restartCause(end) };
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

/** Returns 0 if the response has no valid `Retry-After`. */
function retryAfterMs(error: Error | undefined): number {
  const seconds: unknown = statusOf(error)?.details?.retryAfterSeconds;
  return typeof seconds === 'number' ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : 0;
}
