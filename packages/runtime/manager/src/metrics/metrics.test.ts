import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { collectDefaultMetrics, Counter, Registry } from 'prom-client';
import { createManager } from '../manager/controller-manager.ts';
import {
  eventually,
  gate,
  managersOfTest,
  objectOf,
  running,
  silent,
  sumOf,
  unusedClient,
  useFakeTime,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import { metrics } from './metrics.ts';
import { TerminalError } from '../reconcile/terminal-error.ts';

const { ConfigMap } = builtin;

const managers = managersOfTest();

describe('metrics', () => {
  test('PQ29 the first 25 priorities have exact labels, and the others share one series with their sum', async () => {
    const { manager } = managers.make();
    const end = gate();
    const controller = manager.addController({ name: 'many', reconcile: () => end.opened });
    const depth = (priority: number | string): Promise<number | undefined> =>
      valueOf(manager, 'workqueue_depth', { controller: 'many', priority: String(priority) });
    for (let priority = 0; priority < 25; priority += 1) {
      controller.enqueue({ name: `n${priority}` }, { priority });
      // A priority gets its label at its first read.
      expect(await depth(priority)).toBe(1);
    }
    expect(await depth('other')).toBeUndefined();
    for (let priority = 25; priority < 40; priority += 1) {
      controller.enqueue({ name: `n${priority}` }, { priority });
    }
    expect(await depth('other')).toBe(15);
    expect(await depth(25)).toBeUndefined();
    controller.enqueue({ name: 'n39' }, { priority: 3 });
    expect(await depth('other')).toBe(15);
    await running(manager);
    await eventually(() => controller.running === 1);
    expect(await depth('other')).toBe(14);
    expect(await depth(24)).toBe(1);
    end.open();
    await eventually(() => controller.length === 0);
    expect([await depth('other'), await depth(24), await depth(0)]).toEqual([0, 0, 0]);
  });

  test('series start at 0 and are removed with their controller', async () => {
    const { manager } = managers.make();
    const end = gate();
    const controller = manager.addController({ name: 'brief', reconcile: () => end.opened });
    const texts = async (): Promise<string[]> =>
      (await manager.registry.metrics()).split('\n').filter((line) => line.includes('"brief"'));
    const before = await texts();
    expect(before).toContain(
      'controller_runtime_reconcile_total{controller="brief",result="success"} 0',
    );
    expect(before).toContain(
      'controller_runtime_reconcile_time_seconds_count{controller="brief"} 0',
    );
    expect(before).toContain(
      'workqueue_queue_duration_seconds_bucket{le="1e-8",name="brief",controller="brief"} 0',
    );
    await running(manager);
    controller.enqueue({ name: 'a' });
    await eventually(() => controller.running === 1);
    const stopped = controller.stop();
    end.open();
    await stopped;
    await eventually(() => controller.running === 0);
    expect(await texts()).toEqual([]);
  });

  test.each([
    ['success', () => undefined],
    ['an error', () => Promise.reject(new Error('no'))],
    ['a terminal error', () => Promise.reject(new TerminalError('no'))],
    ['a panic', () => Promise.reject(new TypeError('no'))],
    ['an invalid result', () => 1 as never],
  ])(
    'a run that ends with %s after the removal of its controller is not counted, also not for a new one of its name',
    async (_outcome, act) => {
      const { manager } = managers.make();
      const end = gate();
      const options = { name: 'brief', reconcile: () => undefined };
      const controller = manager.addController({
        ...options,
        async reconcile() {
          await end.opened;
          return act();
        },
      });
      const series = async (): Promise<string[]> =>
        (await manager.registry.metrics()).split('\n').filter((line) => line.includes('"brief"'));
      await running(manager);
      controller.enqueue({ name: 'a' });
      await eventually(() => controller.running === 1);
      await controller.stop();
      expect(controller.running).toBe(1);
      end.open();
      await eventually(() => controller.running === 0);
      expect(await series()).toEqual([]);
      manager.addController(options);
      const counts = (await series()).filter((line) => !line.includes('max_concurrent'));
      expect(counts.filter((line) => !line.endsWith(' 0'))).toEqual([]);
    },
  );

  test('a run that outlives its controller is not counted for a new controller of its name', async () => {
    const { manager } = managers.make();
    const end = gate();
    const first = manager.addController({ name: 'brief', reconcile: () => end.opened });
    await running(manager);
    first.enqueue({ name: 'a' });
    await eventually(() => first.running === 1);
    await first.stop();
    manager.addController({ name: 'brief', reconcile: () => undefined });
    end.open();
    await eventually(() => first.running === 0);
    const labels = { controller: 'brief' };
    for (const name of [
      'controller_runtime_reconcile_total',
      'workqueue_work_duration_seconds',
      'controller_runtime_active_workers',
      'workqueue_longest_running_processor_seconds',
    ]) {
      expect(await valueOf(manager, name, labels)).toBe(0);
    }
  });

  test('RC03, GW15 the series of a watch are removed with it', async () => {
    await using server = await createApiServer({});
    await using client = createClient({ cluster: server.cluster });
    const manager = createManager({
      cluster: server.cluster,
      cache: { linger: 0 },
      logger: silent,
      stopSignals: [],
    });
    const controller = manager.addController({ name: 'watcher', reconcile: () => undefined });
    await running(manager);
    const watch = controller.watch({ resource: ConfigMap, map: () => undefined });
    await watch.synced;
    await client.create(ConfigMap, objectOf(ConfigMap, 'x'));
    const labels = { resource: 'configmaps' };
    const series = async (): Promise<string[]> =>
      (await manager.registry.metrics())
        .split('\n')
        .filter((line) => line.includes('resource="configmaps"'))
        .map((line) => line.slice(0, line.indexOf('{')));
    await eventually(async () => (await valueOf(manager, 'keelson_store_objects', labels)) === 1);
    expect(new Set(await series())).toEqual(
      new Set([
        'keelson_watches',
        'keelson_watches_intended',
        'keelson_own_writes',
        'keelson_watch_handles',
        'keelson_store_objects',
        'keelson_store_bytes',
        'keelson_watch_last_event_age_seconds',
        'keelson_watch_resource_version',
        'keelson_lists_total',
        'keelson_events_total',
      ]),
    );
    await watch.remove();
    await server.unwatched(ConfigMap);
    expect(await series()).toEqual([]);
    await manager.stop();
  });

  test('the bytes that old views keep are measured', async () => {
    const { manager } = managers.make();
    expect(await valueOf(manager, 'keelson_pinned_bytes')).toBe(1_024);
  });

  test('a registry of the user keeps its own metrics and loses those of a stopped manager', async () => {
    const registry = new Registry();
    const own = new Counter({ name: 'own_total', help: 'own', registers: [registry] });
    own.inc();
    const options = { registry, client: unusedClient(), logger: silent, stopSignals: [] } as const;
    const manager = createManager(options);
    expect(manager.registry).toBe(registry);
    expect(registry.getSingleMetric('workqueue_adds_total')).toBeDefined();
    expect(() => createManager(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
    await manager.stop();
    expect(registry.getMetricsAsArray().map(({ name }) => name)).toEqual(['own_total']);
  });

  test('a stopped manager no longer measures the delay of the event loop', async () => {
    useFakeTime({ setImmediate: true });
    const { manager } = managers.make();
    const before = jest.getTimerCount();
    await running(manager);
    expect(jest.getTimerCount()).toBeGreaterThan(before);
    await manager.stop();
    expect(jest.getTimerCount()).toBe(before);
  });

  test('createManager rejects a registry that has one of the metrics, and does not change it', () => {
    const registry = new Registry();
    const { name } = metrics.eventLoopDelay;
    const own = new Counter({ name, help: 'own', registers: [registry] });
    expect(() => managers.make({ registry })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: 'createManager.registry', name }) as unknown,
      }),
    );
    expect(registry.getSingleMetric(name)).toBe(own);
    expect(registry.getMetricsAsArray()).toHaveLength(1);
  });

  test('all managers share the metrics of the process, and a registry of the user loses them too', async () => {
    const registry = new Registry();
    const servers = { metrics: { port: 0, host: '127.0.0.1' } };
    const { manager: first } = managers.make({ servers, registry });
    const { manager: second } = managers.make({ servers });
    await running(first);
    await running(second);
    const name = 'nodejs_gc_duration_seconds';
    expect(registry.getSingleMetric(name)).toBeDefined();
    expect(second.registry.getSingleMetric(name)).toBe(registry.getSingleMetric(name));
    await first.stop();
    expect(registry.getMetricsAsArray()).toEqual([]);
    expect(await second.registry.metrics()).toContain('process_cpu_seconds_total');
  });

  test('the metrics of the process do not use the functions of Node that may abort it', async () => {
    const { manager } = managers.make({ servers: { metrics: { port: 0, host: '127.0.0.1' } } });
    await running(manager);
    const page = await manager.registry.metrics();
    expect(page).toContain('nodejs_active_resources{');
    expect(page).not.toMatch(/nodejs_active_(handles|requests)/);
  });

  test('metrics of the process that the user registered stay unchanged', async () => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const before = registry.getMetricsAsArray().map(({ name }) => name);
    const servers = { metrics: { port: 0, host: '127.0.0.1' } };
    const { manager } = managers.make({ servers, registry });
    await running(manager);
    await manager.stop();
    expect(registry.getMetricsAsArray().map(({ name }) => name)).toEqual(before);
  });

  test('every metric of the table is registered with its type and labels', async () => {
    const { manager } = managers.make();
    manager.addController({ name: 'a', for: WebApp, reconcile: () => undefined });
    for (const { name, type, help } of Object.values(metrics)) {
      const metric = manager.registry.getSingleMetric(name);
      expect(await metric?.get()).toMatchObject({ name, type, help });
    }
  });

  test('timeouts, panics and terminal errors are 0 before they happen', async () => {
    const { manager } = managers.make();
    manager.addController({ name: 'a', reconcile: () => undefined });
    for (const name of [
      'controller_runtime_reconcile_timeouts_total',
      'controller_runtime_reconcile_panics_total',
      'controller_runtime_terminal_reconcile_errors_total',
      'controller_runtime_reconcile_errors_total',
    ]) {
      expect(await valueOf(manager, name, { controller: 'a' })).toBe(0);
    }
  });

  test('the time of filtering and mapping, and from the socket to the reconcile, is measured', async () => {
    useFakeTime();
    const { manager, cache } = managers.make();
    manager.addController({
      name: 'a',
      watches: [
        {
          resource: ConfigMap,
          map({ name }) {
            jest.advanceTimersByTime(250);
            return { name };
          },
        },
      ],
      reconcile: () => new Promise((resolve) => setTimeout(resolve, 1000)),
    });
    await jest.advanceTimersByTimeAsync(1);
    manager.start().catch(() => undefined);
    await jest.advanceTimersByTimeAsync(1);
    cache.set(ConfigMap, objectOf(ConfigMap, 'first'));
    await jest.advanceTimersByTimeAsync(0);
    cache.set(ConfigMap, objectOf(ConfigMap, 'second'));
    await jest.advanceTimersByTimeAsync(5000);
    expect(await sumOf(manager, 'keelson_handler_duration_seconds')).toBe(0.5);
    // The mapper took 250 ms for the first event; the second event waited for the first run.
    expect(await sumOf(manager, 'keelson_api_to_reconcile_seconds')).toBe(0.25 + 1);
  });

  test('unfinished work and the longest run advance while a request is held', async () => {
    const { manager } = managers.make();
    const end = gate();
    const controller = manager.addController({ name: 'a', reconcile: () => end.opened });
    await running(manager);
    controller.enqueue({ name: 'x' });
    await eventually(() => controller.running === 1);
    const labels = { name: 'a' };
    for (const name of [
      'workqueue_unfinished_work_seconds',
      'workqueue_longest_running_processor_seconds',
    ]) {
      const first = (await valueOf(manager, name, labels)) ?? 0;
      await new Promise((resolve) => setImmediate(resolve));
      expect(await valueOf(manager, name, labels)).toBeGreaterThan(first);
    }
    end.open();
  });
});
