import type { Logger } from '../logging/logger.ts';
import type { BlockedSpan } from './blocked-span.ts';
import type { WatchedRun } from './watched-run.ts';

/**
 * The kind of user code that blocked the event loop, a label of the metric. A block of unknown origin has the label
 * `unknown`.
 */
export type CallRole =
  | 'reconcile'
  | 'event'
  | 'source'
  | 'errorPolicy'
  | 'onDeadLetter'
  | 'runnable'
  | 'webhook';

/** A call of user code, as a report names it. */
export interface UserCall {
  readonly role: CallRole;
  /** The name of the source of an event. */
  readonly source?: string;
  /** Further facts for the log, such as the request. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** The component that calls user code: a controller or a runnable. */
export interface CallOwner {
  /** Unique in the manager. */
  readonly name: string;
  readonly log: Logger;
  /** Receives the milliseconds for which a call blocked the event loop. */
  readonly blocked: (role: CallRole, ms: number) => void;
}

/** The part of the manager's watch that the reports use. */
export interface CallHost {
  readonly warnAfter: number;
  began(run: WatchedRun): number;
  ended(slot: number): void;
  unreported(span: BlockedSpan): number | undefined;
  admit(name: string): number | undefined;
}

/** Reports the calls of one controller or runnable that block the event loop. */
export class UserCalls {
  /** The name of the controller or runnable. */
  readonly name: string;
  /** Milliseconds from which a call is reported. */
  readonly warnAfter: number;
  /** Records that a run has begun, and returns its slot. Until its end it may block the event loop. */
  readonly began: CallHost['began'];
  readonly ended: CallHost['ended'];
  readonly #host: CallHost;
  readonly #owner: CallOwner;

  constructor(host: CallHost, owner: CallOwner) {
    this.name = owner.name;
    this.warnAfter = host.warnAfter;
    this.began = host.began.bind(host);
    this.ended = host.ended.bind(host);
    this.#host = host;
    this.#owner = owner;
  }

  /** Counts a call that blocked the event loop, and logs it, at most once a minute for its role and source. */
  report({ role, source, facts }: UserCall, span: BlockedSpan): void {
    const ms = this.#host.unreported(span);
    if (ms === undefined) return;
    const { name, log, blocked } = this.#owner;
    blocked(role, ms);
    const suppressed = this.#host.admit(`${name}\n${role}\n${source ?? ''}`);
    if (suppressed === undefined) return;
    const { awaitedAt } = span;
    const known = {
      ...facts,
      role,
      ...(source !== undefined && { source }),
      blockedMs: Math.round(ms),
      ...(awaitedAt !== undefined && { awaitedAt }),
      suppressed,
    };
    log.warn(known, 'user code blocked the event loop');
  }
}
