import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { ManagerMetrics } from '../manager-metrics.ts';
import { lagSeconds, removeProcessMetrics, shareProcessMetrics } from './process-metrics.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const noCache = {
  inventory: () => [],
  memory: () => ({ pinnedBytes: 0, freeBytes: 0, budgets: [] }),
};

const ends: (() => void)[] = [];

async function share(registry: Registry): Promise<() => void> {
  const end = await shareProcessMetrics(registry);
  ends.push(end);
  return end;
}

/** Collects the garbage once, and returns how many major collections the metrics gained. */
async function collections(registry: Registry): Promise<number> {
  const before = await majorCollections(registry);
  collect();
  // The observer is called in a later turn.
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  return (await majorCollections(registry)) - before;
}

async function majorCollections(registry: Registry): Promise<number> {
  const page = await registry.metrics();
  return Number(/^nodejs_gc_duration_seconds_count\{kind="major"\} (\d+)$/m.exec(page)?.[1] ?? 0);
}

describe('the metrics of the process', () => {
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

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
    await share(registry);
    for (const { name, help } of registry.getMetricsAsArray()) expect(help).not.toBe(name);
    const lags = registry.getMetricsAsArray().filter(({ name }) => name.includes('eventloop_lag'));
    expect(lags).toHaveLength(8);
  });

  test('are sampled until the last of their users has ended', async () => {
    const registry = new Registry();
    const first = await share(registry);
    const second = await share(registry);
    first();
    first();
    expect(await collections(registry)).toBeGreaterThan(0);
    second();
    expect(await collections(registry)).toBe(0);
  });

  test('are sampled until their manager stops, also if it stops while they are loaded', async () => {
    const registry = new Registry();
    const stopped = new ManagerMetrics(registry, () => noCache);
    const loaded = stopped.collectProcess();
    stopped.stop();
    await loaded;
    expect(await collections(registry)).toBe(0);
    const running = new ManagerMetrics(registry, () => noCache, 'other');
    await running.collectProcess();
    expect(await collections(registry)).toBeGreaterThan(0);
    running.stop();
    expect(await collections(registry)).toBe(0);
  });

  test('an OpenMetrics page of one registry leaves them registered under their names elsewhere', async () => {
    const [first, second] = [new Registry(), new Registry()];
    await share(first);
    const names = first.getMetricsAsArray().map(({ name }) => name);
    await share(second);
    expect(second.getMetricsAsArray().map(({ name }) => name)).toEqual(names);
    removeProcessMetrics(first);
    expect(first.getMetricsAsArray()).toEqual([]);
    expect(second.getMetricsAsArray()).toHaveLength(names.length);
  });
});
