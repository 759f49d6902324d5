import type { ApiResource, DeepReadonly, KubernetesObject, Persisted } from '@keelson/apimachinery';
import type { FinalizerWork } from './finalizer.ts';
import type { Outcome } from './outcome.ts';
import type { StatusChange, StatusOptions } from './patch-status.ts';

/** The functions that write to the object of a reconcile. */
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
}
