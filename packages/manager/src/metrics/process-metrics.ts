import { setImmediate as nextTurn } from 'node:timers/promises';
import { loadOnce } from '@keelson/apimachinery';
import { collectDefaultMetrics, Gauge, Registry, type Metric } from 'prom-client';
import { EventLoopDelayMonitor, type DelayHistogram } from './event-loop-delay.ts';

/**
 * Read by `process._getActiveHandles` and `process._getActiveRequests` (Node's DEP0161), which touch handles while they
 * are being closed. `nodejs_active_resources` has the same counts.
 */
const deprecated = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
];

/**
 * The default metrics of prom-client, collected once for all managers of the process, because
 * prom-client's observers of the garbage collector and of the event loop cannot be removed.
 */
const collected = loadOnce(async () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const name of deprecated) registry.removeSingleMetric(name);
  replaceLag(registry);
  return registry.getMetricsAsArray().map(({ name }) => {
    const metric = registry.getSingleMetric(name) as NamedMetric;
    return { name, metric };
  });
});

type NamedMetric = Metric & { name: string };

/** Puts the metrics of the process on a registry that does not have them yet. Returns the way to take them off. */
export async function shareProcessMetrics(registry: Registry): Promise<() => void> {
  const source = await collected();
  const added: string[] = [];
  for (const { name, metric } of source) {
    if (registry.getSingleMetric(name) !== undefined) continue;
    // `metrics()` of a registry that writes OpenMetrics renames the counters on it.
    metric.name = name;
    registry.registerMetric(metric);
    added.push(name);
  }
  return () => {
    for (const name of added) registry.removeSingleMetric(name);
  };
}

/** The lag metrics of prom-client, by the end of their names: `nodejs_eventloop_lag_min_seconds`. */
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
 * prom-client's own lag metrics begin anew with each scrape, so that each of several scrapers hides
 * delays from the others. These have the same names and meanings over the last one to two minutes.
 */
function replaceLag(registry: Registry): void {
  const monitor = new EventLoopDelayMonitor();
  monitor.start();
  replace(registry, 'nodejs_eventloop_lag_seconds', async () => {
    const asked = performance.now();
    await nextTurn();
    return (performance.now() - asked) / 1000;
  });
  for (const [name, read] of Object.entries(lags)) {
    replace(registry, `nodejs_eventloop_lag_${name}_seconds`, () => {
      const { recent } = monitor;
      return recent.count === 0 ? 0 : read(recent) / 1e9;
    });
  }
}

/** Registers a gauge in the place of one that exists, with its help. */
function replace(registry: Registry, name: string, read: () => Promise<number> | number): void {
  const { help = name } = (registry.getSingleMetric(name) ?? {}) as { help?: string };
  registry.removeSingleMetric(name);
  const gauge: Gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect: async () => gauge.set(await read()),
  });
}
