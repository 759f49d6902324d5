import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { WorkQueue } from '../index.ts';
import { runAll, takeAll } from '../testing/take-all.test-support.ts';

describe('the priorities of a WorkQueue', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test('PQ02 items of one priority are handed out first in, first out', () => {
    const queue = new WorkQueue<string>();
    for (const item of ['foo', 'bar', 'baz']) queue.add(item, { priority: 1 });
    expect(takeAll(queue)).toEqual(['foo', 'bar', 'baz']);
  });

  test('PQ07 a re-add at a higher priority is handed out with that priority', () => {
    const queue = new WorkQueue<string>();
    queue.add('foo', { priority: 1 });
    queue.add('foo', { priority: 2 });
    expect(queue.length).toBe(1);
    expect(queue.take()?.priority).toBe(2);
  });

  test('PQ08 a re-add at a lower priority has no effect', () => {
    const queue = new WorkQueue<string>();
    queue.add('foo', { priority: 1 });
    queue.add('bar', { priority: 1 });
    queue.add('foo', { priority: 0 });
    queue.add('foo', { priority: 1 });
    expect(queue.take()).toMatchObject({ item: 'foo', priority: 1 });
  });

  test('PQ09 of foo, bar, baz at 0, baz is handed out first after a raise to 1', () => {
    const queue = new WorkQueue<string>();
    for (const item of ['foo', 'bar', 'baz']) queue.add(item);
    queue.add('baz', { priority: 1 });
    expect(takeAll(queue)).toEqual(['baz', 'foo', 'bar']);
  });

  test('a raised item is last among the items of its new priority', () => {
    const queue = new WorkQueue<string>();
    queue.add('low');
    queue.add('high', { priority: 1 });
    queue.add('low', { priority: 1 });
    expect(takeAll(queue)).toEqual(['high', 'low']);
  });

  test('the priority of a handed-out item is the highest since it was last handed out', () => {
    const queue = new WorkQueue<string>();
    queue.add('foo', { priority: 5 });
    expect(queue.take()?.priority).toBe(5);
    queue.add('foo', { priority: 1 });
    queue.done('foo');
    expect(queue.take()?.priority).toBe(1);
  });

  test('ten thousand distinct priorities are handed out in order', () => {
    const queue = new WorkQueue<number>();
    const priorities = Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 10_007);
    for (const priority of priorities) queue.add(priority, { priority });
    const sorted = priorities.toSorted((one, other) => other - one);
    expect(runAll(queue)).toEqual(sorted);
    queue.add(1, { priority: 1 });
    expect(queue.depths()).toEqual(new Map([[1, 1]]));
  });

  test('priorities whose empty levels were removed can be used again', () => {
    const queue = new WorkQueue<string>();
    queue.add('locked');
    queue.take();
    // Ready and never handed out, so that empty levels accumulate below it.
    queue.add('locked', { priority: 1000 });
    for (let round = 0; round < 3; round += 1) {
      for (let priority = 0; priority < 200; priority += 1) {
        queue.add('foo', { priority });
        expect(runAll(queue)).toEqual(['foo']);
      }
    }
    expect(queue.depths()).toEqual(new Map([[1000, 1]]));
  });

  test('PQ18 five levels with past, no and future delays: strict order of levels, FIFO within a level', async () => {
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
