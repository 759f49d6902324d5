import { describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { MetricSet, type MetricReaders } from './metric-set.ts';
import { metrics } from './metrics.ts';

const readers = {
  gauges: {},
  summaries: { eventLoopDelay: () => ({ quantiles: {}, sum: 0, count: 0 }) },
} as unknown as MetricReaders;

describe('the series of a component', () => {
  const labels = { name: 'a', controller: 'a' };
  const valuesOf = async (registry: Registry, name: string): Promise<unknown[]> =>
    (await registry.getSingleMetric(name)?.get())?.values ?? [];

  test('begin at 0 on first use, and the same labels give the same series', async () => {
    const registry = new Registry();
    const scope = new MetricSet(registry, readers).scope(labels);
    const panics = scope.counter('panics');
    expect(await valuesOf(registry, metrics.panics.name)).toEqual([
      { labels: { controller: 'a' }, value: 0 },
    ]);
    panics.inc();
    expect(scope.counter('panics')).toBe(panics);
    scope.counter('panics').inc(2);
    expect(await valuesOf(registry, metrics.panics.name)).toEqual([
      { labels: { controller: 'a' }, value: 3 },
    ]);
    const success = scope.counter('reconciles', { result: 'success' });
    expect(scope.counter('reconciles', { result: 'error' })).not.toBe(success);
  });

  test('are removed by close, and none is created or counted afterwards', async () => {
    const registry = new Registry();
    const set = new MetricSet(registry, readers);
    const [scope, other] = [set.scope(labels), set.scope({ name: 'b', controller: 'b' })];
    const panics = scope.counter('panics');
    const time = scope.histogram('reconcileTime');
    other.counter('panics').inc();
    scope.close();
    panics.inc();
    time.observe(1);
    scope.counter('panics').inc();
    scope.counter('timeouts').inc();
    expect(await valuesOf(registry, metrics.panics.name)).toEqual([
      { labels: { controller: 'b' }, value: 1 },
    ]);
    expect(await valuesOf(registry, metrics.timeouts.name)).toEqual([]);
    expect(await valuesOf(registry, metrics.reconcileTime.name)).toEqual([]);
  });
});
