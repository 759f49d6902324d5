import { describe, expect, test } from '@jest/globals';
import { WorkQueue } from '../index.ts';

function queueAt(time: { now: number }): WorkQueue<string> {
  return new WorkQueue<string>({
    clock: { now: () => time.now },
    backoff: { base: 1000, max: 1000 },
  });
}

describe('WorkQueue.stateOf', () => {
  test('names the time at which an item became ready, and its priority', () => {
    const time = { now: 100 };
    const queue = queueAt(time);
    queue.add('a', { priority: 3 });
    time.now = 200;
    queue.add('a', { priority: 5 });
    expect(queue.stateOf('a')).toEqual({
      isHeld: false,
      queued: { isReady: true, isSuspended: false, at: 100, priority: 5 },
    });
  });

  test('names the end of the delay of an item that waits', async () => {
    await using queue = queueAt({ now: 100 });
    queue.add('a', { after: 50 });
    expect(queue.stateOf('a')?.queued).toEqual({
      isReady: false,
      isSuspended: false,
      at: 150,
      priority: 0,
    });
  });

  test('names the retry of an item that a worker still holds', async () => {
    const time = { now: 0 };
    await using queue = queueAt(time);
    queue.add('a');
    queue.take();
    expect(queue.stateOf('a')).toEqual({ isHeld: true, queued: undefined });
    queue.add('a', { rateLimited: true });
    expect(queue.stateOf('a')).toMatchObject({ isHeld: true, queued: { at: 1000 } });
  });

  test('is undefined for an item that was never added, and for one that is done', async () => {
    await using queue = queueAt({ now: 0 });
    expect(queue.stateOf('a')).toBeUndefined();
    queue.add('a');
    queue.take();
    queue.done('a');
    expect(queue.stateOf('a')).toBeUndefined();
  });
});
