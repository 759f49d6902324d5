import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { WorkQueue } from '../index.ts';

// A context reads the flag when it is created, so a new context has `gc` although the test process
// has not.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

interface Item {
  readonly id: string;
  readonly body: number[];
}

const item = (id: string): Item => ({ id, body: Array.from({ length: 1000 }, () => 1) });

/**
 * Collects garbage once. Weak references keep their objects until the end of the turn that created
 * or read them. One collection is sufficient; it takes a second in a process with a large heap.
 */
async function isCollected(reference: WeakRef<object>): Promise<boolean> {
  for (let round = 0; round < 2; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    if (reference.deref() === undefined) return true;
  }
  return false;
}

describe('WorkQueue memory', () => {
  test('WQ11 an item taken and done is no longer referenced by the queue', async () => {
    const queue = new WorkQueue<Item>({ keyOf: ({ id }) => id });
    const reference = ((): WeakRef<Item> => {
      const own = item('a');
      queue.add(own, { cause: own });
      queue.take();
      queue.done(own);
      return new WeakRef(own);
    })();
    expect(await isCollected(reference)).toBe(true);
    expect(queue.length).toBe(0);
  });

  test('WQ11 an item that is its own key, was delayed and failed is no longer referenced', async () => {
    const queue = new WorkQueue<Item>({ backoff: { base: 0 } });
    const reference = ((): WeakRef<Item> => {
      const own = item('a');
      queue.add(own, { rateLimited: true, after: 0 });
      queue.take();
      queue.forget(own);
      queue.done(own);
      return new WeakRef(own);
    })();
    expect(await isCollected(reference)).toBe(true);
    expect(queue.held).toBe(0);
  });

  test('WQ11 the check itself can fail: a held item is referenced', async () => {
    const queue = new WorkQueue<Item>({ keyOf: ({ id }) => id });
    const reference = ((): WeakRef<Item> => {
      const own = item('a');
      queue.add(own);
      queue.take();
      return new WeakRef(own);
    })();
    expect(await isCollected(reference)).toBe(false);
    expect(queue.held).toBe(1);
  });

  test('a purged item and a dropped item are no longer referenced', async () => {
    const queue = new WorkQueue<Item>({ keyOf: ({ id }) => id });
    const purged = ((): WeakRef<Item> => {
      const own = item('a');
      queue.add(own, { cause: 'gone', after: 60_000 });
      queue.withdraw(() => true);
      return new WeakRef(own);
    })();
    const dropped = ((): WeakRef<Item> => {
      const own = item('b');
      queue.add(own);
      return new WeakRef(own);
    })();
    await queue.shutDown();
    expect([await isCollected(purged), await isCollected(dropped)]).toEqual([true, true]);
    expect(queue.waiting).toBe(0);
  });

  test('the memory of a burst is freed after it, even if an item stays queued', async () => {
    const used = async (): Promise<number> => {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    let now = 0;
    const queue = new WorkQueue<number>({ clock: { now: () => now } });
    queue.add(-1, { after: 60_000 });
    const before = await used();
    const burst = 200_000;
    for (let at = 0; at < burst; at += 1) queue.add(at, { after: at % 2 });
    queue.add(-2, { after: 60_000 });
    const full = await used();
    expect(full - before).toBeGreaterThan(5_000_000);
    now = 10;
    let done = 0;
    for (let work = queue.take(); work !== undefined; work = queue.take()) {
      queue.done(work.item);
      done += 1;
    }
    expect([done, queue.waiting]).toEqual([burst, 2]);
    // The memory of typed arrays is freed only after the collection that finds them.
    let left = (await used()) - before;
    for (let round = 0; round < 10 && left > 1_000_000; round += 1) left = (await used()) - before;
    expect(left).toBeLessThan(1_000_000);
    await queue.shutDown();
  });
});
