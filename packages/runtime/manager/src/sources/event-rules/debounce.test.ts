import { describe, expect, jest, test } from '@jest/globals';
import { builtin, type ApiResource } from '@keelson/apimachinery';
import type { FakeCache } from '../../testing/fake-cache.test-support.ts';
import {
  managersOfTest,
  nothing,
  objectOf,
  toSelf,
  useFakeTime,
  valueOf,
  WebApp,
} from '../../testing/fixtures.test-support.ts';
import type { Controller } from '../../controller/controller.ts';
import type { ControllerOptions } from '../../controller/controller-options.ts';
import type { Outcome } from '../../reconcile/outcome.ts';
import type { ReconcileContext } from '../../reconcile/reconcile.ts';
import type { Request } from '../../reconcile/request.ts';

const { ConfigMap, Secret } = builtin;
const managers = managersOfTest();
const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

interface Running {
  readonly cache: FakeCache;
  readonly controller: Controller;
  /** The time of each run, in ms after the start. */
  readonly runs: number[];
  readonly contexts: ReconcileContext[];
  readonly count: (metric: string) => Promise<number | undefined>;
  /** Changes the object. */
  readonly touch: (resource?: ApiResource) => void;
}

/** A running controller in fake time. */
async function run(
  options: Omit<Partial<ControllerOptions<WebApp>>, 'reconcile'>,
  controllers: object = {},
  reconcile: (attempt: number, request: Request) => Outcome | undefined = () => undefined,
): Promise<Running> {
  useFakeTime();
  const { manager, cache } = managers.make({ controllers });
  const runs: number[] = [];
  const contexts: ReconcileContext[] = [];
  let begin = 0;
  const controller = manager.addController({
    name: 'calm',
    ...options,
    reconcile(request, context) {
      runs.push(Date.now() - begin);
      contexts.push(context);
      return reconcile(runs.length, request);
    },
  });
  manager.start().catch(nothing);
  await pass(1);
  begin = Date.now();
  const count = (metric: string) => valueOf(manager, metric, { controller: 'calm' });
  const touch = (resource: ApiResource = WebApp): void =>
    void cache.set(resource, objectOf(resource, 'a', { namespace: 'default' }));
  return { cache, controller, runs, contexts, count, touch };
}

const debounce = { wait: '1s', maxWait: '5s' } as const;

describe('the debounce of a controller', () => {
  test('CT39, R0-09 n events within the time lead to one run, not before the time after the first', async () => {
    const { cache, runs, count, touch } = await run({ for: WebApp, debounce });
    touch();
    await pass(600);
    touch();
    await pass(600);
    cache.delete(WebApp, { namespace: 'default', name: 'a' });
    await pass(10_000);
    expect(runs).toEqual([2200]);
    expect(await count('workqueue_retries_total')).toBe(0);
  });

  test('CT39, R0-09b with endless events a run begins every maxWait, ten times the time by default', async () => {
    const limited = await run({ for: WebApp, debounce });
    const byDefault = await run({ for: WebApp, debounce: { wait: '1s' } });
    for (const { runs, touch, at } of [
      { ...limited, at: 5000 },
      { ...byDefault, at: 10_000 },
    ]) {
      for (let times = 0; times < 50; times += 1) {
        touch();
        await pass(500);
      }
      const begin = runs[0] ?? 0;
      expect(runs.map((time) => time - begin).slice(0, 2)).toEqual([0, at]);
    }
  });

  test('objects of the initial list wait too', async () => {
    useFakeTime();
    const { manager, cache } = managers.make();
    cache.set(WebApp, objectOf(WebApp, 'a'));
    let runs = 0;
    manager.addController({ name: 'calm', for: WebApp, debounce, reconcile: () => void runs++ });
    manager.start().catch(nothing);
    await pass(999);
    expect(runs).toBe(0);
    await pass(2);
    expect(runs).toBe(1);
  });

  test('does not delay enqueue, which also ends the delay of earlier events', async () => {
    const { controller, runs, touch } = await run({ for: WebApp, debounce });
    controller.enqueue({ namespace: 'default', name: 'a' });
    await pass(10);
    touch();
    await pass(10);
    controller.enqueue({ namespace: 'default', name: 'a' });
    await pass(10_000);
    expect(runs).toEqual([0, 20]);
  });

  test('delays neither retries nor requeueAfter, and events do not postpone them', async () => {
    const { runs, touch } = await run(
      { for: WebApp, debounce, backoff: { base: 100 } },
      {},
      (attempt) => {
        if (attempt === 1) throw new Error('no');
        return attempt === 2 ? { requeueAfter: 200 } : undefined;
      },
    );
    touch();
    await pass(1050);
    touch(); // before the retry at 1100
    await pass(100);
    touch(); // before the run of requeueAfter at 1300
    await pass(10_000);
    expect(runs).toEqual([1000, 1100, 1300]);
  });

  test('an event during a run leads to a run after the time', async () => {
    let touchInRun = nothing;
    const { runs, touch } = await run({ for: WebApp, debounce }, {}, (attempt) => {
      if (attempt === 1) touchInRun();
      return undefined;
    });
    touchInRun = () => touch();
    touch();
    await pass(10_000);
    expect(runs).toEqual([1000, 2000]);
  });

  test('CT31 the source beats the controller, and the controller beats the manager', async () => {
    const { runs, touch } = await run(
      {
        for: { resource: WebApp, debounce: { wait: 0 } },
        watches: [
          { resource: Secret, map: () => ({ name: 'of-secret' }) },
          { resource: ConfigMap, map: () => ({ name: 'of-map' }), debounce: { wait: 300 } },
        ],
        debounce: { wait: 200 },
      },
      { debounce: { wait: 100 } },
    );
    touch();
    await pass(0);
    touch(ConfigMap);
    touch(Secret);
    await pass(10_000);
    expect(runs).toEqual([0, 200, 300]);
    const shared = await run({ for: WebApp }, { debounce: { wait: 100 } });
    shared.touch();
    await pass(10_000);
    expect(shared.runs).toEqual([100]);
  });

  test('delays the values of async iterables, unless they choose otherwise', async () => {
    async function* requests(): AsyncGenerator<Request> {
      yield { name: 'a' };
    }
    const options = { name: 'queue', requests };
    for (const [own, time] of [
      [{}, 1000],
      [{ debounce: { wait: 0 } }, 0],
    ] as const) {
      useFakeTime();
      const { manager } = managers.make();
      const begin = Date.now();
      const runs: number[] = [];
      manager.addController({
        name: 'calm',
        sources: [{ ...options, ...own }],
        debounce,
        reconcile: () => void runs.push(Date.now() - begin),
      });
      manager.start().catch(nothing);
      await pass(10_000);
      expect(runs.map((at) => Math.floor(at / 100) * 100)).toEqual([time]);
    }
  });

  test('RC14 a removed watch takes its delayed requests along, unless another source asks for them', async () => {
    const { controller, runs, contexts, touch } = await run({ for: WebApp, debounce });
    const watch = controller.watch({ resource: Secret, map: toSelf });
    const other = controller.watch({
      resource: ConfigMap,
      map: ({ name, namespace }) => ({ name, namespace }),
    });
    touch(Secret); // the request `a`, without a namespace
    touch(ConfigMap); // the request `default/a`
    touch();
    await Promise.all([watch.remove(), other.remove()]);
    await pass(10_000);
    expect(runs).toEqual([1000]);
    expect(contexts[0]?.causes.map(({ source }) => source)).toEqual(['for WebApp']);
  });

  test('the request keeps the highest priority of its events', async () => {
    const { contexts, touch } = await run({
      for: { resource: WebApp, priority: 1 },
      watches: [
        { resource: Secret, map: ({ name, namespace }) => ({ name, namespace }), priority: 7 },
      ],
      debounce,
    });
    touch(Secret);
    touch();
    await pass(10_000);
    expect(contexts.map(({ priority }) => priority)).toEqual([7]);
  });
});
