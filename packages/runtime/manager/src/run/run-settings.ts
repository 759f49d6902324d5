import type { BackoffDelays } from '@keelson/apimachinery';
import type { QueueSettings } from './queue-options.ts';

/** The checked settings of a controller that its loop and its runs use. Times are in milliseconds. */
export interface RunSettings extends QueueSettings {
  /** The most reconciles that run at the same time. */
  readonly concurrency: number;
  /** The time after which a reconcile is aborted; 0 for no limit. */
  readonly timeout: number;
  readonly backoff: BackoffDelays;
  readonly priorities: {
    /** The priority of a run at the end of an interval. */
    readonly resync: number;
  };
}
