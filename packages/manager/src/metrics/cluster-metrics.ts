import type { ClientObserver } from '@keelson/client';
import type { WatchMetrics } from './watch-metrics.ts';

/** The metric series of a further cluster. Each has the label `cluster`. */
export interface ClusterMetrics {
  readonly client: ClientObserver;
  readonly watches: WatchMetrics;
  /** Removes the series. */
  readonly close: () => void;
}
