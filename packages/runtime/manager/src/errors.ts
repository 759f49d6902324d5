import { CodedError, type ErrorFacts } from '@keelson/apimachinery';

/** Every error code of this package, with its constant message; `docs/errors.md` gives cause and cure. */
export const managerErrors = {
  ALREADY_STARTED: 'the manager was started before',
  ATTEMPTS_EXHAUSTED: 'the request was retried as often as its controller allows',
  CACHE_SYNC_TIMEOUT: 'a required watch did not sync in time',
  CLUSTER_SELECTION: 'the function `clusters` of a source threw or returned no boolean',
  CONTROLLER_STOPPED: 'the controller is stopped',
  CLUSTER_REMOVED: 'the request ended because its cluster was removed',
  DUPLICATE_CLUSTER: 'a cluster of this name exists in the manager',
  DUPLICATE_CONTROLLER: 'a controller of this name exists in the manager',
  DUPLICATE_WATCH: 'the set contains the same watch twice',
  FINALIZER_CONFLICT: 'the finalizers of the object kept changing',
  FINALIZER_NOT_STORED: 'the API server dropped a change of the finalizers',
  INVALID_CERTIFICATE: 'the certificate files of a server are missing or invalid',
  INVALID_RESULT: 'the result of reconcile is invalid',
  LEADERSHIP_LOST: 'the process does not hold the Lease of its leader election',
  LISTEN_FAILED: 'a server cannot listen on its address',
  MANAGER_STOPPED: 'the manager is stopping or stopped',
  NO_CLUSTER: 'the request carries no cluster',
  NOT_READY: 'a required watch has not synced',
  NOT_RECONCILED: 'initial requests have not run',
  NOT_PULLED: 'the controller has a reconcile, so its requests cannot be pulled',
  OTHER_CLUSTER: 'the object belongs to another cluster than the helper',
  PORT_IN_USE: 'the port of a server is in use',
  PREDICATE_RESULT: 'a predicate returned a promise',
  RECONCILE_TIMEOUT: 'the reconcile ran into its timeout',
  REPLACE_WATCHES_FAILED: 'some watches of the set were not replaced',
  SEVERAL_ERRORS: 'several errors ended the manager',
  SHARDS_LOST: 'the process does not hold the Lease of its shards',
  SHARDS_UNOWNED: 'no replica runs some slots of the sharding',
  SOURCE_ENDED: 'a source failed and cannot be read again',
  SOURCE_FAILED: 'a source failed at the start of its controller',
  STOP_DEADLINE_EXCEEDED: 'components still run at the end of the grace period',
  STOPPING: 'a stop was requested',
  TERMINAL: 'the error is terminal and the reconcile is not retried',
  TOO_MANY_DAEMONS: 'the request or the controller has too many daemons',
  TOO_MANY_TRACKED: 'a run tracks too many objects',
  TRACK_OUT_OF_SCOPE: 'the controller does not watch the namespace of the tracked object',
  UNKNOWN_CLUSTER: 'no cluster of this name was added to the manager',
  UNKNOWN_CONTROLLER: 'the manager has no controller of this name',
  WATCH_REMOVED: 'the watch was removed',
  WATCH_REMOVED_TIMEOUT: 'onWatchRemoved of a watch did not end in time',
  WORK_ENDED: 'the pulled request was settled before',
} as const;

/** The `code` of an error of this package; user code may compare it. */
export type ManagerErrorCode = keyof typeof managerErrors;

/** An error of this package: `code` is a key of `managerErrors`, and `facts` describe the case. */
export class ManagerError extends CodedError<ManagerErrorCode> {
  override readonly name: string = 'ManagerError';

  constructor(code: ManagerErrorCode, facts: ErrorFacts = {}, options: { cause?: unknown } = {}) {
    super(code, managerErrors[code], facts, options);
  }
}
