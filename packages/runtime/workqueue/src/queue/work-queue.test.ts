import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { WorkQueue, type WorkItem } from '../index.ts';
import { runAll, takeAll } from '../testing/take-all.test-support.ts';

describe('WorkQueue', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  describe('one entry and one worker per key', () => {
    test('WQ03 length is 1, 2, 2 when foo, bar, foo are added', () => {
      const queue = new WorkQueue<string>();
      const lengths = ['foo', 'bar', 'foo'].map((item) => {
        queue.add(item);
        return queue.length;
      });
      expect(lengths).toEqual([1, 2, 2]);
    });

    test('WQ04 an item that is added while held is handed out again after done', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo');
      expect(queue.take()?.item).toBe('foo');
      queue.add('foo');
      expect(queue.take()).toBeUndefined();
      queue.done('foo');
      expect(queue.take()?.item).toBe('foo');
      queue.done('foo');
      expect(queue.length).toBe(0);
      expect(queue.take()).toBeUndefined();
    });

    test('WQ05 two adds before a get yield one get', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo');
      queue.add('foo');
      expect(runAll(queue)).toEqual(['foo']);
    });

    test('WQ06 re-adding a held item collapses to one redelivery, and a second get waits until done', async () => {
      const queue = new WorkQueue<string>();
      queue.add('foo');
      queue.take();
      queue.add('foo');
      queue.add('foo');
      queue.add('foo');
      const settled: string[] = [];
      const second = queue.get().then((work) => settled.push(work?.item ?? 'none'));
      await jest.advanceTimersByTimeAsync(1000);
      expect(settled).toEqual([]);
      queue.done('foo');
      await second;
      expect(settled).toEqual(['foo']);
      queue.done('foo');
      expect(queue.take()).toBeUndefined();
    });

    test('PQ03 a held item is not handed out again; the next item is', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo');
      queue.take();
      queue.add('foo');
      queue.add('bar');
      expect(queue.take()?.item).toBe('bar');
      expect(queue.depths()).toEqual(new Map([[0, 1]]));
    });

    test('PQ06 a re-add of a held item counts in length at once and is handed out after done', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo');
      queue.take();
      queue.add('foo');
      expect(queue.length).toBe(1);
      expect(queue.take()).toBeUndefined();
      queue.done('foo');
      expect(queue.take()?.item).toBe('foo');
    });

    test('entries that were skipped while locked keep the order in which they became ready', () => {
      const queue = new WorkQueue<string>();
      for (const item of ['a', 'b', 'c']) queue.add(item);
      takeAll(queue);
      for (const item of ['a', 'b', 'c', 'd', 'e']) queue.add(item);
      expect(queue.take()?.item).toBe('d');
      queue.done('c');
      queue.done('a');
      queue.done('b');
      expect(takeAll(queue)).toEqual(['a', 'b', 'c', 'e']);
    });

    test('a skipped entry may be raised or purged, and the others keep their order', () => {
      const queue = new WorkQueue<string>();
      for (const item of ['a', 'b']) queue.add(item);
      takeAll(queue);
      for (const item of ['a', 'b', 'c', 'd', 'e']) queue.add(item, { cause: item });
      expect(queue.take()?.item).toBe('c');
      queue.done('c');
      queue.add('z', { priority: -1 });
      queue.add('a', { priority: 1, cause: 'a' });
      expect(queue.withdraw((cause) => cause === 'b')).toBe(1);
      queue.add('b', { cause: 'again' });
      expect(queue.take()?.item).toBe('d');
      queue.done('a');
      queue.done('b');
      expect(takeAll(queue)).toEqual(['a', 'e', 'b', 'z']);
    });

    test('done of a key that is not locked has no effect', () => {
      const queue = new WorkQueue<string>();
      queue.done('foo');
      queue.add('foo');
      queue.done('foo');
      expect(queue.length).toBe(1);
      expect(runAll(queue)).toEqual(['foo']);
    });

    test('objects with equal keys are one item, and the first added object is handed out', () => {
      const queue = new WorkQueue<{ id: string; seen: number }>({ keyOf: (item) => item.id });
      queue.add({ id: 'a', seen: 1 });
      queue.add({ id: 'a', seen: 2 });
      const work = queue.take();
      expect(work?.item).toEqual({ id: 'a', seen: 1 });
      expect(queue.isHeld({ id: 'a', seen: 3 })).toBe(true);
      queue.done({ id: 'a', seen: 4 });
      expect(queue.held).toBe(0);
    });

    test('processing() and isHeld() report held items', () => {
      const queue = new WorkQueue<string>({ name: 'seen' });
      queue.add('foo', { priority: 3, cause: 'because' });
      queue.add('bar');
      queue.take();
      expect(queue.isHeld('foo')).toBe(true);
      expect(queue.isHeld('bar')).toBe(false);
      expect(queue.processing()).toEqual([
        expect.objectContaining({ item: 'foo', priority: 3, causes: ['because'] }),
      ]);
      queue.done('foo');
      expect(queue.processing()).toEqual([]);
    });
  });

  describe('waiting consumers', () => {
    test('gets are served in their order, with the highest priority first', async () => {
      const queue = new WorkQueue<string>();
      const first = queue.get();
      const second = queue.get();
      queue.add('low');
      queue.add('middle', { priority: 1 });
      queue.add('high', { priority: 2 });
      expect((await first)?.item).toBe('high');
      expect((await second)?.item).toBe('middle');
      expect(queue.length).toBe(1);
    });

    test('with more waiting gets than items, the others wait for the next item', async () => {
      const queue = new WorkQueue<string>();
      const settled: string[] = [];
      const gets = ['first', 'second', 'third'].map(async (name) => {
        const work = await queue.get();
        settled.push(`${name} ${work?.item ?? 'none'}`);
      });
      queue.add('foo');
      await jest.advanceTimersByTimeAsync(0);
      expect(settled).toEqual(['first foo']);
      queue.add('bar');
      await jest.advanceTimersByTimeAsync(0);
      expect(settled).toEqual(['first foo', 'second bar']);
      await queue.shutDown();
      await Promise.all(gets);
      expect(settled).toEqual(['first foo', 'second bar', 'third none']);
    });

    test('an aborted get rejects with the reason and takes nothing', async () => {
      const queue = new WorkQueue<string>();
      const stop = new AbortController();
      const aborted = queue.get(stop.signal);
      const other = queue.get();
      stop.abort(new Error('enough'));
      await expect(aborted).rejects.toThrow('enough');
      await expect(queue.get(stop.signal)).rejects.toThrow('enough');
      queue.add('foo');
      expect((await other)?.item).toBe('foo');
    });

    test('a served get leaves no listener on its signal', async () => {
      const queue = new WorkQueue<string>();
      const { signal } = new AbortController();
      const served = queue.get(signal);
      const ended = queue.get(signal);
      expect(getEventListeners(signal, 'abort')).toHaveLength(2);
      queue.add('foo');
      await served;
      await queue.shutDown();
      await ended;
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    });

    test('a listener is called once for the adds of one turn, and calls take', async () => {
      const queue = new WorkQueue<string>();
      const taken: string[][] = [];
      const stop = queue.onAvailable(() => taken.push(takeAll(queue)));
      queue.add('low');
      queue.add('high', { priority: 1 });
      expect(taken).toEqual([]);
      await Promise.resolve();
      await Promise.resolve();
      expect(taken).toEqual([['high', 'low']]);
      stop();
      queue.add('later');
      await Promise.resolve();
      await Promise.resolve();
      expect(queue.length).toBe(1);
    });

    test('a listener that is added late is called for items that are ready already', async () => {
      const queue = new WorkQueue<string>();
      queue.add('foo');
      const notified = Promise.withResolvers<void>();
      queue.onAvailable(notified.resolve);
      await notified.promise;
      expect(takeAll(queue)).toEqual(['foo']);
    });

    test('a listener is called when done unlocks a re-add and when a delay ends', async () => {
      const queue = new WorkQueue<string>();
      const taken: string[] = [];
      queue.onAvailable(() => taken.push(...takeAll(queue)));
      queue.add('foo');
      queue.add('late', { after: 100 });
      await jest.advanceTimersByTimeAsync(1);
      queue.add('foo');
      await jest.advanceTimersByTimeAsync(1);
      expect(taken).toEqual(['foo']);
      queue.done('foo');
      await jest.advanceTimersByTimeAsync(200);
      expect(taken).toEqual(['foo', 'foo', 'late']);
    });

    test('PQ13 20 rounds of 1000 adds with 100 consumers: all are delivered', async () => {
      const queue = new WorkQueue<string>();
      const delivered = new Set<string>();
      const consume = async (): Promise<void> => {
        for (let work = await queue.get(); work !== undefined; work = await queue.get()) {
          delivered.add(work.item);
          queue.done(work.item);
        }
      };
      const consumers = Array.from({ length: 100 }, consume);
      for (let round = 0; round < 20; round += 1) {
        for (let index = 0; index < 1000; index += 1) {
          queue.add(`${round}/${index}`, { priority: index % 3, after: index % 2 });
        }
        await jest.advanceTimersByTimeAsync(10);
      }
      expect(delivered.size).toBe(20_000);
      expect([queue.length, queue.waiting, queue.held]).toEqual([0, 0, 0]);
      await queue.shutDown();
      await Promise.all(consumers);
    });
  });

  test('items and causes have types in all members', () => {
    const queue = new WorkQueue<{ name: string }, 'added' | 'removed'>();
    queue.add({ name: 'foo' }, { cause: 'added' });
    // @ts-expect-error: no cause of this queue
    queue.add({ name: 'bar' }, { cause: 'changed' });
    const work: WorkItem<{ name: string }, 'added' | 'removed'> | undefined = queue.take();
    expect(work?.causes).toEqual(['added']);
  });
});
