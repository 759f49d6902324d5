import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import { WorkQueue } from './index.ts';

/** The bullets of `index.ts`, in the same words. */
describe('the workqueue promises', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const run = (queue: WorkQueue<string>): string[] => {
    const items: string[] = [];
    for (let work = queue.take(); work !== undefined; work = queue.take()) items.push(work.item);
    return items;
  };

  test('A key has at most one entry and at most one worker.', () => {
    const queue = new WorkQueue<string>();
    queue.add('foo');
    queue.add('foo', { priority: 1 });
    queue.add('foo', { after: 10 });
    expect([queue.length, queue.waiting]).toEqual([1, 0]);
    expect(run(queue)).toEqual(['foo']);
    queue.add('foo');
    expect(run(queue)).toEqual([]);
  });

  test('An item that is added while it is held is handed out once more after it is done.', () => {
    const queue = new WorkQueue<string>();
    queue.add('foo');
    run(queue);
    queue.add('foo');
    queue.add('foo');
    queue.done('foo');
    expect(run(queue)).toEqual(['foo']);
    queue.done('foo');
    expect(run(queue)).toEqual([]);
  });

  test('A duplicate keeps the earlier time and the higher priority.', async () => {
    const queue = new WorkQueue<string>();
    queue.add('foo', { after: 100, priority: 1 });
    queue.add('foo', { after: 50, priority: 0 });
    queue.add('foo', { after: 200, priority: 2 });
    await jest.advanceTimersByTimeAsync(49);
    expect(queue.length).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect(queue.take()).toMatchObject({ item: 'foo', priority: 2 });
  });

  test('Items of a higher priority are handed out first; within one priority, the item that became ready first.', () => {
    const priorities = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 60 });
    fc.assert(
      fc.property(priorities, (chosen) => {
        const queue = new WorkQueue<string>();
        const items = chosen.map((priority, index) => ({ item: `item-${index}`, priority }));
        for (const { item, priority } of items) queue.add(item, { priority });
        const sorted = items.toSorted((one, other) => other.priority - one.priority);
        expect(run(queue)).toEqual(sorted.map(({ item }) => item));
      }),
    );
  });

  test('An item that waits long enough is handed out under any load of higher priorities.', async () => {
    const queue = new WorkQueue<string>({ ageAfter: 1000 });
    queue.add('low', { priority: -1 });
    for (let index = 0; index < 100; index += 1) queue.add(`high ${index}`);
    expect(queue.take()?.item).toBe('high 0');
    await jest.advanceTimersByTimeAsync(1000);
    expect(queue.take()?.item).toBe('low');
  });

  test('Within a priority, groups of items are handed out in turns, by weight.', () => {
    const queue = new WorkQueue<string>({
      groups: {
        groupOf: (item) => item[0],
        weightOf: ([group]) => (group === 'b' ? 2 : 1),
      },
    });
    for (const item of ['a1', 'a2', 'b1', 'b2', 'b3']) queue.add(item);
    expect(run(queue)).toEqual(['a1', 'b1', 'b2', 'a2', 'b3']);
  });

  test('A function of the user that throws, rejects or calls the queue never stops the queue or loses an item.', async () => {
    const errors: unknown[] = [];
    const broken = (): never => {
      throw new Error('broken');
    };
    const queue: WorkQueue<string> = new WorkQueue<string>({
      groups: { groupOf: broken },
      causes: {
        sourceOf: () => Promise.reject(new Error('broken')),
        sameCause: () => queue.take() === undefined,
      },
      rateLimiter: { delay: broken, charge: broken, forget: broken, failures: broken },
      onError: (error) => errors.push(error.code),
    });
    queue.onAvailable(broken);
    queue.add('foo', { rateLimited: true, cause: 'one' });
    queue.add('foo', { cause: 'two' });
    queue.withdraw(() => true);
    await jest.advanceTimersByTimeAsync(5);
    expect(run(queue)).toEqual(['foo']);
    expect(new Set(errors)).toEqual(new Set(['USER_FUNCTION_FAILED']));
  });

  test('Every key that leaves the queue is reported, whatever the reason.', async () => {
    const left: unknown[] = [];
    const queue = new WorkQueue<string>({ onLeave: (key) => void left.push(key) });
    for (const item of ['taken', 'purged', 'withdrawn', 'dropped']) {
      queue.add(item, { cause: item });
    }
    queue.take();
    queue.purge((item) => item === 'purged');
    queue.withdraw((cause) => cause === 'withdrawn');
    await queue.shutDown();
    expect(left).toEqual(['taken', 'purged', 'withdrawn', 'dropped']);
  });

  test('An item that a take suspends stays queued as it is, in every account, until it is resumed.', () => {
    const left: unknown[] = [];
    const queue = new WorkQueue<string>({ onLeave: (key) => left.push(key) });
    queue.add('foo', { priority: 2, cause: 'why' });
    queue.add('bar');
    expect(queue.take((item) => item === 'foo')).toMatchObject({ item: 'bar' });
    expect([queue.length, left, run(queue)]).toEqual([1, ['bar'], []]);
    queue.resume('foo');
    expect(queue.take()).toMatchObject({ item: 'foo', priority: 2, causes: ['why'] });
  });

  test('A locked key never blocks the keys after it.', () => {
    const queue = new WorkQueue<string>();
    queue.add('locked');
    run(queue);
    queue.add('locked', { priority: 100 });
    queue.add('behind', { priority: -100 });
    expect(run(queue)).toEqual(['behind']);
  });

  test('No item is handed out before its delay has ended, even with a very long delay.', async () => {
    for (const delay of [1, 1000, 2 ** 31 - 1, 2 ** 31, 2 ** 33]) {
      const queue = new WorkQueue<string>();
      queue.add('foo', { after: delay });
      await jest.advanceTimersByTimeAsync(delay - 1);
      expect(run(queue)).toEqual([]);
      await jest.advanceTimersByTimeAsync(1);
      expect(run(queue)).toEqual(['foo']);
    }
  });

  test('A debounced item is handed out when no debounced add came for a time, and within a limit after the first.', async () => {
    const queue = new WorkQueue<string>();
    const times: number[] = [];
    queue.onAvailable(() => {
      for (const item of run(queue)) {
        times.push(performance.now() - begin);
        queue.done(item);
      }
    });
    const begin = performance.now();
    for (let at = 0; at < 12; at += 1) {
      queue.add('busy', { debounce: { wait: 10, maxWait: 30 } });
      await jest.advanceTimersByTimeAsync(5);
    }
    await jest.advanceTimersByTimeAsync(100);
    // The adds end at 55.
    expect(times).toEqual([30, 60]);
  });

  test('A failure before the end of a backoff is not a new attempt, and adds until then cause at most one early run.', async () => {
    const queue = new WorkQueue<string>({ backoff: { base: 1000 } });
    const fail = (item: string): void => {
      queue.add(item, { rateLimited: true });
      queue.done(item);
    };
    queue.add('foo');
    run(queue).forEach(fail);
    for (let event = 0; event < 3; event += 1) {
      queue.add('foo');
      const early = run(queue);
      expect(early).toEqual(event === 0 ? ['foo'] : []);
      early.forEach(fail);
    }
    expect(queue.failures('foo')).toBe(1);
    await jest.advanceTimersByTimeAsync(1000);
    expect(run(queue)).toEqual(['foo']);
    fail('foo');
    expect(queue.failures('foo')).toBe(2);
  });

  test('A rate-limited add that collapses does not count as a failure, unless it reports the failure of the held run.', () => {
    const queue = new WorkQueue<string>();
    for (let times = 0; times < 3; times += 1) queue.add('foo', { rateLimited: true });
    expect(queue.failures('foo')).toBe(1);
    queue.add('bar');
    run(queue);
    queue.add('bar');
    queue.add('bar', { rateLimited: true });
    expect(queue.failures('bar')).toBe(1);
  });

  test('An entry whose sources are all withdrawn is purged, for any number of sources.', () => {
    const queue = new WorkQueue<string>();
    queue.add('one', { cause: 'gone' });
    queue.add('two', { causes: ['gone', 'stays'] });
    for (let index = 0; index < 100; index += 1) queue.add('many', { cause: `gone ${index}` });
    expect(queue.withdraw((cause) => String(cause).startsWith('gone'))).toBe(2);
    expect(run(queue)).toEqual(['two']);
  });

  test('Reassigned sources change neither the time, the priority nor the failures of an item.', async () => {
    const queue = new WorkQueue<string>({ backoff: { base: 10, max: 10 } });
    queue.add('foo', { priority: 5, cause: 'old' });
    queue.take();
    queue.add('foo', { rateLimited: true, priority: 5 });
    queue.done('foo');
    expect(
      queue.reassign(
        (cause) => cause === 'old',
        () => ['new'],
      ),
    ).toBe(0);
    expect(queue.take()).toBeUndefined();
    await jest.advanceTimersByTimeAsync(10);
    expect(queue.take()).toMatchObject({ priority: 5, failures: 1, causes: ['new'] });
  });

  test('A new rate limiter decides about the next failures, and items that wait keep their time.', async () => {
    const queue = new WorkQueue<string>({ backoff: { base: 10, max: 10 } });
    queue.add('foo', { rateLimited: true });
    queue.limitRetries({ backoff: { base: 500, max: 500 } });
    await jest.advanceTimersByTimeAsync(10);
    expect(queue.take()?.failures).toBe(1);
    queue.add('foo', { rateLimited: true });
    queue.done('foo');
    await jest.advanceTimersByTimeAsync(499);
    expect(queue.take()).toBeUndefined();
    await jest.advanceTimersByTimeAsync(1);
    expect(queue.take()?.failures).toBe(2);
  });

  test('After shut-down every waiting get ends, every later add is rejected and no timer is left.', async () => {
    const queue = new WorkQueue<string>();
    queue.add('foo', { after: 10 });
    const waiting = [queue.get(), queue.get()];
    await queue.shutDown();
    expect(await Promise.all(waiting)).toEqual([undefined, undefined]);
    expect(() => queue.add('bar')).toThrow(expect.objectContaining({ code: 'QUEUE_SHUT_DOWN' }));
    expect(jest.getTimerCount()).toBe(0);
  });

  test('A worker may report a failure after shut-down: the retry is dropped and counted.', async () => {
    let dropped = 0;
    const observer = { dropped: () => void (dropped += 1) };
    const queue = new WorkQueue<string>({ name: 'ending', observer });
    queue.add('foo');
    run(queue);
    const ended = queue.shutDown({ drain: true });
    queue.add('foo', { rateLimited: true });
    queue.done('foo');
    await ended;
    expect([dropped, queue.waiting]).toEqual([1, 0]);
  });

  test('The queue keeps no reference to an item that is done, and returns its memory after a peak of queued items.', () => {
    // `work-queue.memory.test.ts` (WQ11) checks the heap; this test checks the figures of the
    // queue.
    const queue = new WorkQueue<string>();
    queue.add('foo', { cause: 'why' });
    run(queue);
    queue.done('foo');
    expect(queue.isHeld('foo')).toBe(false);
    expect([queue.length, queue.waiting, queue.held, queue.processing()]).toEqual([0, 0, 0, []]);
  });
});
