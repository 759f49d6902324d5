import { setImmediate as nextTurn } from 'node:timers/promises';
import { loadOnce } from '@keelson/apimachinery';
import type { Metric, Registry } from 'prom-client';
import { EventLoopDelayMonitor, type DelayHistogram } from './event-loop-delay.ts';

type PromClient = typeof import('prom-client');

/**
 * Metrics that prom-client reads with `process._getActiveHandles` and `process._getActiveRequests` (deprecated,
 * DEP0161). On Node 24.21 these abort the process in rare cases: `AsyncWrap::GetOwner` asserts for a handle whose owner
 * is gone. `nodejs_active_resources` counts handles and requests without them.
 */
const unsafe = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
];

/** Milliseconds between two samples that prom-client takes of the event loop, which nothing reads. */
const UNUSED_PRECISION_MS = 2 ** 30;

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

/**
 * Collects the default metrics of prom-client once for all managers of the process. prom-client cannot remove its
 * observers of the garbage collector and the event loop.
 */
const collected = loadOnce(async () => {
  // Imported on first use, because an import of the manager must not wait for all of prom-client.
  const promClient = await import('prom-client');
  const registry = new promClient.Registry();
  // Its own samples of the event loop are replaced below, and would wake up an idle process 100 times a second.
  promClient.collectDefaultMetrics({
    register: registry,
    eventLoopMonitoringPrecision: UNUSED_PRECISION_MS,
  });
  for (const name of unsafe) registry.removeSingleMetric(name);
  replaceLag(registry, promClient);
  return registry.getMetricsAsArray().map(({ name }) => {
    return new ProcessMetric(name, registry.getSingleMetric(name) as Metric);
  });
});

/** Adds the metrics of the process that a registry does not have. */
export async function shareProcessMetrics(registry: Registry): Promise<void> {
  for (const metric of await collected()) {
    if (registry.getSingleMetric(metric.id) !== undefined) continue;
    // `Registry.metrics()` of an OpenMetrics registry may have renamed the counter.
    metric.name = metric.id;
    // prom-client uses only the members above, but its types require one of its classes.
    registry.registerMetric(metric as unknown as Metric);
  }
}

/** Removes the metrics that `shareProcessMetrics` has added to a registry. */
export function removeProcessMetrics(registry: Registry): void {
  for (const metric of registry.getMetricsAsArray() as unknown[]) {
    if (metric instanceof ProcessMetric) registry.removeSingleMetric(metric.id);
  }
}

/** The lag metrics of prom-client, by the varying part of their names: `nodejs_eventloop_lag_min_seconds`. */
const lags: Readonly<Record<string, (recent: DelayHistogram) => number>> = {
  min: ({ min }) => min,
  max: ({ max }) => max,
  mean: ({ mean }) => mean,
  stddev: ({ stddev }) => stddev,
  p50: (recent) => recent.percentile(50),
  p90: (recent) => recent.percentile(90),
  p99: (recent) => recent.percentile(99),
};

/**
 * Replaces the lag metrics of prom-client by ones of the same names and meanings over the last one to two minutes.
 * Those of prom-client restart with each scrape, so that one scrape hides delays from the next.
 */
function replaceLag(registry: Registry, { Gauge }: PromClient): void {
  const monitor = new EventLoopDelayMonitor();
  monitor.start();
  replace('nodejs_eventloop_lag_seconds', async () => {
    const startedAt = performance.now();
    await nextTurn();
    return (performance.now() - startedAt) / 1000;
  });
  for (const [name, read] of Object.entries(lags)) {
    replace(`nodejs_eventloop_lag_${name}_seconds`, () => lagSeconds(monitor.recent, read));
  }

  /** Replaces a metric by a gauge of the same name and help text. */
  function replace(name: string, value: () => Promise<number> | number): void {
    const { help = name } = (registry.getSingleMetric(name) ?? {}) as { help?: string };
    registry.removeSingleMetric(name);
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
