import { describe, expect, test } from '@jest/globals';
import { WorkQueue, type WorkQueueOptions } from '../index.ts';

/** A queue with a clock that the test sets. */
function timed(options: WorkQueueOptions<string> = {}): {
  queue: WorkQueue<string>;
  clock: { now: number };
  /** Takes and finishes one item. */
  run: () => string | undefined;
} {
  const clock = { now: 0 };
  const queue = new WorkQueue<string>({ clock: { now: () => clock.now }, ...options });
  const run = (): string | undefined => {
    const item = queue.take()?.item;
    if (item !== undefined) queue.done(item);
    return item;
  };
  return { queue, clock, run };
}

/**
 * Adds 11 items of each priority and runs 10 every 10 ms, so that the higher priorities alone keep the workers busy.
 * Returns the time at which each other item was handed out.
 */
function saturate(
  priorities: readonly number[],
  { queue, clock, run }: ReturnType<typeof timed>,
): Map<string, number> {
  const handedOut = new Map<string, number>();
  let count = 0;
  for (; clock.now < 60_000; clock.now += 10) {
    for (const priority of priorities) {
      for (let added = 0; added < 11; added += 1) queue.add(`load-${count++}`, { priority });
    }
    for (let served = 0; served < 10; served += 1) {
      const item = run();
      if (item !== undefined && !item.startsWith('load')) handedOut.set(item, clock.now);
    }
  }
  return handedOut;
}

describe('the ageing of a WorkQueue', () => {
  test('PQ31 a low item is served within its limit while a high priority saturates the workers for 60 s', () => {
    const world = timed();
    for (let index = 0; index < 1000; index += 1) world.queue.add(`high-${index}`);
    world.queue.add('low', { priority: -100 });
    expect(saturate([0], world).get('low')).toBe(10_000);
  });

  test('PQ31 an item rises by one level that has items for each ageAfter', () => {
    const world = timed({ ageAfter: 5000 });
    world.queue.add('low', { priority: -100 });
    const handedOut = saturate([0, 10, 20], world);
    expect(handedOut.get('low')).toBe(15_000);
  });

  test('PQ31 with ageAfter 0 a low item waits until no higher one is ready', () => {
    const world = timed({ ageAfter: 0 });
    world.queue.add('low', { priority: -100 });
    expect(saturate([0], world).has('low')).toBe(false);
  });

  test('PQ31 risen items and the highest priority take turns, the oldest first', () => {
    const { queue, clock, run } = timed();
    for (const item of ['low-1', 'low-2']) queue.add(item, { priority: -100 });
    clock.now = 5;
    queue.add('middle', { priority: -50 });
    clock.now = 30_000;
    for (const item of ['high-1', 'high-2', 'high-3']) queue.add(item);
    const order = Array.from({ length: 6 }, run);
    expect(order).toEqual(['low-1', 'high-1', 'low-2', 'high-2', 'middle', 'high-3']);
  });

  test('of two risen items that became ready at once, the one of the higher priority is first', () => {
    const { queue, clock, run } = timed();
    queue.add('low', { priority: -100 });
    queue.add('middle', { priority: -50 });
    clock.now = 30_000;
    queue.add('high');
    expect(Array.from({ length: 3 }, run)).toEqual(['middle', 'high', 'low']);
  });

  test('a risen item has the first turn after items that were handed out by priority', () => {
    const { queue, clock, run } = timed();
    queue.add('low-1', { priority: -100 });
    clock.now = 5000;
    queue.add('low-2', { priority: -100 });
    clock.now = 10_000;
    for (const item of ['high-1', 'high-2']) queue.add(item);
    expect([run(), run()]).toEqual(['low-1', 'high-1']);
    queue.add('high-3');
    clock.now = 15_000;
    expect(run()).toBe('low-2');
  });

  test('a backlog of low priority leaves half of the hand-outs to higher ones', () => {
    const { queue, clock, run } = timed();
    for (let index = 0; index < 1000; index += 1) queue.add(`low-${index}`, { priority: -100 });
    clock.now = 60_000;
    for (let index = 0; index < 100; index += 1) queue.add(`high-${index}`);
    const order = Array.from({ length: 200 }, run);
    expect(order.filter((item) => item?.startsWith('high'))).toHaveLength(100);
  });

  test('an item handed out because of its age keeps its priority', () => {
    const { queue, clock } = timed();
    queue.add('low', { priority: -100 });
    clock.now = 10_000;
    queue.add('high');
    expect(queue.take()).toMatchObject({ item: 'low', priority: -100, queuedMs: 10_000 });
    expect(queue.depths()).toEqual(new Map([[0, 1]]));
  });

  test('a level whose items are all locked does not count', () => {
    const { queue, clock } = timed();
    queue.add('locked', { priority: 5 });
    queue.take();
    queue.add('locked', { priority: 5 });
    queue.add('low', { priority: -100 });
    clock.now = 10_000;
    queue.add('high');
    expect(queue.take()?.item).toBe('low');
  });

  test('an item that is unlocked has risen by the time for which it was ready', () => {
    const { queue, clock } = timed();
    queue.add('low', { priority: -100 });
    queue.take();
    queue.add('low', { priority: -100 });
    clock.now = 10_000;
    for (const item of ['high-1', 'high-2', 'high-3']) queue.add(item);
    expect(queue.take()?.item).toBe('high-1');
    queue.done('low');
    expect(queue.take()?.item).toBe('low');
  });

  test('a group whose turn comes has risen by the time for which its item was ready', () => {
    const { queue, clock, run } = timed({ groups: { groupOf: (item) => item[0] } });
    queue.add('a-1', { priority: -100 });
    queue.add('b-1', { priority: -100 });
    clock.now = 4000;
    queue.add('a-2', { priority: -100 });
    clock.now = 10_000;
    for (const item of ['high-1', 'high-2', 'high-3']) queue.add(item);
    expect([run(), run(), run(), run()]).toEqual(['a-1', 'high-1', 'b-1', 'high-2']);
    expect([run(), run()]).toEqual(['high-3', 'a-2']);
  });

  describe('that is replaced', () => {
    /** The low item waits for 5 s before the change. */
    function changed(before: number, after: number): number | undefined {
      const world = timed({ ageAfter: before });
      for (let index = 0; index < 1000; index += 1) world.queue.add(`high-${index}`);
      world.queue.add('low', { priority: -100 });
      for (; world.clock.now < 5_000; world.clock.now += 10) {
        world.queue.add(`more-${world.clock.now}`);
        expect(world.run()).not.toBe('low');
      }
      world.queue.ageAfter = after;
      return saturate([0], world).get('low');
    }

    test('holds for an item that is ready', () => {
      expect(changed(10_000, 7_000)).toBe(7_000);
      expect(changed(10_000, 20_000)).toBe(20_000);
    });

    test('lets an item rise at once that is older than a lower limit', () => {
      expect(changed(10_000, 3_000)).toBe(5_000);
      expect(changed(0, 3_000)).toBe(5_000);
    });

    test('lets no item rise with 0', () => {
      expect(changed(10_000, 0)).toBeUndefined();
    });

    test.each([-1, Number.NaN, '5s', null])('refuses %p', (wrong) => {
      const queue = new WorkQueue({ ageAfter: 5 });
      expect(() => (queue.ageAfter = wrong as number)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION' }),
      );
    });
  });
});
