import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { WorkQueue } from '../index.ts';
import { runAll, takeAll } from '../testing/take-all.test-support.ts';

describe('the delays of a WorkQueue', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  describe('delays', () => {
    test('WQ12 an item added after 50 ms has length 0 and is delivered once at its time', async () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { after: 50 });
      expect([queue.length, queue.waiting]).toEqual([0, 1]);
      await jest.advanceTimersByTimeAsync(60);
      expect(runAll(queue)).toEqual(['foo']);
      await jest.advanceTimersByTimeAsync(10_000);
      expect(queue.length).toBe(0);
    });

    test('adds and takes of one turn share a reading of the clock', () => {
      const reading = jest.spyOn(performance, 'now');
      const queue = new WorkQueue<string>();
      for (const item of ['one', 'two']) queue.add(item);
      expect([queue.take()?.item, queue.take()?.item]).toEqual(['one', 'two']);
      expect(reading).toHaveBeenCalledTimes(1);
    });

    test('a take reads the clock while an item waits, so that it hands out what became due in a long turn', () => {
      const queue = new WorkQueue<string>();
      queue.add('due', { after: 50 });
      queue.add('ready');
      jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 50);
      expect([queue.take()?.item, queue.take()?.item]).toEqual(['ready', 'due']);
    });

    test('a take reads the clock while an item is in its backoff, so that a run after its end is not an early one', () => {
      const queue = new WorkQueue<string>({ backoff: { base: 50, max: 50 } });
      queue.add('foo');
      queue.take();
      queue.add('foo', { rateLimited: true });
      queue.done('foo');
      queue.add('foo');
      jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 50);
      expect(queue.take()?.failures).toBe(1);
      queue.done('foo');
      queue.add('foo');
      expect([queue.length, queue.waiting]).toEqual([1, 0]);
    });

    test('WQ13 the earlier of two delays is used, once', async () => {
      const queue = new WorkQueue<string>();
      queue.add('later', { after: 50 });
      queue.add('later', { after: 70 });
      queue.add('earlier', { after: 50 });
      queue.add('earlier', { after: 30 });
      await jest.advanceTimersByTimeAsync(30);
      expect(runAll(queue)).toEqual(['earlier']);
      await jest.advanceTimersByTimeAsync(20);
      expect(runAll(queue)).toEqual(['later']);
      await jest.advanceTimersByTimeAsync(100);
      expect(runAll(queue)).toEqual([]);
    });

    test('WQ14 a short delay that is added after a long one is handed out first', async () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { after: 1000 });
      queue.add('bar', { after: 50 });
      await jest.advanceTimersByTimeAsync(50);
      expect(runAll(queue)).toEqual(['bar']);
      queue.add('baz', { after: 2000 });
      await jest.advanceTimersByTimeAsync(1000);
      expect(runAll(queue)).toEqual(['foo']);
      await jest.advanceTimersByTimeAsync(2000);
      expect(runAll(queue)).toEqual(['baz']);
    });

    test('PQ10 an item added with delay 0 and then 1 h is ready at once', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { after: 0 });
      queue.add('foo', { after: 3_600_000 });
      expect(queue.take()?.item).toBe('foo');
      expect(queue.waiting).toBe(0);
    });

    test('PQ11 length excludes waiting items', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { after: 1 });
      queue.add('bar');
      expect(queue.length).toBe(1);
    });

    test('PQ15 a waiting item that is added again with a higher priority and no delay is ready at once with that priority', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { after: 60_000 });
      queue.add('bar', { priority: 1 });
      queue.add('foo', { priority: 2 });
      expect(queue.take()).toMatchObject({ item: 'foo', priority: 2 });
    });

    test('a waiting item that is raised keeps its time', async () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { after: 100 });
      queue.add('foo', { after: 200, priority: 7 });
      expect(queue.take()).toBeUndefined();
      await jest.advanceTimersByTimeAsync(100);
      expect(queue.take()).toMatchObject({ item: 'foo', priority: 7 });
    });

    test('PQ19 a delayed item is handed out only after its delay', async () => {
      const queue = new WorkQueue<string>();
      const work = queue.get();
      let settled = false;
      void work.then(() => {
        settled = true;
        return settled;
      });
      queue.add('foo', { after: 1000 });
      await jest.advanceTimersByTimeAsync(999);
      expect(settled).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect((await work)?.item).toBe('foo');
    });

    test('PQ20 an item of high priority that became ready precedes an earlier one of low priority', async () => {
      const queue = new WorkQueue<string>();
      queue.add('high', { priority: 1, after: 1000 });
      queue.add('low');
      await jest.advanceTimersByTimeAsync(1000);
      expect(takeAll(queue)).toEqual(['high', 'low']);
    });

    test('PQ20 a due item is handed out although a busy event loop delays the timer', () => {
      let now = 0;
      const queue = new WorkQueue<string>({ clock: { now: () => now } });
      queue.add('high', { priority: 1, after: 1000 });
      queue.add('low');
      now = 1000;
      expect(takeAll(queue)).toEqual(['high', 'low']);
    });

    test('PQ22 a waiting item that is added again without delay is ready at once', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { after: 60_000 });
      queue.add('foo');
      expect(runAll(queue)).toEqual(['foo']);
      expect(jest.getTimerCount()).toBe(0);
    });

    test('PQ23 delayed items are handed out by deadline, equal ones in the order of their adds', async () => {
      const queue = new WorkQueue<string>();
      const delays = { c: 300, a: 100, d: 300, b: 200, e: 300 };
      for (const [item, after] of Object.entries(delays)) queue.add(item, { after });
      await jest.advanceTimersByTimeAsync(300);
      expect(takeAll(queue)).toEqual(['a', 'b', 'c', 'd', 'e']);
    });

    test('very many delays that end together become ready in several turns of the event loop', async () => {
      const queue = new WorkQueue<number>();
      const many = Array.from({ length: 20_000 }, (_, item) => item);
      for (const item of many) queue.add(item, { after: 10 });
      jest.advanceTimersToNextTimer();
      expect(queue.length).toBeLessThan(10_000);
      await jest.advanceTimersByTimeAsync(10);
      expect(queue.length).toBe(20_000);
      expect(runAll(queue)).toEqual(many);
    });

    test('PQ35 a delay above 2^31−1 ms does not fire early', async () => {
      const queue = new WorkQueue<string>();
      const delay = 2 ** 31 + 5000;
      queue.add('foo', { after: delay });
      await jest.advanceTimersByTimeAsync(delay - 1);
      expect([queue.length, queue.waiting]).toEqual([0, 1]);
      await jest.advanceTimersByTimeAsync(1);
      expect(runAll(queue)).toEqual(['foo']);
    });

    test('a held item that waits is ready at its time and is handed out after done', async () => {
      const queue = new WorkQueue<string>();
      queue.add('foo');
      queue.take();
      queue.add('foo', { after: 100 });
      expect(queue.length).toBe(0);
      await jest.advanceTimersByTimeAsync(100);
      expect(queue.length).toBe(1);
      expect(queue.take()).toBeUndefined();
      queue.done('foo');
      expect(queue.take()?.item).toBe('foo');
    });

    test('one timer serves any number of delays, and all items arrive in several turns', async () => {
      const queue = new WorkQueue<number>();
      for (let item = 0; item < 20_000; item += 1) queue.add(item, { after: 1000 - (item % 10) });
      expect(jest.getTimerCount()).toBe(1);
      await jest.advanceTimersByTimeAsync(1000);
      expect(queue.length).toBe(20_000);
      expect(jest.getTimerCount()).toBe(0);
    });
  });

  describe('backoff', () => {
    test('WQ16 rate-limited adds are delayed by item, and restart at the first delay after forget', async () => {
      const queue = new WorkQueue<string>({ backoff: { base: 1, max: 1000 } });
      const delayOf = async (item: string): Promise<number> => {
        const before = performance.now();
        queue.add(item, { rateLimited: true });
        while (queue.length === 0) await jest.advanceTimersToNextTimerAsync();
        runAll(queue);
        return performance.now() - before;
      };
      expect([await delayOf('one'), await delayOf('one')]).toEqual([1, 2]);
      expect([await delayOf('two'), await delayOf('two')]).toEqual([1, 2]);
      expect(queue.failures('one')).toBe(2);
      queue.forget('one');
      expect(queue.failures('one')).toBe(0);
      expect([await delayOf('one'), await delayOf('two')]).toEqual([1, 4]);
    });

    test('PQ27 several rate-limited adds each get their own backoff', async () => {
      const queue = new WorkQueue<string>({ backoff: { base: 10, max: 1000 } });
      for (const item of ['foo', 'bar', 'baz']) queue.add(item, { rateLimited: true });
      await jest.advanceTimersByTimeAsync(9);
      expect(queue.length).toBe(0);
      await jest.advanceTimersByTimeAsync(1);
      expect(takeAll(queue)).toEqual(['foo', 'bar', 'baz']);
    });

    test('PQ34 a rate-limited add that collapses is not charged', async () => {
      const queue = new WorkQueue<string>({ backoff: { base: 10, max: 1000 } });
      for (let times = 0; times < 5; times += 1) queue.add('foo', { rateLimited: true });
      expect(queue.failures('foo')).toBe(1);
      await jest.advanceTimersByTimeAsync(10);
      queue.add('foo', { rateLimited: true });
      expect(queue.failures('foo')).toBe(1);
      expect(queue.take()).toMatchObject({ item: 'foo', failures: 1 });
    });

    test('PQ34 the failure of a held run is charged once, even if its retry collapses', () => {
      const queue = new WorkQueue<string>({ backoff: { base: 10, max: 1000 } });
      queue.add('foo');
      queue.take();
      queue.add('foo');
      queue.add('foo', { rateLimited: true });
      queue.add('foo', { rateLimited: true });
      expect(queue.failures('foo')).toBe(1);
      queue.done('foo');
      expect(queue.take()).toMatchObject({ item: 'foo', failures: 1 });
    });

    test('PQ33 20 events in 1 s on a key that fails each time cause at most one early run per window', async () => {
      const queue = new WorkQueue<string>({ backoff: { base: 100, max: 100_000 } });
      const runs: [at: number, failures: number][] = [];
      queue.onAvailable(() => {
        for (let work = queue.take(); work !== undefined; work = queue.take()) {
          runs.push([performance.now() - began, work.failures]);
          queue.add(work.item, { rateLimited: true });
          queue.done(work.item);
        }
      });
      const began = performance.now();
      queue.add('foo');
      for (let event = 0; event < 20; event += 1) {
        await jest.advanceTimersByTimeAsync(50);
        queue.add('foo');
      }
      await jest.advanceTimersByTimeAsync(500);
      // Windows: 0 to 100, 100 to 300, 300 to 700, 700 to 1500. In each of them, the first event
      // runs early.
      const times = [0, 50, 100, 100, 300, 300, 700, 700, 1500];
      expect(runs).toEqual(times.map((at, index) => [at, Math.ceil(index / 2)]));
      await queue.shutDown();
    });

    test('PQ33 allowEarlyRun lets one more add run early, which does not count as an attempt', async () => {
      const queue = new WorkQueue<string>({ backoff: { base: 100, max: 100_000 } });
      const fail = (): void => {
        const work = queue.take();
        if (work === undefined) return;
        runs.push([performance.now() - began, work.failures]);
        queue.add(work.item, { rateLimited: true });
        queue.done(work.item);
      };
      const runs: [at: number, failures: number][] = [];
      const began = performance.now();
      queue.allowEarlyRun('foo');
      queue.add('foo');
      fail();
      for (let click = 0; click < 3; click += 1) {
        await jest.advanceTimersByTimeAsync(10);
        queue.allowEarlyRun('foo');
        queue.add('foo');
        fail();
        queue.add('foo');
        fail();
      }
      await jest.advanceTimersByTimeAsync(70);
      fail();
      const early = [10, 20, 30].map((at) => [at, 1]);
      expect(runs).toEqual([[0, 0], ...early, [100, 1]]);
      await queue.shutDown();
    });

    test('PQ33 a run that adds its own key and then fails runs twice per window, which is one attempt', async () => {
      const queue = new WorkQueue<string>({ backoff: { base: 100, max: 100_000 } });
      const runs: [at: number, failures: number][] = [];
      queue.onAvailable(() => {
        for (let work = queue.take(); work !== undefined; work = queue.take()) {
          runs.push([performance.now() - began, work.failures]);
          queue.add(work.item);
          queue.add(work.item, { rateLimited: true });
          queue.done(work.item);
        }
      });
      const began = performance.now();
      queue.add('foo');
      await jest.advanceTimersByTimeAsync(700);
      const times = [0, 0, 100, 100, 300, 300, 700, 700];
      expect(runs).toEqual(times.map((at, index) => [at, Math.ceil(index / 2)]));
      await queue.shutDown();
    });

    test.each([
      ['a delay', { after: 10 }],
      ['a priority', { priority: 7 }],
      ['no option', {}],
    ])(
      'PQ33 an add with %s after the early run of a window waits for its deadline',
      async (_, options) => {
        const queue = new WorkQueue<string>({ backoff: { base: 1000 } });
        const fail = (): void => {
          queue.add('foo', { rateLimited: true });
          queue.done('foo');
        };
        queue.add('foo');
        queue.take();
        fail();
        queue.add('foo');
        expect(queue.take()).toMatchObject({ item: 'foo', failures: 1 });
        queue.add('foo', options);
        fail();
        queue.add('foo', options);
        await jest.advanceTimersByTimeAsync(999);
        expect([queue.length, queue.waiting]).toEqual([0, 1]);
        await jest.advanceTimersByTimeAsync(1);
        expect(queue.take()).toMatchObject({ item: 'foo', failures: 1 });
      },
    );

    test('PQ33 a failure before the deadline is not a new attempt, one after it is', () => {
      const clock = { now: 0 };
      const queue = new WorkQueue<string>({
        clock: { now: () => clock.now },
        backoff: { base: 1000 },
      });
      expect(queue.backoffEnd('foo')).toBeUndefined();
      failOnceThenTakeEarly(queue);
      expect([queue.isBackingOff('foo'), queue.backoffEnd('foo')]).toEqual([true, 1000]);
      clock.now = 999;
      queue.add('foo', { rateLimited: true });
      queue.done('foo');
      expect([queue.failures('foo'), queue.isBackingOff('foo')]).toEqual([1, true]);
      expect(queue.backoffEnd('foo')).toBe(1000);
      clock.now = 1000;
      expect(queue.take()?.failures).toBe(1);
      expect(queue.isBackingOff('foo')).toBe(false);
      queue.add('foo', { rateLimited: true });
      queue.done('foo');
      expect([queue.failures('foo'), queue.isBackingOff('foo')]).toEqual([2, true]);
      queue.forget('foo');
      expect([queue.isBackingOff('foo'), queue.backoffEnd('foo')]).toEqual([false, undefined]);
    });

    test('PQ33 debounced adds that waited for the end of a backoff have the time of the last one', () => {
      const clock = { now: 0 };
      const queue = new WorkQueue<string>({
        clock: { now: () => clock.now },
        backoff: { base: 10_000 },
      });
      failOnceThenTakeEarly(queue);
      const debounce = { wait: 100, maxWait: 1000 };
      for (clock.now of [20, 100]) queue.add('foo', { debounce });
      clock.now = 110;
      queue.forget('foo');
      queue.done('foo');
      clock.now = 199;
      expect(queue.take()).toBeUndefined();
      // A later one still postpones it.
      queue.add('foo', { debounce });
      clock.now = 298;
      expect(queue.take()).toBeUndefined();
      clock.now = 299;
      expect(queue.take()?.item).toBe('foo');
    });

    test('PQ33 an event that waited for the end of a backoff is handed out when the early run succeeds', async () => {
      const queue = new WorkQueue<string>({ backoff: { base: 1_000_000 } });
      queue.add('foo');
      queue.take();
      queue.add('foo');
      queue.add('foo', { rateLimited: true });
      queue.done('foo');
      queue.take();
      queue.add('foo');
      queue.add('foo', { after: 50 });
      expect(queue.length).toBe(0);
      queue.forget('foo');
      queue.done('foo');
      expect(queue.take()).toMatchObject({ item: 'foo', failures: 0 });
      queue.add('foo', { after: 50 });
      queue.done('foo');
      await jest.advanceTimersByTimeAsync(50);
      expect(queue.take()?.item).toBe('foo');
    });

    test('PQ34 a failure before the deadline uses no token of a bucket', () => {
      let charged = 0;
      const rateLimiter = {
        delay: () => 1000,
        charge: () => void (charged += 1),
        forget: () => undefined,
        failures: () => charged,
      };
      const queue = new WorkQueue<string>({ rateLimiter });
      queue.add('foo');
      for (let run = 0; run < 2; run += 1) {
        queue.take();
        queue.add('foo');
        queue.add('foo', { rateLimited: true });
        queue.done('foo');
      }
      expect([charged, queue.failures('foo'), queue.waiting]).toEqual([1, 1, 1]);
    });

    test('a rate-limited add makes an item with a longer delay ready earlier', async () => {
      const queue = new WorkQueue<string>({ backoff: { base: 10, max: 1000 } });
      queue.add('foo', { after: 60_000 });
      queue.add('foo', { rateLimited: true });
      await jest.advanceTimersByTimeAsync(10);
      expect(runAll(queue)).toEqual(['foo']);
    });

    test('a rate-limited add makes an item with a longer delay ready at the end of its backoff', async () => {
      const queue = new WorkQueue<string>({ backoff: { base: 1000 } });
      failOnceThenTakeEarly(queue);
      queue.done('foo');
      queue.add('foo', { after: 3_600_000 });
      queue.add('foo', { rateLimited: true });
      await jest.advanceTimersByTimeAsync(999);
      expect(queue.length).toBe(0);
      await jest.advanceTimersByTimeAsync(1);
      expect(queue.length).toBe(1);
    });

    test('a purged add that waited for the end of a backoff does not affect later adds', async () => {
      const queue = new WorkQueue<string>({ backoff: { base: 1000 } });
      failOnceThenTakeEarly(queue);
      queue.add('foo', { cause: 'withdrawn' });
      expect(queue.waiting).toBe(1);
      expect(queue.withdraw((cause) => cause === 'withdrawn')).toBe(1);
      queue.add('foo', { after: 3_600_000 });
      queue.forget('foo');
      queue.done('foo');
      await jest.advanceTimersByTimeAsync(10_000);
      expect([queue.length, queue.waiting]).toEqual([0, 1]);
    });

    test('with a delay and a rate limit the longer is used', async () => {
      const queue = new WorkQueue<string>({ backoff: { base: 10, max: 1000 } });
      queue.add('foo', { after: 50, rateLimited: true });
      await jest.advanceTimersByTimeAsync(49);
      expect(queue.length).toBe(0);
      await jest.advanceTimersByTimeAsync(1);
      expect(queue.length).toBe(1);
    });
  });
});

/** Fails a run of `foo`, and takes another before its retry is due. */
function failOnceThenTakeEarly(queue: WorkQueue<string>): void {
  queue.add('foo');
  queue.take();
  queue.add('foo', { rateLimited: true });
  queue.done('foo');
  queue.add('foo');
  expect(queue.take()?.item).toBe('foo');
}
