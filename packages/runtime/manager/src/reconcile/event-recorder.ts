import type { DeepReadonly, KubernetesObject } from '@keelson/apimachinery';

/** The content of an `Event` object, beside the object it is about. */
export interface EventFacts {
  /** Default `'Normal'`. */
  readonly type?: 'Normal' | 'Warning';
  /** The reason in one CamelCase word: `Created`. Cut after 128 bytes of UTF-8. */
  readonly reason: string;
  /** The action in one CamelCase word: `CreateDeployment`. Cut after 128 bytes of UTF-8. */
  readonly action: string;
  /** A text for people. Cut after 1024 bytes of UTF-8. */
  readonly note?: string;
  /** A second object that the event concerns. */
  readonly related?: DeepReadonly<KubernetesObject>;
}

/** Records actions of a controller as `Event` objects (events.k8s.io/v1), which `kubectl describe` shows. */
export interface EventRecorder {
  /**
   * Queues an event and returns at once; it never throws. A background writer drops the event if the API server
   * rejects it or more than 1000 events wait. An event about an object of another cluster is logged as an error and
   * dropped (`OTHER_CLUSTER`). A repetition within six minutes extends the series of the first event.
   */
  record(object: DeepReadonly<KubernetesObject>, facts: EventFacts): void;
}
