import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { FakeCache } from '../testing/fake-cache.test-support.ts';
import {
  gate,
  managersOfTest,
  nothing,
  objectOf,
  useFakeTime,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import { settingMistakes } from '../common-mistakes.ts';
import type { Manager } from '../manager/manager.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import { TerminalError } from '../reconcile/terminal-error.ts';
import type { Controller } from './controller.ts';
import type { ControllerOptions } from './controller-options.ts';

const managers = managersOfTest();
const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);
const HOUR = 3_600_000;
const name = { namespace: 'default', name: 'a' };

interface Running {
  readonly manager: Manager;
  readonly cache: FakeCache;
  readonly controller: Controller;
  /** The reason, the priority and the attempt of each run. */
  readonly runs: string[];
  /** The times of the runs. */
  readonly times: number[];
}

type Options = Partial<Omit<ControllerOptions<WebApp>, 'reconcile' | 'name'>>;

/** A controller with an interval of one hour and one object. */
async function run(
  options: Options = {},
  reconcile: (count: number) => Outcome | undefined | Promise<Outcome | undefined> = () =>
    undefined,
  controllers: object = {},
): Promise<Running> {
  useFakeTime();
  // Without the timer that exists while reconciles run.
  const { manager, cache } = managers.make({ controllers, eventLoop: { warnAfter: 0 } });
  cache.set(WebApp, objectOf(WebApp, 'a'));
  const runs: string[] = [];
  const times: number[] = [];
  const controller = manager.addController({
    name: 'patrol',
    for: WebApp,
    maxReconcileInterval: '1h',
    ...options,
    reconcile(_request, { causes, priority, attempt }) {
      const reasons = causes.map(({ source, reason }) => `${source} ${reason}`).join(', ');
      runs.push(`${reasons} ${priority} ${attempt}`);
      times.push(performance.now());
      return reconcile(runs.length);
    },
  });
  manager.start().catch(nothing);
  await pass(1);
  return { manager, cache, controller, runs, times };
}

const byInterval = 'controller interval -100 1';

describe('maxReconcileInterval', () => {
  test('R0-10, JO15 an object without an event runs again in every interval, up to a tenth earlier', async () => {
    const { runs, times } = await run();
    await pass(10 * HOUR);
    expect(runs.length).toBeGreaterThanOrEqual(11);
    expect(runs.slice(0, 3)).toEqual(['for WebApp initial -100 1', byInterval, byInterval]);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(HOUR);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0.89 * HOUR);
  });

  test('each run begins the interval anew', async () => {
    const { cache, runs } = await run();
    for (let events = 0; events < 10; events += 1) {
      await pass(0.8 * HOUR);
      cache.set(WebApp, objectOf(WebApp, 'a'));
      await pass(1);
    }
    expect(runs.slice(1)).toEqual(Array.from({ length: 10 }, () => 'for WebApp updated 0 1'));
  });

  test('a shorter requeueAfter keeps its time, and a longer one is cut', async () => {
    const short = await run({}, () => ({ requeueAfter: '25m' }));
    await pass(2 * HOUR);
    expect(short.runs.slice(1)).toEqual(
      Array.from({ length: 4 }, () => 'controller requeue -100 1'),
    );
    const long = await run({}, (count) => (count === 1 ? { requeueAfter: '5h' } : undefined));
    await pass(HOUR);
    expect(long.runs).toHaveLength(2);
    expect(long.runs[1]).toContain('controller interval');
  });

  test('failures are retried by the backoff alone; a success begins the interval', async () => {
    const { runs } = await run({ backoff: { base: '2h', max: '2h' } }, (count) => {
      if (count === 2) throw new Error('no');
      return undefined;
    });
    await pass(HOUR);
    expect(runs).toHaveLength(2);
    await pass(1.85 * HOUR);
    expect(runs).toHaveLength(2);
    await pass(0.2 * HOUR);
    expect(runs.at(-1)).toMatch(/ 2$/);
    await pass(HOUR);
    expect(runs).toHaveLength(4);
    expect(runs.at(-1)).toBe(byInterval);
  });

  test('JO15 an object that was given up runs again after the interval, with attempt 1', async () => {
    const { runs } = await run({}, () => {
      throw new TerminalError('no');
    });
    await pass(HOUR);
    expect(runs).toEqual(['for WebApp initial -100 1', byInterval]);
  });

  test.each<[string, Options]>([
    ['', {}],
    [', also if a predicate vetoes the event', { predicates: [({ type }) => type !== 'deleted'] }],
  ])('a deletion ends the interval and keeps nothing%s', async (_what, options) => {
    const { cache, runs } = await run(options);
    const before = jest.getTimerCount();
    cache.delete(WebApp, name);
    await pass(1);
    expect(jest.getTimerCount()).toBe(before - 1);
    await pass(10 * HOUR);
    expect(runs.filter((line) => line.includes('interval'))).toEqual([]);
  });

  test('an object that is deleted during its run is not scheduled', async () => {
    let remove = nothing;
    const { cache, runs } = await run({}, (count) => {
      if (count === 2) remove();
      return undefined;
    });
    const before = jest.getTimerCount();
    remove = () => cache.delete(WebApp, name);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await pass(10 * HOUR);
    expect(runs).toHaveLength(3);
    // The manager has timers of its own.
    expect(jest.getTimerCount()).toBe(before - 1);
  });

  test('a run that outlasts the interval of the run before it leads to no further run at its end', async () => {
    const { cache, runs } = await run({}, async (count) => {
      if (count === 2) await new Promise((resolve) => setTimeout(resolve, 5 * HOUR));
      return undefined;
    });
    await pass(0.5 * HOUR);
    cache.set(WebApp, objectOf(WebApp, 'a'));
    await pass(5.8 * HOUR);
    expect(runs).toHaveLength(2);
    await pass(0.3 * HOUR);
    expect(runs).toHaveLength(3);
  });

  test('a run that ends after the stop of its controller leaves no timer', async () => {
    const end = gate();
    const { controller, manager, runs } = await run({}, async () => {
      await end.opened;
      return undefined;
    });
    void controller.stop();
    await pass(1);
    const before = jest.getTimerCount();
    end.open();
    await pass(1);
    expect([runs.length, jest.getTimerCount()]).toEqual([1, before]);
    await manager.stop();
  });

  test('the intervals of a namespace that leaves end with its watch', async () => {
    const { controller, runs } = await run({ namespaces: ['default', 'other'] });
    const before = jest.getTimerCount();
    await controller.setNamespaces(['other']);
    expect(jest.getTimerCount()).toBe(before - 1);
    await pass(10 * HOUR);
    expect(runs).toHaveLength(1);
  });

  test('CT30 the stop of the controller leaves no timer', async () => {
    const { controller, runs } = await run();
    const before = jest.getTimerCount();
    await controller.stop();
    expect(jest.getTimerCount()).toBe(before - 1);
    await pass(10 * HOUR);
    expect(runs).toHaveLength(1);
  });

  test('CT31 the controller beats the manager, and 0 turns it off', async () => {
    const own = await run({ maxReconcileInterval: 0 }, undefined, { maxReconcileInterval: '1h' });
    await pass(10 * HOUR);
    expect(own.runs).toHaveLength(1);
    const shared = await run({ maxReconcileInterval: undefined as never }, undefined, {
      maxReconcileInterval: '1h',
    });
    await pass(HOUR);
    expect(shared.runs).toHaveLength(2);
  });

  test('its runs are counted as the others, and not as retries', async () => {
    const { manager } = await run();
    await pass(HOUR);
    const labels = { controller: 'patrol' };
    const total = { ...labels, result: 'success' };
    expect(await valueOf(manager, 'controller_runtime_reconcile_total', total)).toBe(2);
    expect(await valueOf(manager, 'workqueue_retries_total', labels)).toBe(0);
  });

  test('MG01 a controller without `for` is refused with the option, and has none by default', async () => {
    const { manager } = managers.make({ controllers: { maxReconcileInterval: '1h' } });
    const add = (options: object): unknown =>
      manager.addController({ name: 'a', reconcile: nothing, ...options });
    const option = 'addController.maxReconcileInterval';
    expect(() => add({ maxReconcileInterval: '1h' })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
    expect(() => add({ maxReconciliationInterval: '1h', for: builtin.Pod })).toThrow(
      expect.objectContaining({
        facts: expect.objectContaining({ cure: settingMistakes.maxReconciliationInterval }),
      }),
    );
    expect(add({})).toBeDefined();
  });
});
