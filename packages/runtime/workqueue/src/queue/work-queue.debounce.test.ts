import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { WorkQueue, type AddOptions } from '../index.ts';
import { runAll } from '../testing/take-all.test-support.ts';

const debounce = { wait: 10, maxWait: 50 };

/** A queue that notes when it hands out its item, and how often a delay counted as a retry. */
function noting(): {
  queue: WorkQueue<string, string>;
  handedOut: number[];
  retries: () => number;
} {
  const handedOut: number[] = [];
  let retries = 0;
  const queue = new WorkQueue<string, string>({
    name: 'noting',
    backoff: { base: 100 },
    observer: { retried: () => void (retries += 1) },
  });
  queue.onAvailable(() => {
    for (let work = queue.take(); work !== undefined; work = queue.take()) {
      handedOut.push(performance.now());
      queue.done(work.item);
    }
  });
  return { queue, handedOut, retries: () => retries };
}

const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

describe('a debounced add', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test('R0-09 n adds within the time lead to one hand-out, not before the time after the first', async () => {
    const { queue, handedOut, retries } = noting();
    queue.add('a', { debounce });
    await pass(4);
    queue.add('a', { debounce });
    await pass(4);
    queue.add('a', { debounce });
    expect([queue.length, queue.waiting]).toEqual([0, 1]);
    await pass(100);
    expect(handedOut).toEqual([18]);
    // The delay is not a retry.
    expect(retries()).toBe(0);
  });

  test('R0-09b with endless adds the item is handed out at the limit after the first', async () => {
    const { queue, handedOut } = noting();
    for (let at = 0; at < 40; at += 1) {
      queue.add('a', { debounce });
      await pass(5);
    }
    expect(handedOut).toEqual([50, 100, 150, 200]);
  });

  test('an add without debounce is not delayed, and later adds do not postpone it', async () => {
    const { queue, handedOut } = noting();
    queue.add('a', { debounce });
    queue.add('a', { after: 15 });
    await pass(9);
    queue.add('a', { debounce });
    await pass(100);
    expect(handedOut).toEqual([15]);
    queue.add('a', { debounce });
    queue.add('a');
    await pass(0);
    expect(handedOut).toEqual([15, 109]);
  });

  test('an add with a delay before the debounced ones keeps its time as the limit', async () => {
    const { queue, handedOut } = noting();
    queue.add('a', { after: 12 });
    queue.add('a', { debounce });
    await pass(9);
    queue.add('a', { debounce });
    await pass(100);
    expect(handedOut).toEqual([12]);
  });

  test('the last of several times decides, within the shortest limit', async () => {
    const { queue, handedOut } = noting();
    queue.add('a', { debounce });
    queue.add('a', { debounce: { wait: 30, maxWait: 300 } });
    await pass(100);
    queue.add('a', { debounce: { wait: 30, maxWait: 300 } });
    queue.add('a', { debounce });
    await pass(100);
    queue.add('a', { debounce });
    queue.add('a', { debounce: { wait: 70, maxWait: 700 } });
    await pass(100);
    expect(handedOut).toEqual([30, 110, 250]);
  });

  test('the hand-out of one item changes nothing for the others', async () => {
    const { queue, handedOut } = noting();
    const slow = { wait: 20, maxWait: 50 };
    queue.add('a', { debounce });
    queue.add('b', { debounce: slow });
    await pass(15); // `a` was handed out at 10
    queue.add('b', { after: 10 });
    queue.add('b', { debounce: slow });
    await pass(100);
    expect(handedOut).toEqual([10, 25]);
  });

  test('a time of zero does not delay the item', async () => {
    const { queue, handedOut } = noting();
    queue.add('a', { debounce: { wait: 0, maxWait: 0 } });
    await pass(0);
    expect(handedOut).toEqual([0]);
  });

  test('a ready item stays ready, and the next hand-out begins a new time', async () => {
    const queue = new WorkQueue<string>();
    queue.add('a');
    queue.add('a', { debounce });
    expect([queue.length, queue.waiting]).toEqual([1, 0]);
    expect(runAll(queue)).toEqual(['a']);
    await pass(60);
    queue.add('a', { debounce });
    await pass(9);
    expect(runAll(queue)).toEqual([]);
    await pass(1);
    expect(runAll(queue)).toEqual(['a']);
  });

  test('an item that is due is not postponed although no timer has fired', () => {
    let now = 0;
    const queue = new WorkQueue<string>({ clock: { now: () => now } });
    queue.add('a', { debounce });
    now = 10;
    queue.add('a', { debounce });
    expect(runAll(queue)).toEqual(['a']);
  });

  test('an add during the run of the item waits after the run, too', async () => {
    const queue = new WorkQueue<string>();
    queue.add('a');
    queue.take();
    queue.add('a', { debounce });
    queue.done('a');
    expect([queue.length, queue.waiting]).toEqual([0, 1]);
    await pass(10);
    expect(runAll(queue)).toEqual(['a']);
  });

  test('PQ33 neither delays a retry nor defeats the backoff', async () => {
    const { queue, handedOut } = noting();
    // Fails at 0: the retry is due at 100.
    queue.add('a', { rateLimited: true });
    await pass(95);
    queue.add('a', { debounce });
    await pass(4);
    queue.add('a', { debounce });
    await pass(100);
    expect(handedOut).toEqual([100]);
  });

  test('PQ33 the end of a backoff does not bring back a time that a later add has replaced', () => {
    let now = 0;
    const queue = new WorkQueue<string>({ clock: { now: () => now }, backoff: { base: 60 } });
    queue.add('a', { rateLimited: true });
    queue.add('a', { after: 0 });
    queue.take(); // the early run of the backoff until 60
    queue.done('a');
    const dueAt = [55, 61].map((at) => {
      now = at;
      queue.add('a', { debounce });
      return queue.stateOf('a')?.queued?.at;
    });
    now = 62;
    queue.forget('a');
    expect([...dueAt, queue.stateOf('a')?.queued?.at]).toEqual([65, 71, 71]);
  });

  test('has the highest priority and all causes of its adds, and is purged with its sources', async () => {
    const queue = new WorkQueue<string, string>();
    const add = (options: AddOptions<string>): void => queue.add('a', { debounce, ...options });
    add({ priority: 1, cause: 'x' });
    add({ priority: 3, cause: 'y' });
    add({ priority: 2, cause: 'x' });
    expect(queue.withdraw((source) => source === 'x')).toBe(0);
    await pass(10);
    expect(queue.take()).toMatchObject({ priority: 3, causes: ['y'] });
    queue.done('a');
    add({ cause: 'x' });
    await pass(40);
    expect(queue.withdraw(() => true)).toBe(1);
    // The limit of the purged entry does not apply to the next one.
    add({ cause: 'y' });
    await pass(5);
    add({ cause: 'y' });
    await pass(9);
    expect(queue.length).toBe(0);
    await pass(1);
    expect(queue.length).toBe(1);
  });

  test('shut-down drops it and leaves no timer', async () => {
    const queue = new WorkQueue<string>();
    queue.add('a', { debounce });
    await queue.shutDown();
    expect([queue.waiting, jest.getTimerCount()]).toEqual([0, 0]);
  });

  test.each<[string, unknown]>([
    ['debounce', 5],
    ['debounce', null],
    ['debounce.wait', { maxWait: 5 }],
    ['debounce.wait', { wait: -1, maxWait: 5 }],
    ['debounce.maxWait', { wait: 5 }],
    ['debounce.maxWait', { wait: 5, maxWait: 4 }],
  ])('throws with the option %s for %j', (option, value) => {
    const queue = new WorkQueue<string>();
    expect(() => queue.add('a', { debounce: value as never })).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });
});
