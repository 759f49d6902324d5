import { describe, expect, test } from '@jest/globals';
import { Counter, Histogram, Registry } from 'prom-client';
import type { Labels, MetricDefinition } from './metric-definition.ts';
import { RegisteredMetric } from './registered-metric.ts';
import { SeriesMetric } from './series-metric.ts';
import { CountedSeries, ObservedSeries, type Series } from './series.ts';

const counted: MetricDefinition = {
  type: 'counter',
  name: 'things_total',
  help: 'Things.',
  labels: ['name', 'result'],
};
const timed: MetricDefinition = {
  type: 'histogram',
  name: 'things_seconds',
  help: 'Durations.',
  labels: ['name'],
};
const bounds = [0.1, 1, 10];

function counter(): SeriesMetric<CountedSeries> {
  return new SeriesMetric(counted, (labels) => new CountedSeries(labels));
}

function histogram(): SeriesMetric<ObservedSeries> {
  return new SeriesMetric(timed, (labels) => new ObservedSeries(labels, bounds));
}

/** Adds a series to a metric. */
function added<One extends Series>(metric: SeriesMetric<One>, labels: Labels): One {
  const series = metric.create(labels);
  metric.add(series);
  return series;
}

function registryOf(definition: MetricDefinition, metric: SeriesMetric): Registry {
  const registry = new Registry();
  RegisteredMetric.join(registry, definition, undefined, metric);
  return registry;
}

describe('a metric that gives out its series', () => {
  test.each([Registry.PROMETHEUS_CONTENT_TYPE, Registry.OPENMETRICS_CONTENT_TYPE] as const)(
    'has the page of a counter of prom-client: %s',
    async (contentType) => {
      const metric = counter();
      added(metric, { name: 'a', result: 'ok', unknown: 'x' }).inc(2);
      added(metric, { name: 'b' }).inc();
      const [own, registry] = [registryOf(counted, metric), new Registry()];
      const { name, help, labels: labelNames } = counted;
      const expected = new Counter({ name, help, labelNames, registers: [registry] });
      expected.inc({ name: 'a', result: 'ok' }, 2);
      expected.inc({ name: 'b', result: '' });
      for (const one of [own, registry]) one.setContentType(contentType as never);
      expect(await own.metrics()).toBe(await registry.metrics());
      expect(await own.getMetricsAsJSON()).toEqual(await registry.getMetricsAsJSON());
    },
  );

  test('has the page of a histogram of prom-client, for durations at and between all bounds', async () => {
    const metric = histogram();
    const registry = new Registry();
    const { name, help, labels: labelNames } = timed;
    const options = { name, help, labelNames, buckets: bounds, registers: [registry] };
    const expected = new Histogram(options);
    const series = added(metric, { name: 'a' });
    for (const seconds of [-1, 0, 0.1, 0.11, 1, 5, 10, 10.1, 1e6, 1e6]) {
      series.observe(seconds);
      expected.observe({ name: 'a' }, seconds);
    }
    added(metric, { name: 'idle' });
    expected.zero({ name: 'idle' });
    const own = registryOf(timed, metric);
    expect(await own.metrics()).toBe(await registry.metrics());
    // The histogram of prom-client has empty exemplars too.
    expect(await registry.getMetricsAsJSON()).toMatchObject(await own.getMetricsAsJSON());
  });

  test('keeps its series at 0 after the registry is reset', async () => {
    const [counts, durations] = [counter(), histogram()];
    const [count, duration] = [added(counts, { name: 'a' }), added(durations, { name: 'a' })];
    const samples = (): unknown[] => [counts.samples('counts'), durations.samples('durations')];
    const before = samples();
    count.inc();
    duration.observe(1);
    expect(samples()).not.toEqual(before);
    registryOf(counted, counts).resetMetrics();
    registryOf(timed, durations).resetMetrics();
    expect(samples()).toEqual(before);
  });

  test('ignores a series that was not added or was removed', () => {
    const metric = counter();
    const removed = added(metric, { name: 'a' });
    metric.create({ name: 'b' }).inc();
    metric.remove(removed);
    removed.inc();
    expect(metric.samples('counts')).toEqual([]);
  });
});
