import type { WorkQueueObserver } from '@keelson/workqueue';

/** How a run ended. */
export type ReconcileResult = 'success' | 'error' | 'requeue' | 'requeue_after';

/** The gauges of a controller, read at each scrape. */
export interface ControllerReading {
  readonly concurrency: number;
  readonly running: number;
  /** Ready requests by priority. */
  depths(): ReadonlyMap<number, number>;
  /** How long the requests in work have been held, added up. */
  unfinishedMs(): number;
  longestRunningMs(): number;
}

/** Receives the measurements of a controller. Called synchronously; must not throw. */
export interface ControllerObserver {
  readonly queue: WorkQueueObserver;
  /** The controller exists and can be read. */
  attach(reading: ControllerReading): void;
  /** A run begins; `waitedMs`: since its first event arrived at the socket, where there was one. */
  reconcileStarted(waitedMs: number | undefined): void;
  reconcileEnded(result: ReconcileResult, durationMs: number): void;
  /** The error of the run was terminal. */
  terminalError(): void;
  /** The run threw what `isPanic` says. */
  panic(): void;
  /** The result of the run was invalid and counts as none. */
  invalidResult(): void;
  /** The run exceeded the controller's `timeout`. */
  timedOut(): void;
  /** A predicate, a mapper or an async-iterable source threw. */
  sourceError(): void;
  /** An event was filtered and mapped in this time. */
  eventHandled(durationMs: number): void;
  /** The controller is gone: its series go too. */
  removed(): void;
}
