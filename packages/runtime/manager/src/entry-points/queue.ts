/**
 * The queue of a controller and its runs: concurrency and backoff, rate limiters, groups, errors, daemons, explanations,
 * and work that the user pulls.
 *
 * - `TokenBucket`, `ExponentialBackoff` and the other rate limiters are values of the options `tokenBucket` and
 *   `rateLimiter` of a controller.
 * - `Daemons` is the member `daemons` of the context of a reconcile, for functions that receive it as an argument.
 * - `Explanation` and `ControllerExplanation` are the results of `explain`. `ExplanationFacts`, `Obstacle` and others are
 *   their parts.
 * - `PulledController` is a controller without a reconcile, whose requests the user reads with `work()`.
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
export type { ControllerExplanation, Explanation } from '../explain/explanation.ts';
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
export type { DaemonOptions, Daemons, DaemonTask } from '../daemons/daemons.ts';
