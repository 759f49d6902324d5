import type {
  ApiResource,
  DeepReadonly,
  KubernetesObject,
  ObjectName,
  Persisted,
} from '@keelson/apimachinery';
import type {
  AppliedObject,
  ApplyAllResult,
  ApplySetOptions,
  Client,
  StatusChange,
  StatusOptions,
} from '@keelson/client';
import type { CacheScope } from '@keelson/informer';
import type { EventRecorder } from './event-recorder.ts';
import type { FinalizerWork } from './finalizer.ts';
import type { Outcome } from './outcome.ts';

/** Functions that write the finalizers, the status and the dependents of an object in one cluster, or track others. */
export interface ReconcileHelpers {
  /** `withFinalizer` with the client of the cluster and the signal of the run. */
  readonly finalizer: <T extends KubernetesObject>(
    work: FinalizerWork<T>,
  ) => Promise<Outcome | void>;
  /** `patchStatus` with the client of the cluster and the signal of the run. */
  readonly patchStatus: <T extends KubernetesObject>(
    resource: ApiResource<T>,
    object: DeepReadonly<Persisted<NoInfer<T>>>,
    status: StatusChange<NoInfer<T>>,
    options?: StatusOptions,
  ) => Promise<DeepReadonly<Persisted<T>> | undefined>;
  /**
   * Reads an object, and runs the request again when the object changes, appears or is deleted. The request tracks it
   * until a run that succeeds does not. Resolves with `undefined` if the object does not exist. Throws
   * `TRACK_OUT_OF_SCOPE` for an object outside the namespaces of the controller, and `TOO_MANY_TRACKED`.
   */
  readonly track: <T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
  ) => Promise<DeepReadonly<Persisted<T>> | undefined>;
  /**
   * `applyAll` with the client of the cluster and the signal of the run: applies the objects of an owner and, with
   * `prune`, deletes what the owner applied before and no longer names.
   */
  readonly applyAll: <T extends DeepReadonly<AppliedObject>>(
    objects: readonly T[],
    options: ApplySetOptions,
  ) => Promise<ApplyAllResult<T>>;
}

/** The cache, the client and the event recorder with which a controller uses a further cluster. */
export interface ControllerCluster {
  readonly name: string;
  /** Reads the `watches` and `reads` of the controller that name the cluster. Throws `NOT_WATCHED` for other kinds. */
  readonly cache: CacheScope;
  /**
   * Writes with the controller's name as the field manager. In the phase `leader` it refuses writes with
   * `LEADERSHIP_LOST` while the process does not hold the Lease of the main cluster.
   */
  readonly client: Client;
  /** Records `Event` objects in the cluster. */
  readonly events: EventRecorder;
}

/** A further cluster as a reconcile uses it. The helpers refuse objects of other clusters with `OTHER_CLUSTER`. */
export interface ClusterAccess extends ControllerCluster, ReconcileHelpers {}

/** The further clusters of the manager, as one controller uses them. */
export interface ClusterLookup {
  /**
   * Throws `UNKNOWN_CLUSTER` for a cluster that was not added to the manager, or was removed. A reconcile that a
   * removed cluster caused may use it until the removal no longer waits for the reconcile.
   */
  get(name: string): ClusterAccess;
}
