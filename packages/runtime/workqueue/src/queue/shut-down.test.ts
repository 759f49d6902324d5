import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { WorkQueue, type WorkItem } from '../index.ts';

const refused = expect.objectContaining({ code: 'QUEUE_SHUT_DOWN' });

/** Returns true if a promise is settled after all pending work has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.finally(() => {
    settled = true;
  });
  await jest.advanceTimersByTimeAsync(0);
  return settled;
}

describe('WorkQueue.shutDown', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test.each([false, true])(
    'WQ01 50 producers, 10 consumers: one worker per key, no remaining items, later adds are rejected (drain: %s)',
    async (drain) => {
      const queue = new WorkQueue<string>();
      const holders = new Set<string>();
      const handedOut = new Map<string, number>();
      const consume = async (): Promise<void> => {
        for (let work = await queue.get(); work !== undefined; work = await queue.get()) {
          expect(holders.has(work.item)).toBe(false);
          holders.add(work.item);
          handedOut.set(work.item, (handedOut.get(work.item) ?? 0) + 1);
          await new Promise((resolve) => setTimeout(resolve, 3));
          holders.delete(work.item);
          queue.done(work.item);
        }
      };
      const produce = async (producer: number): Promise<void> => {
        for (let round = 0; round < 50; round += 1) {
          queue.add(`item-${producer % 7}`);
          queue.add(`own-${producer}`);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      };
      const consumers = Array.from({ length: 10 }, consume);
      const producers = Array.from({ length: 50 }, (_, index) => produce(index));
      await jest.advanceTimersByTimeAsync(1000);
      await Promise.all(producers);
      expect(handedOut.size).toBe(57);
      const ended = queue.shutDown({ drain });
      await jest.advanceTimersByTimeAsync(100);
      await ended;
      await Promise.all(consumers);
      expect([queue.length, queue.waiting, queue.held]).toEqual([0, 0, 0]);
      expect(() => queue.add('late')).toThrow(refused);
    },
  );

  test('WQ07 a drain waits until every held item is done', async () => {
    const queue = new WorkQueue<string>();
    queue.add('foo');
    queue.add('bar');
    queue.take();
    queue.take();
    const ended = queue.shutDown({ drain: true });
    queue.done('foo');
    expect(await isSettled(ended)).toBe(false);
    queue.done('bar');
    expect(await isSettled(ended)).toBe(true);
  });

  test('WQ07 a drain hands out items that were added again while held, and drops the others', async () => {
    const queue = new WorkQueue<string>();
    queue.add('foo');
    queue.take();
    queue.add('foo');
    queue.add('bar');
    queue.add('later', { after: 10 });
    const ended = queue.shutDown({ drain: true });
    expect([queue.length, queue.waiting]).toEqual([1, 0]);
    queue.done('foo');
    expect(await isSettled(ended)).toBe(false);
    expect((await queue.get())?.item).toBe('foo');
    queue.add('foo');
    expect(() => queue.add('foo', { after: 5 })).toThrow(refused);
    expect(() => queue.add('bar')).toThrow(refused);
    expect(() => queue.add('bar', { rateLimited: true })).toThrow(refused);
    queue.done('foo');
    expect(queue.take()?.item).toBe('foo');
    queue.done('foo');
    expect(await isSettled(ended)).toBe(true);
    expect(await queue.get()).toBeUndefined();
  });

  test('WQ07 a rate-limited re-add of a held item during a drain is dropped and counted, and the worker continues', async () => {
    let dropped = 0;
    const observer = { dropped: () => void (dropped += 1) };
    const queue = new WorkQueue<string>({ name: 'draining', observer });
    const handedOut: string[] = [];
    const worker = async (): Promise<void> => {
      for (let work = await queue.get(); work !== undefined; work = await queue.get()) {
        handedOut.push(work.item);
        await new Promise((resolve) => setTimeout(resolve, 10));
        queue.add(work.item, { rateLimited: true });
        queue.done(work.item);
      }
    };
    queue.add('foo');
    queue.add('bar');
    const workers = Promise.all([worker(), worker()]);
    await jest.advanceTimersByTimeAsync(5);
    const ended = queue.shutDown({ drain: true });
    await jest.advanceTimersByTimeAsync(1000);
    await ended;
    await workers;
    expect([handedOut, dropped]).toEqual([['foo', 'bar'], 2]);
    expect([queue.length, queue.waiting, jest.getTimerCount()]).toEqual([0, 0, 0]);
  });

  test('WQ08 a failure that is reported after a plain shut-down is dropped and counted', async () => {
    let dropped = 0;
    const observer = { dropped: () => void (dropped += 1) };
    const queue = new WorkQueue<string>({ name: 'closed', observer });
    queue.add('foo');
    queue.take();
    await queue.shutDown();
    queue.add('foo', { rateLimited: true });
    expect(() => queue.add('foo')).toThrow(refused);
    queue.done('foo');
    expect([dropped, queue.waiting, queue.held]).toEqual([1, 0, 0]);
  });

  test('WQ07 a re-add that would wait for the end of a backoff does not extend a drain', async () => {
    const queue = new WorkQueue<string>({ backoff: { base: 60_000 } });
    queue.add('foo');
    queue.take();
    queue.add('foo');
    queue.add('foo', { rateLimited: true });
    queue.done('foo');
    expect(queue.take()?.item).toBe('foo');
    const ended = queue.shutDown({ drain: true });
    queue.add('foo');
    queue.done('foo');
    await ended;
    expect([queue.length, queue.waiting, jest.getTimerCount()]).toEqual([0, 0, 0]);
  });

  test('WQ07 a drain rejects a second re-add and ends when its remaining items are purged', async () => {
    const queue = new WorkQueue<string>();
    queue.add('foo');
    queue.take();
    queue.add('foo', { cause: 'gone' });
    const ended = queue.shutDown({ drain: true });
    queue.done('foo');
    expect(() => queue.add('foo')).toThrow(refused);
    expect(await isSettled(ended)).toBe(false);
    expect(queue.withdraw(() => true)).toBe(1);
    expect(await isSettled(ended)).toBe(true);
  });

  test('WQ08 a plain shut-down resolves at once, even with held items', async () => {
    const queue = new WorkQueue<string>();
    queue.add('foo');
    queue.take();
    queue.add('foo');
    expect(await isSettled(queue.shutDown())).toBe(true);
    expect(queue.length).toBe(0);
    queue.done('foo');
    expect([queue.length, queue.held]).toEqual([0, 0]);
  });

  test('WQ09 a plain shut-down ends a drain', async () => {
    const queue = new WorkQueue<string>();
    queue.add('foo');
    queue.take();
    const ended = queue.shutDown({ drain: true });
    expect(await isSettled(ended)).toBe(false);
    void queue.shutDown();
    expect(await isSettled(ended)).toBe(true);
  });

  test('a second shut-down has no effect', async () => {
    const queue = new WorkQueue<string>();
    await queue.shutDown();
    await queue.shutDown({ drain: true });
    await queue.shutDown();
    expect(queue.isShutDown).toBe(true);
  });

  test('WQ24 delayed adds after shut-down are rejected, pending delays are dropped and their timer is cleared', async () => {
    const queue = new WorkQueue<string>();
    queue.add('foo', { after: 1000 });
    expect(jest.getTimerCount()).toBe(1);
    await queue.shutDown();
    expect([queue.waiting, jest.getTimerCount()]).toEqual([0, 0]);
    expect(() => queue.add('bar', { after: 1000 })).toThrow(refused);
    expect(() => queue.add('bar', { rateLimited: true })).toThrow(refused);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(queue.take()).toBeUndefined();
  });

  test('PQ12 a get on a shut-down queue settles', async () => {
    const queue = new WorkQueue<string>();
    queue.add('foo');
    await queue.shutDown();
    expect(await queue.get()).toBeUndefined();
    expect(queue.take()).toBeUndefined();
  });

  test('PQ24 a waiting get settles on shut-down', async () => {
    const queue = new WorkQueue<string>();
    const work = queue.get();
    await queue.shutDown();
    expect(await work).toBeUndefined();
  });

  test('PQ28 takes that race with shut-down settle, in 50 rounds of 20 workers', async () => {
    for (let round = 0; round < 50; round += 1) {
      const queue = new WorkQueue<number>();
      const gets: Promise<WorkItem<number> | undefined>[] = [];
      for (let worker = 0; worker < 20; worker += 1) gets.push(queue.get());
      for (let item = 0; item < round % 25; item += 1) queue.add(item);
      for (let turn = 0; turn < round % 4; turn += 1) await Promise.resolve();
      void queue.shutDown({ drain: round % 2 === 1 });
      const settled = await Promise.all(gets);
      for (const work of settled) if (work !== undefined) queue.done(work.item);
      await queue.shutDown({ drain: true });
      expect([queue.length, queue.held]).toEqual([0, 0]);
    }
  });

  test('await using shuts the queue down', async () => {
    let queue: WorkQueue<string>;
    {
      await using own = new WorkQueue<string>();
      queue = own;
      own.add('foo', { after: 1000 });
    }
    expect([queue.isShutDown, jest.getTimerCount()]).toEqual([true, 0]);
  });
});
