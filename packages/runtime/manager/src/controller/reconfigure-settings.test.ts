import { describe, expect, jest, test } from '@jest/globals';
import { FastSlowLimiter, TokenBucket } from '@keelson/workqueue';
import {
  eventually,
  gate,
  managersOfTest,
  nothing,
  objectOf,
  recordingLogger,
  running,
  useFakeTime,
  valueOf,
  WebApp,
  type Gate,
} from '../testing/fixtures.test-support.ts';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { Manager } from '../manager/manager.ts';
import type { Controller } from './controller.ts';
import type { ControllerDefaults } from './controller-options.ts';

const managers = managersOfTest();

/** A controller whose reconciles end when the test ends them. */
async function heldController(
  options: ControllerDefaults = {},
  count = 6,
): Promise<{ manager: Manager; controller: Controller; runs: Map<string, Gate> }> {
  const { manager, cache } = managers.make();
  const runs = new Map<string, Gate>();
  for (let n = 0; n < count; n += 1) cache.set(WebApp, objectOf(WebApp, `app-${n}`));
  const controller = manager.addController({
    name: 'held',
    for: WebApp,
    ...options,
    reconcile: ({ name }) => {
      const run = gate();
      runs.set(name, run);
      return run.opened;
    },
  });
  await running(manager);
  return { manager, controller, runs };
}

/** A controller whose reconciles fail, in fake time. Records the time and the attempt of each. */
async function failingController(
  options: ControllerDefaults,
  managerOptions: ManagerOptions = {},
): Promise<{ controller: Controller; cache: FakeCache; runs: [at: number, attempt: number][] }> {
  useFakeTime({ setImmediate: false });
  const { manager, cache } = managers.make(managerOptions);
  const runs: [number, number][] = [];
  const start = Date.now();
  cache.set(WebApp, objectOf(WebApp, 'app'));
  const controller = manager.addController({
    name: 'failing',
    for: WebApp,
    ...options,
    reconcile: (_, { attempt }) => {
      runs.push([Date.now() - start, attempt]);
      throw new Error('planned');
    },
  });
  await running(manager);
  await jest.advanceTimersByTimeAsync(0);
  return { controller, cache, runs };
}

describe('the settings of a live controller', () => {
  test('a higher concurrency starts further workers at once, and the metric follows', async () => {
    const { manager, controller, runs } = await heldController({ concurrency: 2 });
    await eventually(() => runs.size === 2);
    const result = await controller.reconfigure({ concurrency: 4 });
    await eventually(() => runs.size === 4);
    expect(result).toEqual({
      changed: ['concurrency'],
      started: [],
      kept: ['for WebApp'],
      stopped: [],
    });
    expect(await valueOf(manager, 'controller_runtime_max_concurrent_reconciles')).toBe(4);
    for (const run of runs.values()) run.open();
  });

  test('a lower concurrency ends no run and starts none above the limit', async () => {
    const { controller, runs } = await heldController({ concurrency: 3 });
    await eventually(() => runs.size === 3);
    await controller.reconfigure({ concurrency: 1 });
    expect(controller.running).toBe(3);
    const names = [...runs.keys()];
    for (const [at, name] of names.entries()) {
      runs.get(name)?.open();
      await eventually(() => controller.running === Math.max(1, 2 - at));
    }
    await eventually(() => runs.size === 4);
    expect([controller.running, controller.length]).toEqual([1, 2]);
    for (const run of runs.values()) run.open();
  });

  test('a timeout applies to the runs that begin afterwards', async () => {
    useFakeTime({ setImmediate: false });
    const { manager, cache } = managers.make();
    const aborted: string[] = [];
    const ends: Gate[] = [];
    const controller = manager.addController({
      name: 'timed',
      for: WebApp,
      concurrency: 2,
      timeout: '1m',
      reconcile: ({ name }, { signal }) => {
        signal.addEventListener('abort', () => void aborted.push(name));
        const end = gate();
        ends.push(end);
        return end.opened;
      },
    });
    await running(manager);
    cache.set(WebApp, objectOf(WebApp, 'before'));
    await jest.advanceTimersByTimeAsync(0);
    await controller.reconfigure({ timeout: '10s' });
    cache.set(WebApp, objectOf(WebApp, 'after'));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(aborted).toEqual(['after']);
    await jest.advanceTimersByTimeAsync(50_000);
    expect(aborted).toEqual(['after', 'before']);
    for (const end of ends) end.open();
  });

  test('a new backoff continues the failures, and what waits keeps its time', async () => {
    const { controller, runs } = await failingController({ backoff: { base: 100, max: 10_000 } });
    await jest.advanceTimersByTimeAsync(300);
    await controller.reconfigure({ backoff: { base: 1_000, max: 100_000 } });
    await jest.advanceTimersByTimeAsync(399);
    expect(runs.map(([at]) => at)).toEqual([0, 100, 300]);
    await jest.advanceTimersByTimeAsync(8_001);
    expect(runs).toEqual([
      [0, 1],
      [100, 2],
      [300, 3],
      [700, 4],
      [8_700, 5],
    ]);
  });

  test('with a token bucket a new backoff continues the failures too', async () => {
    const { controller, runs } = await failingController({ backoff: { base: 100, max: 10_000 } });
    const tokenBucket = new TokenBucket({ perSecond: 1000, burst: 1000 });
    await controller.reconfigure({ tokenBucket });
    await jest.advanceTimersByTimeAsync(100);
    await controller.reconfigure({ backoff: { base: 1_000, max: 100_000 } });
    await jest.advanceTimersByTimeAsync(4_200);
    expect(runs.map(([at]) => at)).toEqual([0, 100, 300, 4_300]);
  });

  test('a rate limiter and a backoff replace each other, and maxAttempts ends the retries', async () => {
    const { controller, cache, runs } = await failingController({
      backoff: { base: 100, max: 100 },
    });
    const rateLimiter = new FastSlowLimiter({ fast: 5, slow: 5, fastAttempts: 1 });
    await controller.reconfigure({ rateLimiter });
    await jest.advanceTimersByTimeAsync(105);
    expect(runs.map(([at]) => at)).toEqual([0, 100, 105]);
    expect(rateLimiter.failures('default/app')).toBe(2);
    await controller.reconfigure({ backoff: { base: 50, max: 50 }, maxAttempts: 5 });
    await jest.advanceTimersByTimeAsync(10_000);
    expect(runs.map(([at]) => at)).toEqual([0, 100, 105, 110, 160]);
    cache.set(WebApp, objectOf(WebApp, 'app'));
    await jest.advanceTimersByTimeAsync(0);
    expect(runs.at(-1)?.[1]).toBe(1);
  });
});

describe('a wrong change of a live controller', () => {
  test.each([
    [{ concurrency: 0 }, 'reconfigure.concurrency'],
    [{ concurrency: Number.NaN }, 'reconfigure.concurrency'],
    [{ timeout: 'soon' }, 'reconfigure.timeout'],
    [{ backoff: { base: -1 } }, 'reconfigure.backoff.base'],
    [{ rateLimiter: {} }, 'reconfigure.rateLimiter'],
    [{ namespaces: [] }, 'reconfigure.namespaces'],
    [{ for: {} }, 'reconfigure.for.resource'],
    [{ for: { resource: WebApp, labelSelectr: 'a' } }, 'reconfigure.for.labelSelectr'],
    [{ watches: [{ resource: WebApp }] }, 'reconfigure.watches[0].map'],
    [{ name: 'other' }, 'reconfigure.name'],
    [{ reconcile: nothing }, 'reconfigure.reconcile'],
    [{ sources: [] }, 'reconfigure.sources'],
    [{ predicates: [] }, 'reconfigure.predicates'],
    [{ maxConcurrentReconciles: 2 }, 'reconfigure.maxConcurrentReconciles'],
  ])('%j is refused as a whole and names %s', async (wrong, option) => {
    const { controller, runs } = await heldController({ concurrency: 1 });
    await eventually(() => runs.size === 1);
    const change = controller.reconfigure({ concurrency: 5, ...wrong } as never);
    await expect(change).rejects.toMatchObject({ code: 'INVALID_OPTION', facts: { option } });
    expect(runs.size).toBe(1);
    for (const run of runs.values()) run.open();
  });

  test.each([null, 5, { signal: 'later' }, { timeout: 1 }])(
    'the second argument %j is refused',
    async (bounds) => {
      const controller = managers
        .make()
        .manager.addController({ name: 'a', for: WebApp, reconcile: nothing });
      const change = controller.reconfigure({ concurrency: 2 }, bounds as never);
      await expect(change).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    },
  );

  test('another kind for `for`, and a new `for`, are refused', async () => {
    const { manager } = managers.make();
    const plain = manager.addController({ name: 'plain', reconcile: nothing });
    const { controller } = await heldController();
    const other = { ...WebApp, plural: 'others', kind: 'Other' };
    await expect(controller.reconfigure({ for: other })).rejects.toMatchObject({
      facts: { option: 'reconfigure.for.resource' },
    });
    await expect(plain.reconfigure({ for: WebApp })).rejects.toMatchObject({
      facts: { option: 'reconfigure.for' },
    });
    await expect(plain.reconfigure({}, { sgnal: 1 } as never)).rejects.toMatchObject({
      facts: { option: 'reconfigure.options.sgnal' },
    });
  });

  test('a pulled controller has no concurrency, and its other settings change', async () => {
    const { manager } = managers.make();
    const controller = manager.addPulledController({ name: 'pulled', for: WebApp });
    await expect(controller.reconfigure({ concurrency: 2 })).rejects.toMatchObject({
      facts: { option: 'reconfigure.concurrency', cure: 'open more loops over `work()`' },
    });
    expect(await controller.reconfigure({ timeout: '1m' })).toMatchObject({ changed: ['timeout'] });
  });

  test('a stopped controller refuses every change', async () => {
    const { controller } = await heldController({}, 0);
    await controller.stop();
    await expect(controller.reconfigure({ concurrency: 2 })).rejects.toMatchObject({
      code: 'CONTROLLER_STOPPED',
    });
  });
});

test('a change is one line of the log', async () => {
  const { logger, lines } = recordingLogger();
  const { manager } = managers.make({ logger });
  const controller = manager.addController({ name: 'logged', for: WebApp, reconcile: nothing });
  await controller.reconfigure({ concurrency: 2, for: { resource: WebApp, labelSelector: 'a=b' } });
  expect(lines.filter(({ message }) => message === 'controller reconfigured')).toMatchObject([
    {
      controller: 'logged',
      changed: ['concurrency', 'for'],
      started: ['for WebApp (a=b)'],
      kept: 0,
      stopped: ['for WebApp'],
    },
  ]);
});
