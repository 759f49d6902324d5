import { describe, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { managersOfTest, running } from '../testing/fixtures.test-support.ts';
import type { Manager } from '../manager/manager.ts';
import { metrics } from './metrics.ts';

const managers = managersOfTest();

function addIdle(manager: Pick<Manager, 'addController'>, name: string): void {
  manager.addController({ name, reconcile: () => undefined });
}

async function linesOf(registry: Registry, name: string): Promise<string[]> {
  return (await registry.getSingleMetricAsString(name))
    .split('\n')
    .filter((line) => line[0] !== '#');
}

describe('R1-23 a registry that managers share', () => {
  test('has the series of each manager under its name', async () => {
    const registry = new Registry();
    const { manager: first } = managers.make({ registry });
    const { manager: second } = managers.make({ registry, name: 'second' });
    addIdle(first, 'a');
    addIdle(second, 'a');
    expect(await linesOf(registry, metrics.reconcileErrors.name)).toEqual([
      'controller_runtime_reconcile_errors_total{controller="a"} 0',
      'controller_runtime_reconcile_errors_total{controller="a",manager="second"} 0',
    ]);
    expect(await linesOf(registry, metrics.pinnedBytes.name)).toEqual([
      'keelson_pinned_bytes 1024',
      'keelson_pinned_bytes{manager="second"} 1024',
    ]);
    expect(await linesOf(registry, metrics.maxConcurrent.name)).toEqual([
      'controller_runtime_max_concurrent_reconciles{controller="a"} 1',
      'controller_runtime_max_concurrent_reconciles{controller="a",manager="second"} 1',
    ]);
  });

  test('has no two series with the same labels', async () => {
    const registry = new Registry();
    for (const name of ['one', 'two']) {
      const { manager } = managers.make({ registry, name });
      addIdle(manager, 'a');
      await running(manager);
    }
    const samples = (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line));
    const series = samples.map((line) => line.slice(0, line.lastIndexOf(' ')));
    expect(new Set(series).size).toBe(series.length);
    expect(series.filter((line) => !/manager="(one|two)"/.test(line))).toEqual([]);
  });

  test('loses only the series of the manager that stopped', async () => {
    const registry = new Registry();
    const servers = { metrics: { port: 0, host: '127.0.0.1' } };
    const { manager: first } = managers.make({ registry, name: 'first', servers });
    const { manager: second } = managers.make({ registry, name: 'second' });
    await running(first);
    await running(second);
    await first.stop();
    expect(await registry.metrics()).not.toContain('manager="first"');
    expect(await linesOf(registry, metrics.pinnedBytes.name)).toEqual([
      'keelson_pinned_bytes{manager="second"} 1024',
    ]);
    expect(registry.getSingleMetric('process_cpu_seconds_total')).toBeDefined();
    await second.stop();
    expect(registry.getMetricsAsArray()).toEqual([]);
  });

  test('resets the counted values of every manager', async () => {
    const registry = new Registry();
    for (const name of ['one', 'two']) {
      const { manager } = managers.make({ registry, name });
      manager.addController({ name: 'a', reconcile: () => undefined }).enqueue({ name: 'x' });
    }
    expect(await linesOf(registry, metrics.queueAdds.name)).toHaveLength(2);
    for (const line of await linesOf(registry, metrics.queueAdds.name)) expect(line).toMatch(/ 1$/);
    registry.resetMetrics();
    for (const line of await linesOf(registry, metrics.queueAdds.name)) expect(line).toMatch(/ 0$/);
  });

  test.each([undefined, 'same'])('refuses a second manager named %s', async (name) => {
    const registry = new Registry();
    const options = name === undefined ? { registry } : { registry, name };
    const { manager } = managers.make(options);
    expect(() => managers.make(options)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: 'createManager.name' }) as unknown,
      }),
    );
    await manager.stop();
    expect(() => managers.make(options)).not.toThrow();
  });
});
