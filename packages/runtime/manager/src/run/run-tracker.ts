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
   * A run ended: what it tracks later is only read. After a complete one, its request no longer tracks the objects that the run did not track. After one
   * that failed or requested a retry, the request keeps them.
   */
  ended(key: string, tracking: RunTracking | undefined, isComplete: boolean): void;
}
