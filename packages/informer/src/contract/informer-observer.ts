import type { NormalQuery } from './watch-query.ts';
import type { WatchHealth } from './watch-health.ts';

/** Why a reflector listed. */
export type ListCause = 'initial' | 'expired' | 'too-large' | 'eof-storm' | 'error' | 'restart';

/** Why a watch stream was opened anew. */
export type RestartCause = 'end' | 'broken' | 'idle' | 'throttled' | 'failed';

/** Why an object on the wire did not reach the store. */
export type SkipCause = 'other-kind' | 'no-metadata' | 'malformed' | 'transform';

/** Which watch an observation is about. One object per watch for its whole life. */
export interface WatchIdentity {
  /** The normal form in one text, unique in the cache. */
  readonly id: string;
  readonly query: NormalQuery;
}

/**
 * Notified of what happens inside a cache, synchronously. Every method is optional. What one of them throws
 * affects nothing; the first error of each is a warning of the process.
 */
export interface InformerObserver {
  /** A watch was begun for its first holder. */
  watchStarted?(watch: WatchIdentity): void;
  /** A watch has ended; its series can go. */
  watchStopped?(watch: WatchIdentity): void;
  healthChanged?(watch: WatchIdentity, health: WatchHealth): void;
  /** A LIST or WatchList is about to be sent (once per cycle, not per page). */
  listing?(watch: WatchIdentity, cause: ListCause): void;
  restarting?(watch: WatchIdentity, cause: RestartCause): void;
  /** The store has changed by one object. */
  event?(watch: WatchIdentity, type: 'added' | 'updated' | 'deleted'): void;
  skipped?(watch: WatchIdentity, cause: SkipCause, error: unknown): void;
  watchError?(watch: WatchIdentity, error: Error): void;
  /** An event handler or health listener of `owner` threw, or its promise rejected. */
  handlerError?(watch: WatchIdentity, owner: string, error: unknown): void;
  /** An indexer threw, or returned something other than an array of strings. */
  indexerError?(watch: WatchIdentity, indexer: string, error: unknown): void;
  /** The reflector's loop threw what it should not have, and was restarted. */
  loopRestarted?(watch: WatchIdentity, error: unknown): void;
  lingerReused?(watch: WatchIdentity): void;
  /** A handle was garbage-collected without having been released. */
  handleLeaked?(watch: WatchIdentity, owner: string): void;
}
