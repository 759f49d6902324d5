/** The state of a replica at one time. */
export interface Sample {
  readonly isLeader: boolean;
  /** Live bytes of the V8 heap after a garbage collection. */
  readonly heap: number;
  /** Resident memory in bytes. */
  readonly rss: number;
  readonly sockets: number;
  readonly timers: number;
  /** Time series of the metrics registry. */
  readonly series: number;
  /** Handles on watches. */
  readonly handles: number;
  /** Requests that wait in queues. */
  readonly queued: number;
  /** Delay of the event loop since the last sample, 99th percentile, in milliseconds. */
  readonly lag: number;
}

/** A figure of a sample that the report shows over time. */
export type Figure = Exclude<keyof Sample, 'isLeader'>;

/** The titles of the figures, with their units. */
export const figures: Readonly<Record<Figure, string>> = {
  heap: 'live heap, MB',
  rss: 'resident memory, MB',
  sockets: 'sockets',
  timers: 'timers',
  series: 'metric series',
  handles: 'handles on watches',
  queued: 'requests in queues',
  lag: 'event loop delay p99, ms',
};

/** The value of a figure in the unit of the report. */
export function valueOf(sample: Sample, figure: Figure): number {
  const value = sample[figure];
  return figure === 'heap' || figure === 'rss' ? value / 1e6 : value;
}
