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
import { Backoff } from './backoff.ts';
import type { HealthRecord } from './health-record.ts';
import type { ListCause, RestartCause } from '../contract/informer-observer.ts';
import type { ReflectorState } from './reflector-state.ts';
import type { ReconnectSpread } from './reconnect-spread.ts';
import type { WatchListSupport } from './watch-list-support.ts';
import type { StreamEnd } from './watch-stream.ts';

/** A connection that lived this long was a good one. */
const goodLife = 10_000;

/** An end this early, without a word, may be how a server says that it no longer knows the version. */
const instant = 1_000;
/** In a row; a connection that breaks is more likely the network's fault. */
const instantsUntilRelist = { ended: 3, broken: 10 };

/** As often a watch may tell of older versions than before until they are taken to have no order. */
const mostSteps = 3;

/** The longest that a server's `Retry-After` is heeded. */
const mostPatience = 5 * 60_000;

/** Initial states cut short before LIST is tried instead. */
const earlyEndsUntilList = 2;

/** What recovery is made of. */
export interface RecoveryOptions {
  /** What is watched, for people to read. */
  readonly subject: string;
  readonly health: HealthRecord;
  readonly support: WatchListSupport;
  readonly spread: ReconnectSpread;
  readonly now: () => number;
  readonly random: () => number;
}

/** Decides what comes after a stream or a list has ended, and how long to wait for it. */
export class Recovery {
  /** The version last seen cannot be listed from: ask for the newest. */
  needsNewest = false;
  readonly #subject: string;
  readonly #health: HealthRecord;
  readonly #support: WatchListSupport;
  readonly #spread: ReconnectSpread;
  /** After connections that did not live. */
  readonly #short: Backoff;
  /** After failures. */
  readonly #failures: Backoff;
  /** For what somebody has to put right: a missing permission, a missing kind. */
  readonly #slow: Backoff;
  #instants = 0;
  #earlyEnds = 0;
  /** Streams in a row that went back in time. */
  #stepsBack = 0;
  /** The server may be another one than the version is from: it has said nothing since a stream broke. */
  #isUnproven = false;

  constructor({ subject, health, support, spread, now, random }: RecoveryOptions) {
    this.#subject = subject;
    this.#health = health;
    this.#support = support;
    this.#spread = spread;
    this.#short = new Backoff({ base: 50, max: 8_000, resetAfter: Infinity, now, random });
    this.#failures = new Backoff({ base: 800, max: 30_000, resetAfter: 120_000, now, random });
    this.#slow = new Backoff({ base: 2_000, max: 60_000, resetAfter: 120_000, now, random });
  }

  /** The server's versions went back again and again: from then on they say nothing of before and after. */
  get hasNoOrder(): boolean {
    return this.#stepsBack >= mostSteps;
  }

  /** The whole state has come in. */
  synced(): void {
    this.needsNewest = false;
    this.#earlyEnds = 0;
    this.#slow.reset();
  }

  afterStream(end: StreamEnd): ReflectorState {
    if (end.lived >= goodLife) this.#short.reset();
    const isSuspect = this.#suspects(end);
    if (end.how === 'status') return this.#afterStatus(end);
    if (!end.opened) return this.#failed(end.error, { name: 'watching', cause: 'failed' });
    if (this.#wentBackForGood(end)) return this.#again(end, { name: 'relisting', cause: 'error' });
    if (end.how === 'idle') {
      this.#health.bad('stale', 'the stream has been silent for too long', end.error);
    }
    if (isSuspect) return this.#soon(end, { name: 'asking', cause: restartCause(end) });
    if (end.how === 'idle') return this.#soon(end, { name: 'watching', cause: 'idle' });
    this.#instants = end.lived < instant && end.frames === 0 ? this.#instants + 1 : 0;
    if (this.#instants < instantsUntilRelist[end.how === 'ended' ? 'ended' : 'broken']) {
      return this.#again(end, { name: 'watching', cause: restartCause(end) });
    }
    this.#instants = 0;
    return this.#again(end, { name: 'relisting', cause: 'eof-storm' });
  }

  /** The server was asked where it is and has not said: it is asked again. */
  unanswered(): void {
    this.#isUnproven = true;
  }

  /** The version last seen lies in the server's future: the server has gone back in time. */
  afterTooLarge(): ReflectorState {
    this.needsNewest = true;
    return { name: 'relisting', cause: 'too-large' };
  }

  afterWatchList(end: StreamEnd, cause: ListCause): ReflectorState {
    if (end.complete) return this.afterStream(end);
    if (end.how === 'status') return this.#afterWatchListStatus(end.error, cause);
    // A server that does not even begin to respond is slow or gone, which says nothing about WatchList.
    if (end.how === 'idle' && !end.opened) return { name: 'listing', cause };
    if (end.how === 'idle') return this.#withoutWatchList(cause);
    if (!end.opened) return this.#failed(end.error, { name: 'relisting', cause });
    this.#earlyEnds++;
    if (this.#earlyEnds > earlyEndsUntilList) return this.#withoutWatchList(cause);
    return this.#again(end, { name: 'relisting', cause });
  }

  afterFailedList(error: Error, cause: ListCause): ReflectorState {
    const next = { name: 'relisting', cause } as const;
    return isForbidden(error) ? this.#forbidden('list', error, next) : this.#failed(error, next);
  }

  /** The kind is not served: look again now and then. */
  park(error: Error): ReflectorState {
    this.#health.bad('parked', `the server does not serve ${this.#subject}`, error);
    return {
      name: 'waiting',
      delay: this.#slow.next(),
      next: { name: 'relisting', cause: 'initial' },
    };
  }

  /** The loop itself has failed. */
  afterDefect(error: Error): ReflectorState {
    return this.#failed(error, { name: 'relisting', cause: 'restart' });
  }

  /**
   * A server says nothing to a watch from its future, and one that was restored or replaced may be that
   * far behind. So where a stream broke and the next said nothing in a long life, the server is asked,
   * unless its versions have no order to tell from.
   */
  #suspects({ how, opened, lived, frames }: StreamEnd): boolean {
    const isMute = opened && frames === 0;
    const isSuspect = this.#isUnproven && isMute && lived >= goodLife && !this.hasNoOrder;
    const broke = how === 'idle' ? !isMute : how !== 'ended';
    this.#isUnproven = broke || (this.#isUnproven && isMute && !isSuspect);
    return isSuspect;
  }

  #wentBackForGood({ error, lived }: StreamEnd): boolean {
    if (!hasCode(error, 'WATCH_WENT_BACK')) {
      if (lived >= goodLife && !this.hasNoOrder) this.#stepsBack = 0;
      return false;
    }
    this.#stepsBack++;
    this.needsNewest ||= this.hasNoOrder;
    return this.hasNoOrder;
  }

  #afterStatus(end: StreamEnd): ReflectorState {
    const { error } = end;
    if (isGone(error)) return this.#relist(end, 'expired');
    if (isResourceVersionTooLarge(error)) {
      this.needsNewest = true;
      return this.#relist(end, 'too-large');
    }
    if (isTooManyRequests(error)) {
      return this.#failed(error, { name: 'watching', cause: 'throttled' });
    }
    if (isForbidden(error)) {
      return this.#forbidden('watch', error, { name: 'watching', cause: 'failed' });
    }
    if (isNotFound(error)) return this.#again(end, { name: 'listing', cause: 'error' });
    if (end.opened) return this.#again(end, { name: 'relisting', cause: 'error' });
    return this.#failed(
      error,
      isPassing(error)
        ? { name: 'watching', cause: 'failed' }
        : { name: 'relisting', cause: 'error' },
    );
  }

  #afterWatchListStatus(error: Error, cause: ListCause): ReflectorState {
    if (isTooManyRequests(error)) return this.#failed(error, { name: 'relisting', cause });
    const tooLarge = isResourceVersionTooLarge(error);
    if ((tooLarge || isGone(error)) && !this.needsNewest) {
      this.needsNewest = true;
      return { name: 'relisting', cause: tooLarge ? 'too-large' : 'expired' };
    }
    if (isRefusal(error)) return this.#withoutWatchList(cause);
    return { name: 'listing', cause };
  }

  #withoutWatchList(cause: ListCause): ReflectorState {
    this.#support.refused();
    this.#earlyEnds = 0;
    return { name: 'listing', cause };
  }

  /** Almost at once, unless the connection before it did not live either. */
  #relist(end: StreamEnd, cause: ListCause): ReflectorState {
    const next = { name: 'relisting', cause } as const;
    if (!this.#short.isFresh) return this.#again(end, next);
    // Counts as short-lived, so that the next one is not free.
    this.#short.next();
    return this.#soon(end, next);
  }

  /** A watch whose time is up reconnects at once: watches have been given different times. */
  #soon({ ranItsTime }: StreamEnd, next: ReflectorState): ReflectorState {
    const delay = ranItsTime ? 0 : this.#spread.delay();
    return delay === 0 ? next : { name: 'waiting', delay, next };
  }

  /** A connection came about and has ended. */
  #again(end: StreamEnd, next: ReflectorState): ReflectorState {
    if (end.lived >= goodLife) return this.#soon(end, next);
    this.#health.bad('backing-off', 'the connection did not last', end.error);
    return { name: 'waiting', delay: this.#short.next(), next };
  }

  #failed(error: Error, next: ReflectorState): ReflectorState {
    const asked = retryAfterOf(error);
    this.#health.bad(
      'backing-off',
      asked > 0 ? 'the server asked to wait' : 'the attempt failed',
      error,
    );
    return { name: 'waiting', delay: Math.max(this.#failures.next(), asked), next };
  }

  #forbidden(verb: 'list' | 'watch', error: Error, next: ReflectorState): ReflectorState {
    this.#health.bad(
      'forbidden',
      `the server does not allow to ${verb} ${this.#subject}`,
      error,
      verb,
    );
    return { name: 'waiting', delay: this.#slow.next(), next };
  }
}

function restartCause({ how }: StreamEnd): RestartCause {
  if (how === 'idle') return 'idle';
  return how === 'ended' ? 'end' : 'broken';
}

/** The server is unwell or the credentials are: the version last seen is as good as before. */
function isPassing(error: Error): boolean {
  const code = statusOf(error)?.code ?? 0;
  return code >= 500 || code === 408 || isUnauthorized(error);
}

/** The answers of servers that do not know WatchList, or have it switched off. */
function isRefusal(error: Error): boolean {
  return [400, 405, 406, 415, 422].includes(statusOf(error)?.code ?? 0);
}

/** Nothing for what is no time, and not for ever: an outage may be over long before it was expected to. */
function retryAfterOf(error: Error): number {
  const seconds: unknown = statusOf(error)?.details?.retryAfterSeconds;
  return typeof seconds === 'number' ? Math.min(seconds * 1000, mostPatience) : 0;
}
