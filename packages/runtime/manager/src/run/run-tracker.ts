import type {
  ApiResource,
  DeepReadonly,
  KubernetesObject,
  ObjectName,
  Persisted,
} from '@keelson/apimachinery';
import type { Client } from '@keelson/client';

/** The client of the cluster of a tracked object, and the signal of the run. */
export interface TrackAccess {
  /** `undefined` for the main cluster. */
  readonly cluster: string | undefined;
  readonly client: Pick<Client, 'get'>;
  readonly signal: AbortSignal;
}

/** The objects that one run has tracked. */
export interface RunTracking {
  /** Watches an object for the request of the run, then reads it. Returns `undefined` if it does not exist. */
  track<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    access: TrackAccess,
  ): Promise<DeepReadonly<Persisted<T>> | undefined>;
}

/** Keeps the objects that the runs of a controller track. */
export interface RunTracker<Q extends object> {
  /** The number of tracked objects. */
  readonly size: number;
  /** True once a run has tracked an object. Until then, `ended` has no effect. */
  readonly isUsed: boolean;
  /** Called at the first object that a run tracks. */
  begin(key: string, request: Q): RunTracking;
  /**
   * A run has ended. After a complete run, its request tracks only the objects of that run. After a run that failed or
   * requested a retry, the request also keeps the earlier ones. Later calls of `track` by the code of the run only read.
   */
  ended(key: string, tracking: RunTracking | undefined, isComplete: boolean): void;
}
