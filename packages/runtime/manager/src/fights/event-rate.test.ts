import { describe, expect, jest, test } from '@jest/globals';
import { builtin, type ApiResource } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import { viewOf, type FakeCache } from '../testing/fake-cache.test-support.ts';
import {
  managersOfTest,
  nothing,
  objectOf,
  recordingLogger,
  useFakeTime,
  valueOf,
  WebApp,
} from '../testing/fixtures.test-support.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerOptions } from '../controller/controller-options.ts';
import type { Outcome } from '../reconcile/outcome.ts';
import type { Request } from '../reconcile/request.ts';

const { Secret } = builtin;
const managers = managersOfTest();
const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

interface Running {
  readonly cache: FakeCache;
  readonly controller: Controller;
  /** The name and the time of each run, in ms after the start. */
  readonly runs: [string, number][];
  readonly lines: Record<string, unknown>[];
  readonly delayed: () => Promise<number | undefined>;
  /** Changes an object as often, and runs what is due. */
  readonly touch: (times?: number, name?: string, resource?: ApiResource) => Promise<void>;
}

type Options = Omit<Partial<ControllerOptions<WebApp>>, 'reconcile'>;

/** A running controller in fake time. */
async function run(
  options: Options,
  controllers: object = {},
  reconcile: () => Outcome | undefined = () => undefined,
): Promise<Running> {
  useFakeTime();
  const { logger, lines } = recordingLogger();
  const { manager, cache } = managers.make({ controllers, logger });
  const runs: [string, number][] = [];
  let begin = 0;
  const controller = manager.addController({
    name: 'calm',
    for: WebApp,
    ...options,
    reconcile({ name }) {
      runs.push([name, Math.round(performance.now() - begin)]);
      return reconcile();
    },
  });
  manager.start().catch(nothing);
  await pass(1);
  begin = performance.now();
  const delayed = () => valueOf(manager, 'keelson_delayed_events_total', { controller: 'calm' });
  const touch = async (times = 1, name = 'a', resource: ApiResource = WebApp): Promise<void> => {
    for (let events = 0; events < times; events += 1) {
      cache.set(resource, objectOf(resource, name));
      await pass(0);
    }
  };
  return { cache, controller, runs, lines, delayed, touch };
}

const eventRate = { burst: 3, perSecond: 1 };
const toName = ({ namespace, name }: Request): Request => ({ namespace, name });
const times = (runs: readonly [string, number][]): number[] => runs.map(([, at]) => at);

describe('eventRate', () => {
  test('events beyond the burst wait for the next token, together', async () => {
    const { runs, delayed, touch } = await run({ eventRate });
    await touch(8);
    await pass(500);
    await touch(2);
    await pass(10_000);
    expect(times(runs)).toEqual([0, 0, 0, 1000]);
    expect(await delayed()).toBe(7);
  });

  test('an object with endless events runs once per token', async () => {
    const { runs, touch } = await run({ eventRate: { burst: 1, perSecond: 2 } });
    for (let events = 0; events < 100; events += 1) {
      await touch();
      await pass(30);
    }
    const gaps = times(runs).map((at, index, all) => at - (all[index - 1] ?? 0));
    expect(runs.length).toBeGreaterThanOrEqual(6);
    expect(gaps.slice(1).every((gap) => gap === 500)).toBe(true);
  });

  test('JO14 after a flood one final run follows, over random times of events', async () => {
    const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(200), fc.nat(3000)), { minLength: 1 });
    const rate = fc.record({ burst: fc.integer({ min: 1, max: 4 }), perSecond: fc.nat(9) });
    await fc.assert(
      fc.asyncProperty(gaps, rate, async (waits, { burst, perSecond }) => {
        let events = 0;
        let seen = 0;
        const given = { burst, perSecond: perSecond + 1 };
        const { touch } = await run({ eventRate: given }, {}, () => void (seen = events));
        for (const wait of waits) {
          events += 1;
          await touch();
          await pass(wait);
        }
        await pass(1000);
        expect(seen).toBe(events);
        await managers.stopAll();
      }),
      { numRuns: 40 },
    );
  });

  test('other objects and other sources of the request are not delayed', async () => {
    const watches = [{ resource: Secret, map: toName }];
    const { runs, touch, delayed } = await run({ watches, eventRate });
    await touch(4, 'a', Secret);
    expect(await delayed()).toBe(1);
    await touch(1, 'b', Secret);
    expect(times(runs)).toEqual([0, 0, 0, 0]);
    await pass(300);
    await touch(1, 'a');
    expect(runs.at(-1)).toEqual(['a', 300]);
    await pass(2000);
    expect(runs).toHaveLength(5);
  });

  test('the events of many objects of one request are not limited', async () => {
    const toOne = () => ({ namespace: 'default', name: 'one' });
    const { runs, touch, delayed } = await run({
      watches: [{ resource: Secret, map: toOne }],
      eventRate,
    });
    for (let index = 0; index < 50; index += 1) await touch(1, `s${index}`, Secret);
    expect(runs).toHaveLength(50);
    expect(await delayed()).toBe(0);
  });

  test('initial objects, resyncs, retries, requeueAfter and enqueue are not limited', async () => {
    const outcome: { next: Outcome | undefined } = { next: undefined };
    const { cache, controller, runs, delayed, touch } = await run(
      { eventRate: { burst: 1, perSecond: 0.001 } },
      {},
      () => outcome.next,
    );
    await touch(2);
    expect(runs).toHaveLength(1);
    const object = viewOf(objectOf(WebApp, 'a'));
    const facts = { key: object.key, object, receivedAt: 0 };
    for (let count = 0; count < 5; count += 1) {
      cache.emit(WebApp, { type: 'updated', previous: object, ...facts });
      await pass(0);
      cache.emit(WebApp, { type: 'added', initial: true, ...facts });
      await pass(0);
      controller.enqueue({ namespace: 'default', name: 'a' });
      await pass(0);
    }
    expect(runs).toHaveLength(16);
    outcome.next = { requeueAfter: 10 };
    controller.enqueue({ namespace: 'default', name: 'a' });
    await pass(100);
    expect(runs.length).toBeGreaterThanOrEqual(26);
    outcome.next = { retry: true };
    await pass(100);
    expect(runs.length).toBeGreaterThanOrEqual(29);
    expect(await delayed()).toBe(1);
  });

  test('an object of the controller is deleted without a delay, and its successor has a new burst', async () => {
    const { cache, runs, touch } = await run({ eventRate });
    await touch(4);
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    cache.set(WebApp, objectOf(WebApp, 'a', { metadata: { deletionTimestamp } }));
    await pass(0);
    expect(runs).toHaveLength(4);
    cache.set(WebApp, objectOf(WebApp, 'a', { metadata: { deletionTimestamp } }));
    await pass(0);
    expect(runs).toHaveLength(4);
    cache.delete(WebApp, { namespace: 'default', name: 'a' });
    await pass(0);
    expect(runs).toHaveLength(5);
    await touch(4);
    expect(runs).toHaveLength(8);
  });

  test('a child that one side creates and another one deletes is limited', async () => {
    const { cache, runs, delayed } = await run({
      watches: [{ resource: Secret, map: toName }],
      eventRate,
    });
    for (let rounds = 0; rounds < 3; rounds += 1) {
      cache.set(Secret, objectOf(Secret, 's'));
      await pass(0);
      cache.delete(Secret, { namespace: 'default', name: 's' });
      await pass(0);
    }
    expect([runs.length, await delayed()]).toEqual([3, 3]);
    await pass(1000);
    expect(runs).toHaveLength(4);
  });

  test('an event whose predicates or mapper drop it takes no token', async () => {
    let isOpen = false;
    const { runs, touch } = await run({
      for: { resource: WebApp, predicates: [() => isOpen] },
      watches: [{ resource: Secret, map: (secret) => (isOpen ? toName(secret) : undefined) }],
      eventRate,
    });
    await touch(50);
    await touch(50, 'a', Secret);
    isOpen = true;
    await touch(3);
    await touch(3, 'a', Secret);
    expect(times(runs)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('CT31 the source beats the controller, which beats the manager; false turns the limit off', async () => {
    const off = await run({ eventRate: false }, { eventRate });
    await off.touch(300);
    expect([off.runs.length, await off.delayed()]).toEqual([300, 0]);
    const own = await run({ for: { resource: WebApp, eventRate: { burst: 5 } }, eventRate: false });
    await own.touch(300);
    expect(own.runs).toHaveLength(5);
    const shared = await run({}, { eventRate });
    await shared.touch(300);
    expect(shared.runs).toHaveLength(3);
  });

  test('by default an object has 100 events at once and then one per second', async () => {
    const { runs, touch } = await run({});
    await touch(150);
    expect(runs).toHaveLength(100);
    await pass(999);
    await touch(10);
    expect(runs).toHaveLength(100);
    await pass(1);
    expect(runs).toHaveLength(101);
  });

  test('a longer debounce applies, and a shorter one does not postpone another source', async () => {
    const debounce = { wait: '5s', maxWait: '60s' } as const;
    const longer = await run({ eventRate: { burst: 1 }, debounce });
    await longer.touch(3);
    await pass(6000);
    expect(times(longer.runs)).toEqual([5000]);
    const shorter = await run({
      eventRate: { burst: 1, perSecond: 0.1 },
      debounce: { wait: '1s', maxWait: '60s' },
      watches: [{ resource: Secret, map: toName }],
    });
    await shorter.touch(1, 'a', Secret);
    await pass(1000);
    await shorter.touch(1, 'a');
    await shorter.touch(1, 'a', Secret);
    await pass(20_000);
    expect(times(shorter.runs)).toEqual([1000, 2000]);
  });

  test('a removed watch takes its delayed requests along', async () => {
    const { controller, runs, touch } = await run({ eventRate });
    const watch = controller.watch({ resource: Secret, map: toName });
    await pass(1);
    await touch(4, 's', Secret);
    await watch.remove();
    await pass(10_000);
    expect(runs).toHaveLength(3);
  });
});
