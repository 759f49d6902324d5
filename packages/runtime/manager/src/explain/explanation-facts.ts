import type { CauseReason } from '../reconcile/cause.ts';
import type { DelayReason } from '../history/history.ts';
import type { DropReason } from '../history/dropped-events.ts';
import type { EventDecision } from '../history/event-decision.ts';
import type { PurgeReason } from '../history/purge.ts';
import type { RecordedCall, RecordedError, RunDecision } from '../history/recorded-run.ts';

/**
 * Why a request does not run now, or why a controller runs none.
 *
 * - `not-started`: the manager has not started the controller.
 * - `stopped`: the controller stops or has stopped.
 * - `standby`: another process holds the Lease, and the controller runs in the phase `leader`.
 * - `phase-not-begun`: the manager has not reached the phase of the controller.
 * - `watch-not-live`: a watch has not synced, or receives no events.
 * - `other-shard`: another replica runs the request.
 * - `hand-over`: this replica runs the request as soon as the replica that had it has handed it over.
 * - `paused`: `controller.pause` was called, for the controller or for the request.
 * - `busy`: the request is ready, and all workers run other requests.
 * - `earlier-run`: the request is due, and a run of an earlier controller of the name has not ended.
 * - `cluster-busy`: the request is due, and its cluster already has its share of the workers.
 * - `delayed`: the request waits for a time, because of `requeueAfter`, a debounce, `eventRate` or `enqueue`.
 * - `backing-off`: the last run failed, and the retry is not due.
 * - `dead-letter`: the request was given up until its next event.
 * - `watch-removed`: the request was dropped because the watches that caused it were removed.
 * - `unknown-object`: `for` has no object of this name: it does not exist, or a selector leaves it out.
 * - `outside-namespaces`: no watch of `for` includes the namespace.
 * - `dropped`: the latest event of an object led to no request. `dropped` of the explanation has the reason.
 * - `no-event`: no event is known that queued the request.
 * - `settled`: the last run ended and queued no other one, and no event came since.
 */
export type ObstacleCode =
  | 'not-started'
  | 'stopped'
  | 'standby'
  | 'phase-not-begun'
  | 'watch-not-live'
  | 'other-shard'
  | 'hand-over'
  | 'paused'
  | 'busy'
  | 'earlier-run'
  | 'cluster-busy'
  | 'delayed'
  | 'backing-off'
  | 'dead-letter'
  | 'watch-removed'
  | 'unknown-object'
  | 'outside-namespaces'
  | 'dropped'
  | 'no-event'
  | 'settled';

/** One reason for which a request does not run, as a code and as a sentence. */
export interface Obstacle {
  readonly code: ObstacleCode;
  readonly text: string;
}

/** An event, or another cause, that queued a request. Times are in ISO 8601. */
export interface ExplainedEvent {
  readonly at: string;
  /**
   * `for WebApp`, `owns Deployment`, `watch Secret`, `track Secret`, also with ` of CLUSTER`; the name of a source, or
   * `controller`.
   */
  readonly source: string;
  readonly reason: CauseReason;
  /** The key of the object; `undefined` for a request that no object caused. */
  readonly object: string | undefined;
  /** The resourceVersion before the event; only for updates. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  readonly priority: number;
  /** Milliseconds by which the request was delayed; 0 for none. */
  readonly delay: number;
  /** The option that delayed it: `after` is that of `enqueue`. `undefined` without a delay. */
  readonly delayedBy: DelayReason | undefined;
  /** The decision of the queue about the request; `undefined` if its run is forgotten. */
  readonly decision: EventDecision | undefined;
  /** The start of the run that followed, in ISO 8601: the `at` of that run. `undefined` before it, and if it is forgotten. */
  readonly run: string | undefined;
  /** Why the queue dropped the request; `undefined` unless the decision is `purged`. */
  readonly purgedFor: PurgeReason | undefined;
}

/** An event of an object that led to no request. */
export interface ExplainedDrop {
  readonly at: string;
  readonly source: string;
  readonly object: string;
  readonly type: 'added' | 'updated' | 'deleted';
  readonly resourceVersion: string;
  readonly reason: DropReason;
  /** The predicate that did not pass the event: its name, or its place in the options. */
  readonly predicate: string | undefined;
  /** The number of events of the object that led to no request. */
  readonly count: number;
}

/** One run of a request. Times in `at` are in ISO 8601, all others in milliseconds. */
export interface ExplainedRun {
  readonly at: string;
  readonly attempt: number;
  readonly priority: number;
  /** For how long the request was ready before a worker took it. */
  readonly queuedMs: number;
  readonly causes: readonly { readonly source: string; readonly reason: CauseReason }[];
  /** `undefined` while the run lasts. */
  readonly duration: number | undefined;
  /** What followed the run; `undefined` while it lasts. */
  readonly decision: RunDecision | undefined;
  /** The time that `requeueAfter` or the backoff of the run set for the next one, in ISO 8601; `undefined` without one. */
  readonly nextRun: string | undefined;
  /** True if the request ran, or is queued to run, before `nextRun`: an event replaced the wait. */
  readonly isSuperseded: boolean;
  readonly error: RecordedError | undefined;
  /** The first requests to the API server that the run sent, each attempt of them. */
  readonly calls: readonly RecordedCall[];
  /** The number of all its requests. */
  readonly callCount: number;
  /** The id of the run in log lines; `undefined` if nothing used it. */
  readonly reconcileId: string | undefined;
}

/** The last write of an object, by its managed fields. */
export interface ObjectWriter {
  /** The source that has the object. */
  readonly source: string;
  readonly object: string;
  readonly resourceVersion: string;
  /** The field managers whose writes are the latest, as the API server records them. */
  readonly managers: readonly {
    readonly manager: string;
    readonly operation: string;
    readonly subresource: string | undefined;
    /** In ISO 8601, with a precision of a second. */
    readonly at: string | undefined;
  }[];
}

/** The state of a request: a worker has it, it is ready for one, it waits for a time, or it is not queued. */
export type RequestState = 'running' | 'ready' | 'waiting' | 'idle';

/** The facts of an explanation, from which its text is written. */
export interface ExplanationFacts {
  readonly controller: string;
  /** The key of the request, such as `shop/web`. */
  readonly request: string;
  readonly state: RequestState;
  /** Why the request does not run now, the most important reason first. Empty while it runs. */
  readonly obstacles: readonly Obstacle[];
  /** The time of the next run if it is known, in ISO 8601. An event may lead to an earlier one. */
  readonly nextRun: string | undefined;
  /** The latest events that queued the request, latest first. */
  readonly events: readonly ExplainedEvent[];
  /** The latest runs, latest first. */
  readonly runs: readonly ExplainedRun[];
  /** The latest events of its objects that led to no request, latest first. */
  readonly dropped: readonly ExplainedDrop[];
  /** False if the controller keeps no history (`historyBytes: 0`). */
  readonly hasHistory: boolean;
}

/** One watch of a controller. */
export interface ExplainedWatch {
  readonly source: string;
  readonly resource: string;
  /** `undefined` for a watch of all namespaces. */
  readonly namespace: string | undefined;
  readonly required: boolean;
  /** The health of the watch, or `not started`. */
  readonly state: string;
  readonly reason: string;
  /** The error that caused the state, or the last one before it. */
  readonly error: RecordedError | undefined;
}

/** The facts of the explanation of a controller. */
export interface ControllerExplanationFacts {
  readonly controller: string;
  /** The kind of `for`, in whichever clusters; `undefined` without `for`. */
  readonly kind: string | undefined;
  readonly phase: string;
  /** `created`, `filling`, `running`, `stopping` or `stopped`. */
  readonly state: string;
  /** Why the controller runs nothing, or misses events; empty if it works. */
  readonly obstacles: readonly Obstacle[];
  readonly watches: readonly ExplainedWatch[];
  readonly ready: number;
  readonly running: number;
  readonly concurrency: number;
  /** The number of requests with a history. */
  readonly requests: number;
}
