import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { loadOnce } from '@keelson/apimachinery';
import type { Histogram, Metric, Registry } from 'prom-client';
import { loadDefaultCollectors } from './default-collectors.ts';
import { EventLoopDelayMonitor, type DelayHistogram } from './event-loop-delay.ts';
import { loadMetricClasses, type MetricClasses } from './metric-classes.ts';
import { MetricRegistry } from './metric-registry.ts';
import { addProcessorTime } from './processor-time.ts';

/** A metric of prom-client for the process, which several registries may have. */
class ProcessMetric {
  /** The registry renames counters of the OpenMetrics format. */
  name: string;
  readonly id: string;
  readonly help: string;
  readonly type: unknown;
  readonly aggregator: unknown;
  readonly #metric: Metric;

  constructor(id: string, metric: Metric) {
    const { help, type, aggregator } = metric as object as Readonly<Record<string, unknown>>;
    this.name = id;
    this.id = id;
    this.help = String(help);
    this.type = type;
    this.aggregator = aggregator;
    this.#metric = metric;
  }

  async get(): Promise<object> {
    return { ...(await this.#metric.get()), name: this.name };
  }

  reset(): void {
    this.#metric.reset();
  }
}

/** Samples the event loop and the garbage collector for the metrics of the process, while a manager serves them. */
class ProcessSamples {
  readonly loop = new EventLoopDelayMonitor();
  readonly #collections: GarbageCollections;
  readonly #holders = new Set<symbol>();

  constructor(duration: Histogram) {
    this.#collections = new GarbageCollections(duration);
  }

  /** Samples until the returned function is called, once or more often. */
  hold(): () => void {
    if (this.#holders.size === 0) {
      this.loop.start();
      this.#collections.start();
    }
    const holder = Symbol();
    this.#holders.add(holder);
    return () => {
      this.#holders.delete(holder);
      if (this.#holders.size > 0) return;
      this.loop.stop();
      this.#collections.stop();
    };
  }
}

/** The kinds of garbage collections as prom-client names them. */
const collectionKinds: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** An entry of `PerformanceObserver`, whose type in Node has no detail. */
interface CollectionEntry {
  readonly duration: number;
  readonly detail: { readonly kind: number };
}

/** Observes the durations of garbage collections. The observer of prom-client itself cannot be removed. */
class GarbageCollections {
  readonly #observer: PerformanceObserver;

  constructor(duration: Histogram) {
    this.#observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as object[] as CollectionEntry[]) {
        const kind = collectionKinds[entry.detail.kind];
        if (kind !== undefined) duration.observe({ kind }, entry.duration / 1000);
      }
    });
  }

  start(): void {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  stop(): void {
    this.#observer.disconnect();
  }
}

interface ProcessMetrics {
  readonly metrics: readonly ProcessMetric[];
  readonly samples: ProcessSamples;
}

/** Makes the metrics of the process once for all managers, with the names and meanings of prom-client's. */
const collected = loadOnce(async (): Promise<ProcessMetrics> => {
  // Imported on first use, because an import of the manager must not wait for them.
  const [classes, collectors] = await Promise.all([loadMetricClasses(), loadDefaultCollectors()]);
  const registry = new MetricRegistry();
  addProcessorTime(registry, classes);
  for (const collect of collectors) collect(registry);
  const samples = new ProcessSamples(
    new classes.Histogram({
      name: 'nodejs_gc_duration_seconds',
      help: 'Garbage collection duration by kind, one of major, minor, incremental or weakcb.',
      labelNames: ['kind'],
      buckets: [0.001, 0.01, 0.1, 1, 2, 5],
      registers: [registry],
    }),
  );
  addLags(registry, classes, samples.loop);
  const metrics = registry.getMetricsAsArray().map(({ name }) => {
    return new ProcessMetric(name, registry.getSingleMetric(name) as Metric);
  });
  return { metrics, samples };
});

/**
 * Adds the metrics of the process that a registry does not have, and samples for them until the returned function is
 * called.
 */
export async function shareProcessMetrics(registry: Registry): Promise<() => void> {
  const { metrics, samples } = await collected();
  for (const metric of metrics) {
    if (registry.getSingleMetric(metric.id) !== undefined) continue;
    // `Registry.metrics()` of an OpenMetrics registry may have renamed the counter.
    metric.name = metric.id;
    // prom-client uses only the members above, but its types require one of its classes.
    registry.registerMetric(metric as unknown as Metric);
  }
  return samples.hold();
}

/** Removes the metrics that `shareProcessMetrics` has added to a registry. */
export function removeProcessMetrics(registry: Registry): void {
  for (const metric of registry.getMetricsAsArray() as unknown[]) {
    if (metric instanceof ProcessMetric) registry.removeSingleMetric(metric.id);
  }
}

/** The lag metrics, by the varying part of their names: `nodejs_eventloop_lag_min_seconds`. */
const lags: Readonly<Record<string, [help: string, read: (recent: DelayHistogram) => number]>> = {
  min: ['The minimum recorded event loop delay.', ({ min }) => min],
  max: ['The maximum recorded event loop delay.', ({ max }) => max],
  mean: ['The mean of the recorded event loop delays.', ({ mean }) => mean],
  stddev: ['The standard deviation of the recorded event loop delays.', ({ stddev }) => stddev],
  p50: [
    'The 50th percentile of the recorded event loop delays.',
    (recent) => recent.percentile(50),
  ],
  p90: [
    'The 90th percentile of the recorded event loop delays.',
    (recent) => recent.percentile(90),
  ],
  p99: [
    'The 99th percentile of the recorded event loop delays.',
    (recent) => recent.percentile(99),
  ],
};

/**
 * Adds the lag metrics of prom-client, over the last one to two minutes. Those of prom-client itself restart with each
 * scrape, so that one scrape hides delays from the next, and wake up an idle process 100 times a second.
 */
function addLags(registry: Registry, { Gauge }: MetricClasses, loop: EventLoopDelayMonitor): void {
  add('nodejs_eventloop_lag_seconds', 'Lag of event loop in seconds.', async () => {
    const startedAt = performance.now();
    await nextTurn();
    return (performance.now() - startedAt) / 1000;
  });
  for (const [name, [help, read]] of Object.entries(lags)) {
    add(`nodejs_eventloop_lag_${name}_seconds`, help, () => lagSeconds(loop.recent, read));
  }

  function add(name: string, help: string, value: () => Promise<number> | number): void {
    const collect = async (): Promise<void> => gauge.set(await value());
    const gauge = new Gauge({ name, help, registers: [registry], collect });
  }
}

/** A lag in seconds; 0 without samples, for which Node returns other numbers and `NaN`. */
export function lagSeconds(
  recent: DelayHistogram,
  read: (recent: DelayHistogram) => number,
): number {
  return recent.count === 0 ? 0 : read(recent) / 1e9;
}
