import type { DeepReadonly, KubernetesObject } from '@keelson/apimachinery';

/** The content of an `Event` object. */
export interface EventFacts {
  /** Default `'Normal'`. */
  readonly type?: 'Normal' | 'Warning';
  /** Why, in one CamelCase word: `Created`. Cut after 128 bytes. */
  readonly reason: string;
  /** What was done or tried, in one CamelCase word: `CreateDeployment`. Cut after 128 bytes. */
  readonly action: string;
  /** For people. Cut after 1024 bytes, as the API server counts. */
  readonly note?: string;
  /** Another object that has to do with it. */
  readonly related?: DeepReadonly<KubernetesObject>;
}

/** Records what a controller does as `Event` objects (events.k8s.io/v1), which `kubectl describe` shows. */
export interface EventRecorder {
  /**
   * Returns at once and never fails: the event is written in the background, and dropped if the API
   * refuses it or too many wait. The same event about the same object within six minutes becomes a
   * series of the first.
   */
  record(object: DeepReadonly<KubernetesObject>, facts: EventFacts): void;
}
