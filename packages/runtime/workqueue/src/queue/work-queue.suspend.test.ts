import { describe, expect, test } from '@jest/globals';
import { WorkQueue } from '../index.ts';
import type { WorkQueueError } from '../errors.ts';

/** Takes one item; those of `refused` are suspended. */
function taken(queue: WorkQueue<string>, refused = ''): string | undefined {
  return queue.take((item) => refused.includes(item))?.item;
}

function queueOf(items: string, options: ConstructorParameters<typeof WorkQueue<string>>[0] = {}) {
  const queue = new WorkQueue<string>(options);
  for (const item of items) queue.add(item);
  return queue;
}

describe('an item that take suspends', () => {
  test('stays queued and ready, is not reported as left, and is not offered again', async () => {
    const left: unknown[] = [];
    await using queue = queueOf('ab', { onLeave: (key) => left.push(key) });
    const offered: string[] = [];
    const takes = (): string | undefined =>
      queue.take((item) => {
        offered.push(item);
        return item === 'a';
      })?.item;
    expect([takes(), takes()]).toEqual(['b', undefined]);
    expect([offered, left]).toEqual([['a', 'b'], ['b']]);
    expect([queue.length, queue.has('a'), queue.isHeld('a')]).toEqual([1, true, false]);
    expect(queue.stateOf('a')?.queued).toMatchObject({ isReady: true, isSuspended: true });
    expect(queue.take()).toBeUndefined();
  });

  test('is handed out at its old place after the resume, whatever the order of the resumes', async () => {
    await using queue = queueOf('abcd');
    expect(taken(queue, 'abc')).toBe('d');
    queue.add('e');
    expect(['c', 'a', 'b'].map((item) => queue.resume(item))).toEqual([true, true, true]);
    expect([1, 2, 3, 4].map(() => taken(queue))).toEqual(['a', 'b', 'c', 'e']);
  });

  test('keeps the early run and the attempts of its backoff, and its causes', async () => {
    await using queue = new WorkQueue<string>({ backoff: { base: 1e6, max: 1e6 } });
    queue.add('a', { cause: 'first' });
    queue.take();
    queue.add('a', { rateLimited: true });
    queue.done('a');
    queue.add('a', { cause: 'early', priority: 3 });
    expect(taken(queue, 'a')).toBeUndefined();
    queue.add('a', { cause: 'later' });
    queue.resume('a');
    const causes = ['first', 'early', 'later'];
    expect(queue.take()).toMatchObject({ item: 'a', failures: 1, priority: 3, causes });
  });

  test('wakes the listeners and a waiting get when it is resumed, and not before', async () => {
    await using queue = queueOf('a');
    expect(taken(queue, 'a')).toBeUndefined();
    let woken = 0;
    const stop = queue.onAvailable(() => (woken += 1));
    await Promise.resolve();
    queue.add('a', { priority: 1 });
    await Promise.resolve();
    expect(woken).toBe(0);
    queue.resume('a');
    await Promise.resolve();
    expect(woken).toBe(1);
    expect(taken(queue, 'a')).toBeUndefined();
    stop();
    const waiting = queue.get();
    queue.resume('a');
    expect((await waiting)?.item).toBe('a');
  });

  test('is purged, withdrawn and dropped by a shutdown as other items are', async () => {
    const left: unknown[] = [];
    const queue = queueOf('ab', { onLeave: (key) => left.push(key) });
    queue.add('c', { cause: 'gone' });
    expect(taken(queue, 'abc')).toBeUndefined();
    expect(queue.purge((item) => item === 'a')).toBe(1);
    expect(queue.withdraw((source) => source === 'gone')).toBe(1);
    expect([queue.resume('a'), queue.resume('c')]).toEqual([false, false]);
    await queue.shutDown({ drain: true });
    expect([left, queue.length]).toEqual([['a', 'c', 'b'], 0]);
    expect(queue.resume('b')).toBe(false);
  });

  test('that was dropped is not suspended when it is added again', async () => {
    await using queue = queueOf('a');
    expect(taken(queue, 'a')).toBeUndefined();
    queue.purge(() => true);
    queue.add('a');
    expect(taken(queue)).toBe('a');
  });

  test('is one of at most 256 in one call, after which the listeners are called again', async () => {
    await using queue = new WorkQueue<number>();
    for (let item = 0; item < 600; item += 1) queue.add(item);
    let calls = 0;
    let last: number | undefined;
    queue.onAvailable(() => {
      calls += 1;
      last = queue.take((item) => item < 599)?.item;
    });
    await new Promise(setImmediate);
    expect([calls, last, queue.length]).toEqual([3, 599, 599]);
  });

  test('is not suspended if the function fails, which is reported', async () => {
    const errors: WorkQueueError[] = [];
    await using queue = queueOf('ab', { onError: (error) => errors.push(error) });
    const fails = (): boolean => {
      throw new Error('no');
    };
    expect(queue.take(fails)?.item).toBe('a');
    expect(queue.take(() => 1 as never)?.item).toBe('b');
    expect(errors.map(({ code, facts }) => [code, facts['function']])).toEqual([
      ['USER_FUNCTION_FAILED', 'take.suspends'],
      ['USER_FUNCTION_FAILED', 'take.suspends'],
    ]);
    expect(() => queue.take(1 as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});
