/**
 * Managers and controllers for Kubernetes operators. This module has what most operators use. The subpaths `/sources`,
 * `/queue`, `/cache`, `/objects`, `/clusters`, `/servers`, `/webhooks`, `/process` and `/tracing` have the rest by topic.
 *
 * - A request is reconciled by at most one worker at a time; adding it meanwhile leads to one more run.
 * - No reconcile starts before every required watch of its controller has synced and its initial
 *   objects are queued.
 * - One object is one request, regardless of the members that a request has beside namespace and name.
 * - An invalid result is logged with its cure and counted, and never causes another run.
 * - Each reconcile, mapper, predicate and source runs in an async context of its own.
 * - With debounce an object with endless events is reconciled within maxWait after the first of them.
 * - An object that changes without end leads to one run per token of eventRate, and its last change to a final run.
 * - With maxReconcileInterval an object runs again within that time after a success, until it is gone.
 * - An error policy that fails loses no request: the default applies.
 * - A throw is retried with backoff at the same priority, a TerminalError is not, and requeueAfter
 *   means exactly that delay.
 * - A worker is free only when its reconcile has ended: a timeout aborts the signal, and the worker stays busy.
 * - Watches are added and removed at run time, and neither waits for a sync.
 * - When remove resolves, no handler of the watch runs, the requests that only it caused are gone, and the
 *   reconciles it caused have ended or their timeout has passed.
 * - A removal waits neither for the run that calls it nor for a run that itself waits in a removal, a change of watches or a stop.
 * - A change of the namespaces sends no request for those that stay and repeats none of their events; one that
 *   leaves is removed as a watch is.
 * - A change of a live controller leaves no gap in events or reads, sends no request for what stays, and drops the
 *   requests that only leaving objects caused.
 * - A watch leaves a replaced set when all watches of the new set can be read, so that no reader
 *   finds neither set.
 * - Controllers with the same query share one watch, and stopping one does not affect the others.
 * - Inside a controller the cache reads what the controller itself watches, regardless of other controllers.
 * - Mappers and predicates read what their own controller watches, and an object whose mapper reads a kind before its
 *   sync is mapped again after it.
 * - With readiness reconciled a manager is ready when each initial request has run once or has left the queue; a
 *   standby is ready without it.
 * - A kind that is forbidden or not served delays only the controllers that require it, and readiness.
 * - An error of a predicate or mapper is counted, and its source continues.
 * - A function of the user that throws, rejects or returns a promise where it must not never ends the process.
 * - An event is ignored as one of an own write only if that is proven: a proof that cannot be read proves nothing.
 * - Events use up no attempts: a failure before the end of a backoff is not a new attempt.
 * - The members of a request never replace a fact of a log line.
 * - Start runs the phases in order, stop runs them in reverse, and running reconciles may finish within the grace
 *   period.
 * - A whole stop fits into the grace period, names what still runs, and reports every error.
 * - With leader election one process at a time runs the phase leader, and none of its writes is sent once the Lease
 *   may be lost.
 * - A standby keeps its caches and queues filled, and takes over without a list.
 * - With sharding each request has one replica at a time, and one that moves runs there again with its object.
 * - With authentication the metrics are sent only to users who may get /metrics, and scrapes with one token share
 *   their reviews.
 * - Profiles are sent only to readers with a token or with authentication by the API server, and on a loopback address
 *   to no web page.
 * - Webhooks are served in every replica, before the leader election, and after a stop begins until other replicas have
 *   taken over.
 * - Connections of one client that send nothing keep no other client from a server of the manager.
 * - A further cluster that fails delays only the controllers that require it, and removing it leaves everything else
 *   in place.
 * - A source with clusters follows those that come and go, and one that does not respond delays only its own requests.
 * - The helpers of a cluster write to that cluster only, and refuse the objects of other clusters.
 * - A call of user code that blocks the event loop is named in a warning and in a metric.
 * - The history that explain reads stays within historyBytes, and an object that changes without end displaces no other.
 * - A logger, health check or metric of the user that throws affects nothing else.
 * - Writing events never blocks a reconcile and never fails it.
 * - Two managers in one process share nothing that they were not given.
 * - Invalid options throw at the call, and the error names the option.
 *
 * @module
 */

// The manager
export { createManager } from './manager/controller-manager.ts';
export type { Manager } from './manager/manager.ts';
export type { ManagerOptions } from './manager/manager-options.ts';

// Controllers
export { watching, type Controller } from './controller/controller.ts';
export { type DynamicWatch } from './source-set/dynamic-watch.ts';
export type { ControllerOptions } from './controller/controller-options.ts';
export type { Outcome } from './reconcile/outcome.ts';
export type { Reconcile, ReconcileContext } from './reconcile/reconcile.ts';
export { requestFor, type Request } from './reconcile/request.ts';
export type { Cause } from './reconcile/cause.ts';
export { TerminalError } from './reconcile/terminal-error.ts';

// Which events matter
export {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  not,
  or,
  resourceVersionChanged,
} from './sources/event-rules/predicate.ts';
export { byType, labelsMatch } from './sources/event-rules/event-predicates.ts';

// What reconciles use
export { applyAll, migrateStoredVersions, patchStatus } from '@keelson/client';
export type { DaemonContext } from './daemons/daemons.ts';
export { deny } from '@keelson/webhook';
export { watchNamespaces } from './manager/watch-namespaces.ts';
export { createLogger, type Logger } from './logging/logger.ts';

// Errors
export { ManagerError, managerErrors, type ManagerErrorCode } from './errors.ts';

// From the packages below, so that one import suffices
export {
  aggregateConditions,
  builtin,
  defineResource,
  findCondition,
  hasCode,
  isConditionTrue,
  isConflict,
  isControlledBy,
  isDeleting,
  isNotFound,
  mutableCopy,
  ownerReferenceTo,
  setCondition,
  setControllerReference,
  type ApiResource,
  type ClusterScopedObject,
  type Condition,
  type DeepReadonly,
  type KubernetesObject,
  type NewCondition,
  type ObjectName,
  type ObjectOf,
  type Persisted,
} from '@keelson/apimachinery';
export { createClient, loadCluster, type Client, type Cluster } from '@keelson/client';
export { defineIndex } from '@keelson/informer';
export type { InformerCache, WatchHandle, WatchHealth } from '@keelson/informer';
