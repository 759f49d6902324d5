import type { Clock } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { CacheScope } from '@keelson/informer';
import type { Cause } from './cause.ts';
import type { ClusterAccess, ClusterLookup, ReconcileHelpers } from './cluster-access.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { Daemons } from '../daemons/daemons.ts';
import type { Outcome } from './outcome.ts';
import type { Logger } from '../logging/logger.ts';
import type { Sleep } from '../user-code/sleeper.ts';

/**
 * The dependencies and facts that a run receives with its request. `finalizer`, `patchStatus`, `applyAll` and `events`
 * are for objects of the main cluster; they refuse one of a further cluster with `OTHER_CLUSTER`.
 */
export interface ReconcileContext extends ReconcileHelpers {
  /**
   * Reads the watches of the controller: `for`, `owns`, `watches`, `reads` and those added at run time. Throws
   * `NOT_WATCHED` for other kinds, with the watch to declare.
   */
  readonly cache: CacheScope;
  /**
   * Writes with the controller's name as the field manager. In the phase `leader` it refuses writes with
   * `LEADERSHIP_LOST` while the process does not hold the Lease.
   */
  readonly client: Client;
  /** The cache, the client and the helpers of each further cluster: `clusters.get('workload').cache`. */
  readonly clusters: ClusterLookup;
  /**
   * The cluster of the request, for a controller whose requests carry one. Throws `NO_CLUSTER` for other requests, and
   * `UNKNOWN_CLUSTER` as `clusters.get` does.
   */
  readonly cluster: ClusterAccess;
  /** Adds the controller, the request and the `reconcileId` of the run to each line. */
  readonly log: Logger;
  /**
   * Aborts at the controller's `timeout`, and during a stop: of the manager after 72 % of its `gracePeriod` (45 % of what is
   * left of it in the phase `always`), of the controller alone after 90 %.
   */
  readonly signal: AbortSignal;
  /**
   * The time at which `signal` aborts because of the controller's `timeout`, by `clock.now()`, in milliseconds since 1970.
   * `undefined` without a timeout. A stop may abort `signal` earlier.
   */
  readonly deadline: number | undefined;
  /** The clock of the manager: that of the system, or the one of a test environment with virtual time. */
  readonly clock: Clock;
  /**
   * Waits by `clock`, and keeps the worker meanwhile; `requeueAfter` frees it. Rejects with the reason of `signal` when
   * it aborts. Throws `INVALID_OPTION` for an invalid duration.
   */
  readonly sleep: Sleep;
  /** Work of the request that continues between its runs, such as a connection to what the object describes. */
  readonly daemons: Daemons;
  /** Records `Event` objects about the actions of the run. */
  readonly events: EventRecorder;
  /** The UUID of the run. */
  readonly reconcileId: string;
  /** The number of the attempt: 1 plus the failures since the last success. */
  readonly attempt: number;
  /** The distinct causes for which the request was queued. */
  readonly causes: readonly Cause[];
  /** The priority the request had in the queue. */
  readonly priority: number;
}

/**
 * Brings the actual state in line with the desired state of an object. A request runs at most once at a time. An error
 * is retried with backoff, unless it is a `TerminalError`. The compiler infers `R` from the result, which
 * `addController` checks.
 */
export type Reconcile<Q extends object, R = never> = (
  request: Q,
  context: ReconcileContext,
) => Promise<Outcome | void> | Outcome | void | R;
