import { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { lagSeconds, removeProcessMetrics, shareProcessMetrics } from './process-metrics.ts';

describe('the metrics of the process', () => {
  test('a lag without samples is 0', () => {
    const empty = monitorEventLoopDelay();
    expect(lagSeconds(empty, ({ mean }) => mean)).toBe(0);
    expect(lagSeconds(empty, ({ min }) => min)).toBe(0);
  });

  test('a lag is in seconds', () => {
    const sampled = { ...monitorEventLoopDelay(), count: 1, max: 2_500_000_000 };
    expect(lagSeconds(sampled, ({ max }) => max)).toBe(2.5);
  });

  test('keep their help texts when they replace a metric of prom-client', async () => {
    const registry = new Registry();
    await shareProcessMetrics(registry);
    for (const { name, help } of registry.getMetricsAsArray()) expect(help).not.toBe(name);
    const lags = registry.getMetricsAsArray().filter(({ name }) => name.includes('eventloop_lag'));
    expect(lags).toHaveLength(8);
  });

  test('an OpenMetrics page of one registry leaves them registered under their names elsewhere', async () => {
    const [first, second] = [new Registry(), new Registry()];
    await shareProcessMetrics(first);
    const names = first.getMetricsAsArray().map(({ name }) => name);
    await shareProcessMetrics(second);
    expect(second.getMetricsAsArray().map(({ name }) => name)).toEqual(names);
    removeProcessMetrics(first);
    expect(first.getMetricsAsArray()).toEqual([]);
    expect(second.getMetricsAsArray()).toHaveLength(names.length);
  });
});
