import type { WorkQueueObserver } from '@keelson/workqueue';
import type { FightObserver } from '../fights/fight-watch.ts';
import type { CallRole } from '../event-loop/user-calls.ts';

/** The result of a run, a label of the metric. */
export type ReconcileResult = 'success' | 'error' | 'requeue' | 'requeue_after';

/** The current numbers of a controller, read at each scrape. */
export interface ControllerReading {
  readonly concurrency: number;
  readonly running: number;
  /** The number of ready requests by priority. */
  depths(): ReadonlyMap<number, number>;
  /** The number of requests that wait for a worker, by the name of their async-iterable source. */
  pending(): ReadonlyMap<string, number>;
  /** Milliseconds that workers have held the current requests, summed over the requests. */
  unfinishedMs(): number;
  longestRunningMs(): number;
  /** The bytes of the history for `explain`; `undefined` if the controller keeps none. */
  historyBytes(): number | undefined;
  /** The number of initial requests that have not run; `undefined` unless `readiness` is `'reconciled'`. */
  initialRequests(): number | undefined;
  /** The number of objects that requests track. */
  tracked(): number;
  /** The number of daemons. */
  daemons(): number;
}

/** Receives the measurements of a controller. Called synchronously; must not throw. */
export interface ControllerObserver extends FightObserver {
  readonly queue: WorkQueueObserver;
  /** Called once, when the controller can be read. */
  attach(reading: ControllerReading): void;
  /** A run began. `waitedMs` counts from the arrival of its first event at the socket; `undefined` without event. */
  reconcileStarted(waitedMs: number | undefined): void;
  reconcileEnded(result: ReconcileResult, durationMs: number): void;
  /** The error of the run was terminal. */
  terminalError(): void;
  /** A request was given up. */
  deadLetter(): void;
  /** `groupOf`, `weightOf`, the rate limiter, `errorPolicy` or `onDeadLetter` failed. */
  queueFunctionFailed(): void;
  /** The run threw an error for which `isPanic` is true. */
  panic(): void;
  /** The result of the run was invalid, and the run counts as a success. */
  invalidResult(): void;
  /** The run exceeded the controller's `timeout`. */
  timedOut(): void;
  /** A predicate, a mapper, an async-iterable source, a daemon, `onWatchRemoved` or a function `clusters` threw. */
  sourceError(): void;
  /** The predicates and the mapper of an event took this time. */
  eventHandled(durationMs: number): void;
  /** User code of this role blocked the event loop. */
  blocked(role: CallRole, ms: number): void;
  /** The controller has ended, and its series can be removed. */
  removed(): void;
}
