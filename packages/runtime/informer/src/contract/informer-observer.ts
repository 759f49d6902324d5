import { guardedMethod, type Method } from './user-code.ts';
import type { WatchHealth } from './watch-health.ts';
import type { NormalQuery } from './watch-query.ts';

/**
 * Why a reflector lists. `no-progress`: watches receive no response or no events, although the server has a newer
 * version.
 */
export type ListCause =
  | 'initial'
  | 'expired'
  | 'too-large'
  | 'instant-ends'
  | 'no-progress'
  | 'error'
  | 'restart'
  | 'requested';

/** Why a reflector reconnects a watch. */
export type RestartCause = 'end' | 'broken' | 'idle' | 'throttled' | 'failed';

/** Why the store does not take an object that the server sent. */
export type SkipCause = 'other-kind' | 'no-metadata' | 'malformed' | 'transform';

/**
 * Why reads of a watch no longer use the response of an own write.
 * - `reached`: the watch has that state or a later one, or the server was restored from a backup or replaced.
 * - `replaced`: a later write of the same object.
 * - `expired`: the watch did not reach it within 5 minutes.
 * - `evicted`: too many own writes were recorded.
 * - `closed`: the watch ended.
 */
export type OwnWriteEnd = 'reached' | 'replaced' | 'expired' | 'evicted' | 'closed';

/** Names the watch of an observation. A watch has the same object from start to stop. */
export interface WatchIdentity {
  /** The normal form of the query as one text, unique in the cache. */
  readonly id: string;
  readonly query: NormalQuery;
}

/**
 * The effect of a memory budget when its objects use more memory than it allows.
 * - `compress`: the largest watch keeps its objects compressed, then the next one.
 * - `metadata`: the largest watch keeps only the metadata of its objects, then the next one. Reads of their bodies
 *   throw `BODY_NOT_KEPT`. A watch with a transform or an indexer over the body is not limited.
 * - `refuse`: the watch that needs more memory does not accept more objects. Its health is `over-budget`, and reads of
 *   the cache throw `NOT_SYNCED`.
 */
export type BudgetPolicy = 'compress' | 'metadata' | 'refuse';

/** A budget and its use. */
export interface BudgetUse {
  /** The kind, such as `v1/pods`, or `all`. */
  readonly budget: string;
  readonly policy: BudgetPolicy;
  /** The limit in bytes. */
  readonly bytes: number;
  /** The memory that the objects use, in bytes. */
  readonly used: number;
}

/**
 * A change that a budget caused.
 * - `limited`: the policy now applies to a watch.
 * - `lifted`: the policy no longer applies to a watch, because the use has fallen below 80 % of the limit.
 * - `exceeded`: the use is above the limit, and the policy can be applied to no other watch.
 * - `within`: after `exceeded`, the use has fallen below 80 % of the limit.
 */
export interface BudgetChange extends BudgetUse {
  readonly change: 'limited' | 'lifted' | 'exceeded' | 'within';
  /** The watch on which the policy began or ended. */
  readonly watch: WatchIdentity | undefined;
}

/**
 * Receives the measurements of a cache, synchronously. Every method is optional. An error of a
 * method affects nothing else; the first error of each method becomes a process warning
 * (`OBSERVER_FAILED`).
 */
export interface InformerObserver {
  /** A watch started for its first handle. */
  watchStarted?(watch: WatchIdentity): void;
  /** A watch ended; its metric series can be removed. */
  watchStopped?(watch: WatchIdentity): void;
  /** The health of a watch changed. */
  healthChanged?(watch: WatchIdentity, health: WatchHealth): void;
  /** The reflector is about to send a LIST or WatchList: once per list, not per page. */
  listing?(watch: WatchIdentity, cause: ListCause): void;
  /** The reflector is about to reconnect a watch. */
  restarting?(watch: WatchIdentity, cause: RestartCause): void;
  /** One object of the store changed. */
  event?(watch: WatchIdentity, type: 'added' | 'updated' | 'deleted'): void;
  /** The store did not accept an object, so that it is missing in the cache. */
  skipped?(watch: WatchIdentity, cause: SkipCause, error: unknown): void;
  /** A request of the watch failed. */
  watchError?(watch: WatchIdentity, error: Error): void;
  /** An event handler or health listener of `owner` threw, or its promise rejected. */
  handlerError?(watch: WatchIdentity, owner: string, error: unknown): void;
  /** An indexer threw, or returned something other than an array of strings. */
  indexerError?(watch: WatchIdentity, indexer: string, error: unknown): void;
  /** The loop of the reflector threw an unexpected error and was restarted. */
  loopRestarted?(watch: WatchIdentity, error: unknown): void;
  /** A new handle used a watch whose last handle was released. */
  lingerReused?(watch: WatchIdentity): void;
  /** A memory budget began or ceased to limit a watch, or a watch exceeded its budget, or fits into it again. */
  memoryBudgetChanged?(change: BudgetChange): void;
  /** Reads of a watch no longer use the response of an own write, which arrived `age` milliseconds before. */
  ownWriteEnded?(watch: WatchIdentity, cause: OwnWriteEnd, age: number): void;
  /** A handle was garbage-collected before it was released. */
  handleLeaked?(watch: WatchIdentity, owner: string): void;
}

const METHODS = {
  watchStarted: null,
  watchStopped: null,
  healthChanged: null,
  listing: null,
  restarting: null,
  event: null,
  skipped: null,
  watchError: null,
  handlerError: null,
  indexerError: null,
  loopRestarted: null,
  lingerReused: null,
  memoryBudgetChanged: null,
  ownWriteEnded: null,
  handleLeaked: null,
} satisfies Readonly<Record<keyof InformerObserver, null>>;

/** The names of all observer methods. */
export const observerMethods: readonly string[] = Object.keys(METHODS);

/**
 * Wraps an observer so that its errors affect nothing else. The first error of each method becomes
 * a process warning (`OBSERVER_FAILED`): the observer itself is the only place for reports.
 */
export function guardedObserver(observer: InformerObserver): InformerObserver {
  const methods = observerMethods.map((name) => {
    const code = observer[name as keyof InformerObserver];
    const isGiven = typeof code === 'function';
    return [name, isGiven ? guardedMethod(observer, name, code as Method) : undefined];
  });
  return Object.fromEntries(methods) as InformerObserver;
}
