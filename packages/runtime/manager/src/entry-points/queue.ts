/**
 * The queue of a controller and its runs: concurrency and backoff, rate limiters, groups, errors, explanations, and
 * work that the user pulls.
 *
 * @module
 */

export type { PulledController } from '../controller/controller.ts';
export type { PulledControllerOptions } from '../manager/accepted-options.ts';
export type { PulledWork, WorkOptions } from '../run/pulled-work.ts';
export type { QueueDefaults, QueueOptions } from '../run/queue-options.ts';
export {
  CappedLimiter,
  CombinedLimiter,
  ExponentialBackoff,
  FastSlowLimiter,
  TokenBucket,
  type Group,
  type RateLimiter,
} from '@keelson/workqueue';
export type { ControllerDefaults, ControllerPhase } from '../controller/controller-options.ts';
export type {
  ControllerExplanationFacts,
  ExplainedDrop,
  ExplainedEvent,
  ExplainedRun,
  ExplainedWatch,
  ExplanationFacts,
  ObjectWriter,
  Obstacle,
  ObstacleCode,
  RequestState,
} from '../explain/explanation-facts.ts';
export type { DropReason } from '../history/dropped-events.ts';
export type { EventDecision } from '../history/event-decision.ts';
export type { PurgeReason } from '../history/purge.ts';
export type { RecordedCall, RecordedError, RunDecision } from '../history/recorded-run.ts';
export type { ErrorDecision, ErrorPolicy } from '../reconcile/error-policy.ts';
