import { checkOptions, parseDuration, type Duration } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { CacheScope } from '@keelson/informer';
import type { Cause } from './cause.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Logger } from './logger.ts';
import { ManagerError } from './manager-error.ts';
import { checkPriority } from './source-options.ts';

/**
 * What a reconcile asks for when it returns. Nothing: done, the failures are forgotten.
 */
export interface Outcome {
  /** Run again after exactly this time (an event may bring it forward); the failures are forgotten. */
  readonly requeueAfter?: Duration;
  /** Run again after the backoff of the request, as if the run had failed. */
  readonly retry?: boolean;
  /** The priority of that next run, instead of the one this run had. */
  readonly priority?: number;
}

/** What a run has at hand beside its request. */
export interface ReconcileContext {
  /**
   * Reads what the controller itself watches: `for`, `owns`, `watches`, `reads` and the watches that were
   * added at run time. Throws `NOT_WATCHED` for anything else, naming the watch to declare.
   */
  readonly cache: CacheScope;
  /** Writes as the controller: its field manager is the controller's name. */
  readonly client: Client;
  /** Carries the controller, the request and the `reconcileId` of the run. */
  readonly log: Logger;
  /** Aborts at the controller's `timeout` and when the time to stop is over. */
  readonly signal: AbortSignal;
  /** Writes `Event` objects about what the run does. */
  readonly events: EventRecorder;
  /** Unique to the run. */
  readonly reconcileId: string;
  /** 1 for the first try, more after failures. */
  readonly attempt: number;
  /** Why the request was queued: a few distinct reasons. */
  readonly causes: readonly Cause[];
  /** The priority the request had in the queue. */
  readonly priority: number;
}

/**
 * Brings the world in line with what the object asks for. Called for a request at most once at a
 * time; a throw is retried with backoff, except a `TerminalError`.
 */
export type Reconcile<Q extends object> = (
  request: Q,
  context: ReconcileContext,
) => Promise<Outcome | void> | Outcome | void;

/** An outcome, checked. */
export interface Decision {
  readonly kind: 'success' | 'requeue' | 'requeue_after';
  /** Milliseconds; with `requeue_after`. */
  readonly after: number;
  readonly priority: number | undefined;
}

const success: Decision = { kind: 'success', after: 0, priority: undefined };
const names = ['requeueAfter', 'retry', 'priority'];

/** What is to be done after a run. Throws what is wrong with the outcome: that fails the run. */
export function decide(outcome: Outcome | void): Decision {
  if (outcome === undefined) return success;
  if (typeof outcome !== 'object' || outcome === null) {
    throw new ManagerError('INVALID_OUTCOME', { type: typeof outcome });
  }
  checkOptions(outcome, names, 'outcome');
  const { requeueAfter, retry = false, priority } = outcome;
  checkPriority(priority, 'outcome.priority');
  if (requeueAfter !== undefined) {
    const after = parseDuration(requeueAfter, 'outcome.requeueAfter');
    return { kind: 'requeue_after', after, priority };
  }
  return { kind: retry ? 'requeue' : 'success', after: 0, priority };
}
