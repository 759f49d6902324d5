/**
 * Why the queue dropped a request without a run.
 *
 * - `watch-removed`: the watches that caused it were removed.
 * - `other-shard`: another replica takes its slot over.
 * - `object-gone`: its object was deleted before the controller started its workers.
 * - `stopped`: the controller stopped.
 */
export type PurgeReason = 'watch-removed' | 'other-shard' | 'object-gone' | 'stopped';

/** A time at which the queue dropped a request, and the numbers of its events that had queued it. */
export interface Purge {
  /** A reading of the controller's clock. */
  readonly at: number;
  readonly reason: PurgeReason;
  readonly firstEvent: number;
  readonly endEvent: number;
}
