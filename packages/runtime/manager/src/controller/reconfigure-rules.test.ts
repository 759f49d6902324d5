import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import {
  managersOfTest,
  objectOf,
  running,
  toSelf,
  useFakeTime,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { Controller } from './controller.ts';
import type { ControllerOptions } from './controller-options.ts';

const { ConfigMap, Secret } = builtin;
const managers = managersOfTest();
const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);
const HOUR = 3_600_000;
const app = { namespace: 'default', name: 'app' };

interface Live {
  readonly controller: Controller;
  readonly cache: FakeCache;
  /** The names of the requests that ran since the last call. */
  readonly taken: () => string[];
}

/** A controller in fake time whose initial objects have run. */
async function live(
  options: Partial<ControllerOptions<WebApp>> = {},
  names: readonly string[] = ['app'],
): Promise<Live> {
  useFakeTime({ setImmediate: false });
  const { manager, cache } = managers.make({ eventLoop: { warnAfter: 0 } });
  for (const name of names) cache.set(WebApp, objectOf(WebApp, name));
  const runs: string[] = [];
  const controller = manager.addController({
    name: 'live',
    for: WebApp,
    ...options,
    reconcile: ({ name }) => void runs.push(name),
  });
  await running(manager);
  await pass(10);
  runs.length = 0;
  return { controller, cache, taken: () => runs.splice(0) };
}

function change(cache: FakeCache): void {
  cache.set(WebApp, objectOf(WebApp, 'app'));
}

const unchanged = { started: [], stopped: [] };

describe('the rules of the events of a live controller', () => {
  test('a debounce holds for the next events, and no watch ends', async () => {
    const { controller, cache, taken } = await live();
    const handles = [...cache.handles];
    const result = await controller.reconfigure({ debounce: { wait: 1_000, maxWait: 5_000 } });
    expect(result).toEqual({ changed: ['debounce'], kept: ['for WebApp'], ...unchanged });
    change(cache);
    await pass(999);
    expect(taken()).toEqual([]);
    change(cache);
    await pass(1_000);
    expect(taken()).toEqual(['app']);
    await controller.reconfigure({ debounce: { wait: 0 } });
    change(cache);
    await pass(0);
    expect(taken()).toEqual(['app']);
    expect([...cache.handles]).toEqual(handles);
  });

  test('a request that waits for its debounce keeps its time', async () => {
    const { controller, cache, taken } = await live({ debounce: { wait: 1_000 } });
    change(cache);
    await controller.reconfigure({ debounce: { wait: 0 } });
    await pass(999);
    expect(taken()).toEqual([]);
    await pass(1);
    expect(taken()).toEqual(['app']);
  });

  test('the value of a source stays in force, and watches of the run time follow', async () => {
    const map = toSelf;
    const { controller, cache, taken } = await live({
      watches: [{ resource: Secret, map, debounce: { wait: 100 } }],
    });
    controller.watch({ resource: ConfigMap, map });
    await controller.reconfigure({ debounce: { wait: 1_000 } });
    controller.watch({ resource: builtin.Service, map });
    cache.set(Secret, objectOf(Secret, 'secret'));
    cache.set(ConfigMap, objectOf(ConfigMap, 'config'));
    cache.set(builtin.Service, objectOf(builtin.Service, 'service'));
    await pass(100);
    expect(taken()).toEqual(['secret']);
    await pass(900);
    expect(taken().toSorted()).toEqual(['config', 'service']);
  });

  test('a debounce holds for the async iterables of the controller', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { controller, taken } = await live();
    controller.addSource({
      name: 'feed',
      async *requests() {
        await promise;
        yield app;
      },
    });
    await controller.reconfigure({ debounce: { wait: 1_000 } });
    resolve();
    await pass(999);
    expect(taken()).toEqual([]);
    await pass(1);
    expect(taken()).toEqual(['app']);
  });

  test('a lower event rate delays the next events, and a change of another option refills no bucket', async () => {
    const { controller, cache, taken } = await live();
    const eventRate = { burst: 2, perSecond: 0.1 };
    expect(await controller.reconfigure({ eventRate })).toMatchObject(unchanged);
    for (let event = 0; event < 2; event += 1) {
      change(cache);
      await pass(0);
      expect(taken()).toEqual(['app']);
    }
    await controller.reconfigure({ timeout: '1m', eventRate: { ...eventRate } });
    change(cache);
    await pass(9_000);
    expect(taken()).toEqual([]);
    await pass(1_000);
    expect(taken()).toEqual(['app']);
    await controller.reconfigure({ eventRate: false });
    for (let event = 0; event < 5; event += 1) {
      change(cache);
      await pass(0);
      expect(taken()).toEqual(['app']);
    }
  });

  test('a resync changes in the watches that exist', async () => {
    const { controller, cache } = await live({
      resync: '1h',
      watches: [{ resource: Secret, map: toSelf, resync: '2h' }],
      reads: [ConfigMap],
    });
    controller.watch({ resource: builtin.Service, map: toSelf });
    const resyncs = (): unknown[] =>
      [...cache.handles].map(({ query: { resource }, resyncs: all }) => [
        resource.kind,
        ...all.values(),
      ]);
    const handles = [...cache.handles];
    const [h, m] = [HOUR, 60_000];
    const of = (given: number): unknown[] => [
      ['WebApp', given],
      ['Secret', 2 * h],
      ['ConfigMap'],
      ['Service', given],
    ];
    expect(resyncs()).toEqual(of(h));
    expect(await controller.reconfigure({ resync: '5m' })).toMatchObject(unchanged);
    expect(resyncs()).toEqual(of(5 * m));
    await controller.reconfigure({ resync: 0 });
    expect(resyncs()).toEqual(of(0));
    expect([...cache.handles]).toEqual(handles);
  });
});

describe('the ageing of a live controller', () => {
  test('holds for the requests that wait', async () => {
    useFakeTime({ setImmediate: false });
    const { manager } = managers.make({ eventLoop: { warnAfter: 0 } });
    const runs: string[] = [];
    const controller = manager.addController({
      name: 'aged',
      ageAfter: 0,
      async reconcile({ name }) {
        runs.push(name);
        await new Promise((resolve) => setTimeout(resolve, 100));
      },
    });
    await running(manager);
    for (let high = 0; high < 100; high += 1) controller.enqueue({ name: `high-${high}` });
    controller.enqueue({ name: 'low' }, { priority: -100 });
    await pass(2_000);
    await controller.reconfigure({ ageAfter: '3s' });
    await pass(900);
    expect(runs).not.toContain('low');
    await pass(300);
    expect(runs).toContain('low');
    const stopped = controller.stop();
    await pass(100);
    await stopped;
  });
});

describe('the interval of a live controller', () => {
  test('begins for every object when it is turned on', async () => {
    const { controller, taken } = await live({}, ['a', 'b']);
    await pass(2 * HOUR);
    expect(taken()).toEqual([]);
    await controller.reconfigure({ maxReconcileInterval: '1h' });
    await pass(HOUR);
    expect(taken().toSorted()).toEqual(['a', 'b']);
    await pass(HOUR);
    expect(taken().toSorted()).toEqual(['a', 'b']);
  });

  test('becomes shorter for the runs that are due, and ends', async () => {
    const { controller, cache, taken } = await live({ maxReconcileInterval: '10h' });
    await controller.reconfigure({ maxReconcileInterval: '1h' });
    await pass(HOUR);
    expect(taken()).toEqual(['app']);
    await controller.reconfigure({ maxReconcileInterval: '10h' });
    await pass(HOUR);
    // It was due before the change.
    expect(taken()).toEqual(['app']);
    await pass(8 * HOUR);
    expect(taken()).toEqual([]);
    await controller.reconfigure({ maxReconcileInterval: 0 });
    await pass(20 * HOUR);
    expect(taken()).toEqual([]);
    await controller.reconfigure({ maxReconcileInterval: '1h' });
    cache.delete(WebApp, app);
    await pass(0);
    expect(taken()).toEqual(['app']);
    await pass(5 * HOUR);
    expect(taken()).toEqual([]);
  });

  test('needs `for`', async () => {
    const { manager } = managers.make();
    const controller = manager.addController({ name: 'plain', reconcile: () => undefined });
    await expect(
      controller.reconfigure({ maxReconcileInterval: '1h' } as never),
    ).rejects.toMatchObject({ facts: { option: 'reconfigure.maxReconcileInterval' } });
  });
});

test.each([
  [{ ageAfter: -1 }, 'reconfigure.ageAfter'],
  [{ maxReconcileInterval: 'soon' }, 'reconfigure.maxReconcileInterval'],
  [{ debounce: { wait: 'soon' } }, 'reconfigure.debounce.wait'],
  [{ eventRate: { burst: 0 } }, 'reconfigure.eventRate.burst'],
  [{ resync: null }, 'reconfigure.resync'],
])('%j is refused as a whole', async (wrong, option) => {
  const { controller, cache, taken } = await live();
  const call = controller.reconfigure({ debounce: { wait: 1_000 }, ...wrong } as never);
  await expect(call).rejects.toMatchObject({ code: 'INVALID_OPTION', facts: { option } });
  change(cache);
  await pass(0);
  expect(taken()).toEqual(['app']);
});
