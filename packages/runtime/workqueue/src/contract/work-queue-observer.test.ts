import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { WorkQueue, type WorkQueueObserver } from '../index.ts';

/** Adds up the measurements of a queue, as a metrics registry does. */
class Metrics implements WorkQueueObserver {
  adds = 0;
  retries = 0;
  purges: number[] = [];
  depth = new Map<number, number>();
  queued: number[] = [];
  worked: number[] = [];

  added(): void {
    this.adds += 1;
  }

  retried(): void {
    this.retries += 1;
  }

  purged(count: number): void {
    this.purges.push(count);
  }

  depthChanged(priority: number, change: number): void {
    this.depth.set(priority, (this.depth.get(priority) ?? 0) + change);
  }

  taken(_priority: number, queuedMs: number): void {
    this.queued.push(queuedMs);
  }

  finished(heldMs: number): void {
    this.worked.push(heldMs);
  }
}

function observed(): { metrics: Metrics; queue: WorkQueue<string> } {
  const metrics = new Metrics();
  return { metrics, queue: new WorkQueue<string>({ name: 'observed', observer: metrics }) };
}

describe('WorkQueueObserver', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test('PQ01 add, get: depth{0} is back to 0, adds 1, retries 0', () => {
    const { metrics, queue } = observed();
    queue.add('foo');
    expect(metrics.depth).toEqual(new Map([[0, 1]]));
    queue.take();
    expect(metrics).toMatchObject({ adds: 1, retries: 0, depth: new Map([[0, 0]]) });
  });

  test('PQ03 a held item that is added again has depth 1, and three adds are counted', () => {
    const { metrics, queue } = observed();
    queue.add('foo');
    queue.take();
    queue.add('foo');
    queue.add('bar');
    expect(queue.take()?.item).toBe('bar');
    expect(metrics).toMatchObject({ adds: 3, depth: new Map([[0, 1]]) });
  });

  test('PQ05 two adds of one item: length 1, adds 1', () => {
    const { metrics, queue } = observed();
    queue.add('foo');
    queue.add('foo');
    expect([queue.length, metrics.adds]).toEqual([1, 1]);
  });

  test('PQ14 added with a delay and then without: counted once, ready now', () => {
    const { metrics, queue } = observed();
    queue.add('foo', { after: 60_000 });
    queue.add('foo');
    expect([queue.length, metrics.adds]).toEqual([1, 1]);
  });

  test('PQ18 retries count only real delays', () => {
    const { metrics, queue } = observed();
    queue.add('past', { after: -1000 });
    queue.add('now', { after: 0 });
    queue.add('ahead', { after: 1000 });
    expect(metrics).toMatchObject({ adds: 2, retries: 1 });
  });

  test('PQ25 an item is counted in length and metrics exactly once, when it becomes ready', async () => {
    const { metrics, queue } = observed();
    queue.add('foo', { after: 100 });
    expect(metrics).toMatchObject({ adds: 0, depth: new Map() });
    await jest.advanceTimersByTimeAsync(100);
    queue.add('foo', { after: 100 });
    await jest.advanceTimersByTimeAsync(100);
    expect([queue.length, metrics.adds, metrics.depth.get(0)]).toEqual([1, 1, 1]);
  });

  test('depth moves to the other priority when an item is raised', () => {
    const { metrics, queue } = observed();
    queue.add('foo', { priority: -100 });
    queue.add('foo', { priority: 7 });
    expect(metrics.depth).toEqual(
      new Map([
        [-100, 0],
        [7, 1],
      ]),
    );
    expect(queue.depths()).toEqual(new Map([[7, 1]]));
  });

  test('WQ22 adds, depth, queue duration and work duration are measured; unfinished and longest-running increase', async () => {
    const { metrics, queue } = observed();
    await jest.advanceTimersByTimeAsync(1000);
    queue.add('foo');
    await jest.advanceTimersByTimeAsync(30);
    queue.take();
    expect(metrics.queued).toEqual([30]);
    await jest.advanceTimersByTimeAsync(10);
    queue.add('bar');
    queue.take();
    await jest.advanceTimersByTimeAsync(25);
    expect([queue.unfinishedMs(), queue.longestRunningMs()]).toEqual([60, 35]);
    queue.done('foo');
    queue.done('foo');
    expect(metrics.worked).toEqual([35]);
    expect([queue.unfinishedMs(), queue.longestRunningMs()]).toEqual([25, 25]);
    queue.done('bar');
    expect([queue.unfinishedMs(), queue.longestRunningMs()]).toEqual([0, 0]);
  });

  test('WQ22 unfinished and longest-running are correct for any order of ends', () => {
    let now = 0;
    const queue = new WorkQueue<number>({ clock: { now: () => now } });
    for (let item = 0; item < 100; item += 1) {
      now += 1;
      queue.add(item);
      queue.take();
    }
    for (const item of [50, 0, 99, 1, 2]) queue.done(item);
    now = 1000;
    const started = queue.processing().map((work) => work.startedAt);
    expect(started).toHaveLength(95);
    expect(queue.unfinishedMs()).toBe(started.reduce((sum, at) => sum + now - at, 0));
    expect(queue.longestRunningMs()).toBe(now - Math.min(...started));
  });

  test('WQ22 the queue duration of a delayed item starts when it is ready, of a raised item when it was added', async () => {
    const { metrics, queue } = observed();
    queue.add('delayed', { after: 100 });
    queue.add('raised', { priority: -1 });
    await jest.advanceTimersByTimeAsync(120);
    queue.add('raised');
    queue.take();
    queue.take();
    expect(metrics.queued).toEqual([20, 120]);
  });

  test('WQ22 rejected adds are not counted, dropped items leave the depth', async () => {
    const { metrics, queue } = observed();
    queue.add('foo');
    queue.add('bar', { priority: 2 });
    await queue.shutDown();
    expect(() => queue.add('baz')).toThrow();
    expect(metrics.adds).toBe(2);
    expect([...metrics.depth.values()]).toEqual([0, 0]);
  });

  test('RC14 purged entries are counted and leave the depth', () => {
    const { metrics, queue } = observed();
    queue.add('foo', { cause: 'gone' });
    queue.add('bar', { cause: 'gone' });
    queue.withdraw((cause) => cause === 'gone');
    expect([metrics.purges, metrics.depth.get(0)]).toEqual([[2], 0]);
    queue.withdraw((cause) => cause === 'gone');
    expect(metrics.purges).toEqual([2]);
  });

  test('WQ24 a queue without a name reports nothing', () => {
    const metrics = new Metrics();
    const queue = new WorkQueue<string>({ observer: metrics });
    queue.add('foo');
    queue.add('late', { after: 5 });
    queue.take();
    queue.done('foo');
    expect(metrics).toEqual(new Metrics());
  });

  test('an observer may omit every method', () => {
    const queue = new WorkQueue<string>({ name: 'quiet', observer: {} });
    queue.add('foo', { priority: 1, cause: 'why' });
    queue.add('foo', { priority: 2, cause: 'why' });
    queue.add('late', { after: 5 });
    queue.take();
    queue.done('foo');
    expect(queue.withdraw(() => true)).toBe(0);
  });
});
