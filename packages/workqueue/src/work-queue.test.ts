import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { WorkQueue, type WorkItem } from './index.ts';

/** Takes everything that can be taken now. */
function takeAll<Item>(queue: WorkQueue<Item>): Item[] {
  const items: Item[] = [];
  for (let work = queue.take(); work !== undefined; work = queue.take()) items.push(work.item);
  return items;
}

/** Takes and finishes everything that can be taken now. */
function runAll<Item>(queue: WorkQueue<Item>): Item[] {
  const items: Item[] = [];
  for (let work = queue.take(); work !== undefined; work = queue.take()) {
    items.push(work.item);
    queue.done(work.item);
  }
  return items;
}

describe('WorkQueue', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  describe('one entry and one worker per key', () => {
    test('WQ03 length goes 1, 2, 2 when foo, bar, foo are added', () => {
      const queue = new WorkQueue<string>();
      const lengths = ['foo', 'bar', 'foo'].map((item) => {
        queue.add(item);
        return queue.length;
      });
      expect(lengths).toEqual([1, 2, 2]);
    });

    test('WQ04 an item added while held comes again after done', () => {
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

    test('PQ03 a held item is not handed out again: the next one is', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo');
      queue.take();
      queue.add('foo');
      queue.add('bar');
      expect(queue.take()?.item).toBe('bar');
      expect(queue.depths()).toEqual(new Map([[0, 1]]));
    });

    test('PQ06 a re-add of a held item counts in length at once and goes out after done', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo');
      queue.take();
      queue.add('foo');
      expect(queue.length).toBe(1);
      expect(queue.take()).toBeUndefined();
      queue.done('foo');
      expect(queue.take()?.item).toBe('foo');
    });

    test('entries passed over while locked come back in the order in which they became ready', () => {
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

    test('an entry that was passed over may be raised or purged, and the others keep their places', () => {
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

    test('done of a key that is not locked is harmless', () => {
      const queue = new WorkQueue<string>();
      queue.done('foo');
      queue.add('foo');
      queue.done('foo');
      expect(queue.length).toBe(1);
      expect(runAll(queue)).toEqual(['foo']);
    });

    test('objects are one item when their keys are equal, and the first added goes out', () => {
      const queue = new WorkQueue<{ id: string; seen: number }>({ keyOf: (item) => item.id });
      queue.add({ id: 'a', seen: 1 });
      queue.add({ id: 'a', seen: 2 });
      const work = queue.take();
      expect(work?.item).toEqual({ id: 'a', seen: 1 });
      expect(queue.isHeld({ id: 'a', seen: 3 })).toBe(true);
      queue.done({ id: 'a', seen: 4 });
      expect(queue.held).toBe(0);
    });

    test('what is held can be seen', () => {
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

  describe('priorities', () => {
    test('PQ02 first in, first out inside one priority', () => {
      const queue = new WorkQueue<string>();
      for (const item of ['foo', 'bar', 'baz']) queue.add(item, { priority: 1 });
      expect(takeAll(queue)).toEqual(['foo', 'bar', 'baz']);
    });

    test('PQ07 a re-add at a higher priority is handed out with it', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { priority: 1 });
      queue.add('foo', { priority: 2 });
      expect(queue.length).toBe(1);
      expect(queue.take()?.priority).toBe(2);
    });

    test('PQ08 a lower re-add changes nothing', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { priority: 1 });
      queue.add('bar', { priority: 1 });
      queue.add('foo', { priority: 0 });
      queue.add('foo', { priority: 1 });
      expect(queue.take()).toMatchObject({ item: 'foo', priority: 1 });
    });

    test('PQ09 foo, bar, baz at 0 and baz raised to 1: baz goes first', () => {
      const queue = new WorkQueue<string>();
      for (const item of ['foo', 'bar', 'baz']) queue.add(item);
      queue.add('baz', { priority: 1 });
      expect(takeAll(queue)).toEqual(['baz', 'foo', 'bar']);
    });

    test('a raised item joins the end of its new level', () => {
      const queue = new WorkQueue<string>();
      queue.add('low');
      queue.add('high', { priority: 1 });
      queue.add('low', { priority: 1 });
      expect(takeAll(queue)).toEqual(['high', 'low']);
    });

    test('the priority of a hand-out is the highest since the last one, not an older one', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { priority: 5 });
      expect(queue.take()?.priority).toBe(5);
      queue.add('foo', { priority: 1 });
      queue.done('foo');
      expect(queue.take()?.priority).toBe(1);
    });

    test('ten thousand distinct priorities go out in order', () => {
      const queue = new WorkQueue<number>();
      const priorities = Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 10_007);
      for (const priority of priorities) queue.add(priority, { priority });
      const sorted = priorities.toSorted((one, other) => other - one);
      expect(runAll(queue)).toEqual(sorted);
      queue.add(1, { priority: 1 });
      expect(queue.depths()).toEqual(new Map([[1, 1]]));
    });

    test('priorities that were swept out come back', () => {
      const queue = new WorkQueue<string>();
      queue.add('locked');
      queue.take();
      // Ready and never handed out: empty levels gather below it.
      queue.add('locked', { priority: 1000 });
      for (let round = 0; round < 3; round += 1) {
        for (let priority = 0; priority < 200; priority += 1) {
          queue.add('foo', { priority });
          expect(runAll(queue)).toEqual(['foo']);
        }
      }
      expect(queue.depths()).toEqual(new Map([[1000, 1]]));
    });

    test('PQ18 five levels with delays in the past, none and ahead: strict level order, FIFO inside', async () => {
      const queue = new WorkQueue<string>();
      const levels = [0, 1, 2, 3, 4];
      const delays = [-1000, 0, 1000];
      for (let index = 0; index < 1000; index += 1) {
        for (const level of levels) {
          const after = delays[index % 3] ?? 0;
          queue.add(`${level}/${index}`, { priority: level, after });
        }
      }
      const now = (level: number, wanted: (index: number) => boolean): string[] =>
        Array.from({ length: 1000 }, (_, index) => index)
          .filter(wanted)
          .map((index) => `${level}/${index}`);
      const inOrder = (wanted: (index: number) => boolean): string[] =>
        levels.toReversed().flatMap((level) => now(level, wanted));
      expect(runAll(queue)).toEqual(inOrder((index) => index % 3 !== 2));
      await jest.advanceTimersByTimeAsync(1000);
      expect(runAll(queue)).toEqual(inOrder((index) => index % 3 === 2));
    });
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

    test('WQ13 the earlier of two delays wins, once', async () => {
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

    test('WQ14 a short delay added after a long one comes first', async () => {
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

    test('PQ10 after 0 and then after 1 h is ready now', () => {
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

    test('PQ15 a waiting item re-added higher and without delay is ready now and higher', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { after: 60_000 });
      queue.add('bar', { priority: 1 });
      queue.add('foo', { priority: 2 });
      expect(queue.take()).toMatchObject({ item: 'foo', priority: 2 });
    });

    test('a waiting item raised while it waits keeps its time', async () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { after: 100 });
      queue.add('foo', { after: 200, priority: 7 });
      expect(queue.take()).toBeUndefined();
      await jest.advanceTimersByTimeAsync(100);
      expect(queue.take()).toMatchObject({ item: 'foo', priority: 7 });
    });

    test('PQ19 a delayed item comes only after its delay', async () => {
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

    test('PQ20 a high item that became ready precedes an earlier low one', async () => {
      const queue = new WorkQueue<string>();
      queue.add('high', { priority: 1, after: 1000 });
      queue.add('low');
      await jest.advanceTimersByTimeAsync(1000);
      expect(takeAll(queue)).toEqual(['high', 'low']);
    });

    test('PQ20 also when the event loop was too busy for the timer', () => {
      let now = 0;
      const queue = new WorkQueue<string>({ now: () => now });
      queue.add('high', { priority: 1, after: 1000 });
      queue.add('low');
      now = 1000;
      expect(takeAll(queue)).toEqual(['high', 'low']);
    });

    test('PQ22 a waiting item re-added without delay comes at once', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { after: 60_000 });
      queue.add('foo');
      expect(runAll(queue)).toEqual(['foo']);
      expect(jest.getTimerCount()).toBe(0);
    });

    test('PQ23 several delays come in deadline order, equal ones in the order of their adds', async () => {
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

    test('a held item that waits is ready at its time and goes out after done', async () => {
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

    test('one timer serves any number of delays, and more than a turn can carry all arrive', async () => {
      const queue = new WorkQueue<number>();
      for (let item = 0; item < 20_000; item += 1) queue.add(item, { after: 1000 - (item % 10) });
      expect(jest.getTimerCount()).toBe(1);
      await jest.advanceTimersByTimeAsync(1000);
      expect(queue.length).toBe(20_000);
      expect(jest.getTimerCount()).toBe(0);
    });
  });

  describe('backoff', () => {
    test('WQ16 rate-limited adds are delayed by item, and forget starts again at the base', async () => {
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

    test('a rate-limited add of an item that waits longer brings it forward', async () => {
      const queue = new WorkQueue<string>({ backoff: { base: 10, max: 1000 } });
      queue.add('foo', { after: 60_000 });
      queue.add('foo', { rateLimited: true });
      await jest.advanceTimersByTimeAsync(10);
      expect(runAll(queue)).toEqual(['foo']);
    });

    test('with a delay and a rate limit the longer wins', async () => {
      const queue = new WorkQueue<string>({ backoff: { base: 10, max: 1000 } });
      queue.add('foo', { after: 50, rateLimited: true });
      await jest.advanceTimersByTimeAsync(49);
      expect(queue.length).toBe(0);
      await jest.advanceTimersByTimeAsync(1);
      expect(queue.length).toBe(1);
    });
  });

  describe('causes', () => {
    const from = (source: string) => (cause: unknown) => cause === source;

    test('causes are handed out once each with the item', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { cause: 'one' });
      queue.add('foo', { cause: 'two' });
      queue.add('foo', { causes: ['two', 'three'] });
      expect(queue.take()?.causes).toEqual(['one', 'two', 'three']);
      queue.done('foo');
      queue.add('foo');
      expect(queue.take()?.causes).toEqual([]);
    });

    test('what is added for a held item begins with no causes of its own', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { cause: 'before' });
      queue.add('bar');
      queue.take();
      queue.take();
      queue.add('foo', { cause: 'after' });
      queue.add('bar', { cause: 'gone' });
      expect(queue.withdraw(from('gone'))).toBe(1);
      queue.done('foo');
      queue.done('bar');
      expect(queue.take()).toMatchObject({ item: 'foo', causes: ['after'] });
      expect(queue.take()).toBeUndefined();
    });

    test('sameCause decides what a repeat is', () => {
      interface Cause {
        source: string;
      }
      const queue = new WorkQueue<string, Cause>({ sameCause: (a, b) => a.source === b.source });
      queue.add('foo', { cause: { source: 'x' } });
      queue.add('foo', { cause: { source: 'x' } });
      expect(queue.take()?.causes).toEqual([{ source: 'x' }]);
    });

    test('RC14 an entry whose only causes are withdrawn is purged, one that something else asked for stays', () => {
      const queue = new WorkQueue<string>();
      for (let index = 0; index < 50; index += 1) queue.add(`item-${index}`, { cause: 'gone' });
      queue.add('waiting', { cause: 'gone', after: 1000 });
      queue.add('item-7', { cause: 'stays' });
      queue.add('item-8');
      expect(queue.withdraw(from('gone'))).toBe(49);
      expect(queue.waiting).toBe(0);
      expect(jest.getTimerCount()).toBe(0);
      expect(queue.take()).toMatchObject({ item: 'item-7', causes: ['stays'] });
      expect(queue.take()).toMatchObject({ item: 'item-8', causes: [] });
      expect(queue.take()).toBeUndefined();
    });

    test('a held item is not purged, its queued re-add is', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { cause: 'gone' });
      queue.take();
      queue.add('foo', { cause: 'gone' });
      expect(queue.withdraw(from('gone'))).toBe(1);
      expect(queue.isHeld('foo')).toBe(true);
      expect(queue.length).toBe(0);
      queue.done('foo');
      expect(queue.take()).toBeUndefined();
      queue.add('foo');
      expect(queue.take()?.item).toBe('foo');
    });

    test('a purged item that failed starts again at the base', () => {
      const queue = new WorkQueue<string>();
      queue.add('foo', { rateLimited: true, cause: 'gone' });
      queue.withdraw(from('gone'));
      expect(queue.failures('foo')).toBe(0);
    });

    test('an entry with more causes than it remembers is never purged', () => {
      const queue = new WorkQueue<string>();
      for (let index = 0; index < 20; index += 1) queue.add('foo', { cause: `cause-${index}` });
      expect(queue.withdraw(() => true)).toBe(0);
      expect(queue.take()?.item).toBe('foo');
    });
  });

  describe('waiting consumers', () => {
    test('gets are served in their order, the best items first', async () => {
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

    test('a get that was served leaves no listener on its signal', async () => {
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

    test('a listener is told once for the adds of one turn, and takes for itself', async () => {
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

    test('a listener that comes late is told what is there already', async () => {
      const queue = new WorkQueue<string>();
      queue.add('foo');
      const told = Promise.withResolvers<void>();
      queue.onAvailable(told.resolve);
      await told.promise;
      expect(takeAll(queue)).toEqual(['foo']);
    });

    test('a listener is told when done releases a re-add and when a delay ends', async () => {
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

  test('items and causes are typed all the way', () => {
    const queue = new WorkQueue<{ name: string }, 'added' | 'removed'>();
    queue.add({ name: 'foo' }, { cause: 'added' });
    // @ts-expect-error: no cause of this queue
    queue.add({ name: 'bar' }, { cause: 'changed' });
    const work: WorkItem<{ name: string }, 'added' | 'removed'> | undefined = queue.take();
    expect(work?.causes).toEqual(['added']);
  });
});
