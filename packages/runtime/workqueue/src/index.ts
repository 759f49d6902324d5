/**
 * A deduplicating queue with priorities, ageing, fairness between groups, delays and backoff per item. It does not
 * depend on Kubernetes.
 *
 * - A key has at most one entry and at most one worker.
 * - An item that is added while it is held is handed out once more after it is done.
 * - A duplicate keeps the earlier time and the higher priority.
 * - Items of a higher priority are handed out first; within one priority, the item that became ready first.
 * - An item that waits long enough is handed out under any load of higher priorities.
 * - Within a priority, groups of items are handed out in turns, by weight.
 * - A function of the user that throws, rejects or calls the queue never stops the queue or loses an item.
 * - Every key that leaves the queue is reported, whatever the reason.
 * - An item that a take suspends stays queued as it is, in every account, until it is resumed.
 * - A locked key never blocks the keys after it.
 * - No item is handed out before its delay has ended, even with a very long delay.
 * - A debounced item is handed out when no debounced add came for a time, and within a limit after the first.
 * - A failure before the end of a backoff is not a new attempt, and adds until then cause at most one early run.
 * - A rate-limited add that collapses does not count as a failure, unless it reports the failure of the held run.
 * - An entry whose sources are all withdrawn is purged, for any number of sources.
 * - Reassigned sources change neither the time, the priority nor the failures of an item.
 * - A new rate limiter decides about the next failures, and items that wait keep their time.
 * - After shut-down every waiting get ends, every later add is rejected and no timer is left.
 * - A worker may report a failure after shut-down: the retry is dropped and counted.
 * - The queue keeps no reference to an item that is done, and returns its memory after a peak of queued items.
 *
 * @module
 */

// The queue
export { WorkQueue } from './queue/work-queue.ts';
export type {
  AddOptions,
  CauseRules,
  KeyOf,
  LimitOptions,
  QueueClock,
  ShutDownOptions,
  WorkQueueOptions,
} from './contract/work-queue-options.ts';
export type { HeirsOf } from './queue/source-changes.ts';
export type { Debounce } from './contract/debounce.ts';
export type { Group, GroupRules } from './contract/grouping.ts';
export type { ItemState, QueuedState } from './contract/item-state.ts';
export type { WorkItem } from './contract/work-item.ts';
export type { WorkQueueObserver } from './contract/work-queue-observer.ts';

// Rate limiters
export {
  CappedLimiter,
  CombinedLimiter,
  ExponentialBackoff,
  FastSlowLimiter,
  TokenBucket,
  type ExponentialBackoffOptions,
  type FastSlowLimiterOptions,
  type RateLimiter,
  type TokenBucketOptions,
} from './contract/rate-limiters.ts';

// Errors
export { WorkQueueError, workqueueErrors, type WorkQueueErrorCode } from './errors.ts';
