import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { ExponentialBackoff, FastSlowLimiter, TokenBucket, WorkQueue } from '../index.ts';

const named =
  (source: string) =>
  (other: string): boolean =>
    other === source;

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

describe('reassigned sources of a WorkQueue', () => {
  test('an entry keeps its time, its priority and its other causes', () => {
    const queue = new WorkQueue<string, string>();
    queue.add('ready', { causes: ['first', 'old', 'last'], priority: 3 });
    queue.add('waits', { cause: 'old', after: 50 });
    expect(queue.reassign(named('old'), () => ['heir'])).toBe(0);
    expect([queue.length, queue.waiting, queue.depths()]).toEqual([1, 1, new Map([[3, 1]])]);
    expect(queue.take()?.causes).toEqual(['first', 'heir', 'last']);
    jest.advanceTimersByTime(49);
    expect(queue.take()).toBeUndefined();
    jest.advanceTimersByTime(1);
    expect(queue.take()).toMatchObject({ item: 'waits', causes: ['heir'], priority: 0 });
  });

  test('an entry without an heir is purged, unless another cause is left', () => {
    const purged: number[] = [];
    const observer = { purged: (count: number) => void purged.push(count) };
    const queue = new WorkQueue<string, string>({ name: 'heirs', observer });
    queue.add('gone', { cause: 'old' });
    queue.add('other', { causes: ['old', 'stays'] });
    queue.add('heir', { cause: 'old' });
    queue.add('permanent');
    queue.add('permanent', { cause: 'old' });
    const heirs = (item: string): string[] => (item === 'heir' ? ['new'] : []);
    expect(queue.reassign(named('old'), heirs)).toBe(1);
    expect(purged).toEqual([1]);
    expect(queue.withdraw(named('new'))).toBe(1);
    expect([queue.take()?.item, queue.take()?.item, queue.take()]).toEqual([
      'other',
      'permanent',
      undefined,
    ]);
  });

  test('a held item belongs to its heirs: their withdrawal drops its retry', () => {
    const queue = new WorkQueue<string, string>();
    queue.add('foo', { cause: 'old' });
    queue.take();
    queue.reassign(named('old'), () => ['new', 'newer']);
    queue.withdraw(named('old'));
    expect(queue.isWithdrawn('foo')).toBe(false);
    expect(queue.processingFor(named('old'))).toHaveLength(1);
    queue.withdraw(named('new'));
    expect(queue.isWithdrawn('foo')).toBe(false);
    queue.withdraw(named('newer'));
    expect(queue.isWithdrawn('foo')).toBe(true);
  });

  test('heirs replace sources beyond the limit of causes too', () => {
    interface Cause {
      readonly source: string;
      readonly reason: number;
    }
    const queue = new WorkQueue<string, Cause, string>({
      causes: { sourceOf: ({ source }) => source },
    });
    for (let reason = 0; reason < 8; reason += 1)
      queue.add('foo', { cause: { source: 'a', reason } });
    queue.add('foo', { cause: { source: 'old', reason: 8 } });
    const seen: (Cause | undefined)[] = [];
    const heirs = (_: string, cause: Cause | undefined): Cause[] => {
      seen.push(cause);
      return [{ source: 'new', reason: 0 }];
    };
    expect(queue.reassign((source) => source === 'old', heirs)).toBe(0);
    expect(seen).toEqual([undefined]);
    expect(queue.withdraw((source) => source === 'a' || source === 'old')).toBe(0);
    expect(queue.withdraw((source) => source === 'new')).toBe(1);
  });

  test('a function that throws changes nothing, and the functions are checked', () => {
    const queue = new WorkQueue<string, string>();
    queue.add('one', { cause: 'old' });
    queue.add('two', { cause: 'old' });
    const failing = (item: string): string[] => {
      if (item === 'two') throw new Error('no');
      return [];
    };
    expect(() => queue.reassign(named('old'), failing)).toThrow('no');
    expect(queue.length).toBe(2);
    const invalid = undefined as never;
    const refused = (option: string): unknown =>
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      });
    expect(() => queue.reassign(invalid, failing)).toThrow(refused('reassign.matches'));
    expect(() => queue.reassign(named('old'), invalid)).toThrow(refused('reassign.heirsOf'));
  });

  test('a drain ends when the last entry is purged', async () => {
    const queue = new WorkQueue<string, string>();
    queue.add('foo', { cause: 'old' });
    queue.take();
    queue.add('foo', { cause: 'old' });
    const ended = queue.shutDown({ drain: true });
    queue.done('foo');
    queue.reassign(named('old'), () => []);
    await ended;
    expect(queue.length).toBe(0);
  });
});

describe('another limiter of a WorkQueue', () => {
  const fail = (queue: WorkQueue<string>, item: string): void => {
    queue.take();
    queue.add(item, { rateLimited: true });
    queue.done(item);
  };

  test('decides about the next failure, and items that wait keep their time', () => {
    const queue = new WorkQueue<string>({ backoff: { base: 10, max: 1000 } });
    queue.add('foo');
    fail(queue, 'foo');
    queue.limitRetries({
      rateLimiter: new FastSlowLimiter({ fast: 3, slow: 70, fastAttempts: 1 }),
    });
    jest.advanceTimersByTime(9);
    expect(queue.take()).toBeUndefined();
    jest.advanceTimersByTime(1);
    fail(queue, 'foo');
    expect(queue.failures('foo')).toBe(2);
    jest.advanceTimersByTime(3);
    fail(queue, 'foo');
    jest.advanceTimersByTime(69);
    expect(queue.take()).toBeUndefined();
    jest.advanceTimersByTime(1);
    expect(queue.take()?.failures).toBe(3);
    queue.forget('foo');
    expect(queue.failures('foo')).toBe(0);
  });

  test('continues the failures with backoff, and from a counter', () => {
    const queue = new WorkQueue<string>({ backoff: { base: 1, max: 1000 } });
    queue.add('foo');
    fail(queue, 'foo');
    jest.advanceTimersByTime(1);
    fail(queue, 'foo');
    jest.advanceTimersByTime(2);
    queue.limitRetries({ backoff: { base: 10, max: 1000 } });
    fail(queue, 'foo');
    jest.advanceTimersByTime(39);
    expect(queue.take()).toBeUndefined();
    jest.advanceTimersByTime(1);
    const counter = new ExponentialBackoff({ base: 1, max: 5000 });
    queue.limitRetries({ rateLimiter: counter, counter });
    fail(queue, 'foo');
    jest.advanceTimersByTime(7);
    expect(queue.take()).toBeUndefined();
    jest.advanceTimersByTime(1);
    expect(queue.take()?.failures).toBe(4);
  });

  test('refuses what the options of the queue refuse', () => {
    const queue = new WorkQueue<string>();
    const rateLimiter = new TokenBucket({ perSecond: 1, burst: 1 });
    const code = expect.objectContaining({ code: 'INVALID_OPTION' });
    expect(() => queue.limitRetries({ rateLimiter, backoff: {} })).toThrow(code);
    expect(() => queue.limitRetries({ rateLimiter: {} as never })).toThrow(code);
    expect(() => queue.limitRetries({ rateLimiter, counter: {} as never })).toThrow(code);
    expect(() => queue.limitRetries({ backof: {} } as never)).toThrow(code);
  });
});
