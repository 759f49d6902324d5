import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { WorkQueue } from '../index.ts';

describe('the causes of a WorkQueue', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const from = (source: string) => (cause: unknown) => cause === source;

  test('causes are handed out once with the item', () => {
    const queue = new WorkQueue<string>();
    queue.add('foo', { cause: 'one' });
    queue.add('foo', { cause: 'two' });
    queue.add('foo', { causes: ['two', 'three'] });
    expect(queue.take()?.causes).toEqual(['one', 'two', 'three']);
    queue.done('foo');
    queue.add('foo');
    expect(queue.take()?.causes).toEqual([]);
  });

  test('an add for a held item starts with its own causes only', () => {
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

  test.each<[string, (queue: WorkQueue<string>) => number]>([
    ['withdrawn', (queue) => queue.withdraw(from('gone'))],
    ['purged', (queue) => queue.purge(() => true)],
  ])('RC14 a retry that is %s before its run is done leaves no failures', (_, drop) => {
    const queue = new WorkQueue<string>();
    queue.add('foo', { cause: 'gone' });
    queue.take();
    queue.add('foo', { rateLimited: true });
    expect(drop(queue)).toBe(1);
    expect(queue.failures('foo')).toBe(0);
    queue.add('foo', { cause: 'after' });
    queue.done('foo');
    expect(queue.take()).toMatchObject({ item: 'foo', failures: 0, causes: ['after'] });
  });

  test('an item that is withdrawn during its run keeps its failures until the run reports its end', () => {
    const queue = new WorkQueue<string>({ backoff: { base: 1, max: 1 } });
    queue.add('foo', { cause: 'gone' });
    queue.take();
    queue.add('foo', { rateLimited: true });
    queue.done('foo');
    jest.advanceTimersByTime(1);
    queue.take();
    queue.add('foo', { cause: 'gone' });
    expect(queue.withdraw(from('gone'))).toBe(1);
    expect(queue.failures('foo')).toBe(1);
  });

  test('a purge receives the sources of each entry, of any number', async () => {
    await using queue = new WorkQueue<string>();
    const many = Array.from({ length: 12 }, (_, at) => `source-${at}`);
    queue.add('many', { causes: many });
    queue.add('one', { cause: 'only' });
    queue.add('none');
    const seen: unknown[] = [];
    const note = (item: string, sources: Iterable<unknown>): boolean => {
      seen.push([item, [...sources]]);
      return item === 'one';
    };
    expect(queue.purge(note)).toBe(1);
    expect(seen).toEqual([
      ['many', many],
      ['one', ['only']],
      ['none', []],
    ]);
    expect(queue.withdraw((source) => many.includes(source as string))).toBe(1);
    expect(queue.take()).toMatchObject({ item: 'none', causes: [] });
  });

  test('a withdrawal whose matches throws changes nothing', () => {
    const queue = new WorkQueue<string>();
    for (const item of ['one', 'two', 'three']) queue.add(item, { cause: item });
    queue.take();
    const throwing = (source: unknown): boolean => {
      if (source === 'three') throw new Error('no');
      return true;
    };
    expect(() => queue.withdraw(throwing)).toThrow('no');
    expect(queue.isWithdrawn('one')).toBe(false);
    expect(queue.length).toBe(2);
  });

  test('a withdrawal whose matches uses the queue keeps the changes of matches', () => {
    const queue = new WorkQueue<string>();
    for (const item of ['one', 'two']) queue.add(item, { cause: item });
    let calls = 0;
    const purged = queue.withdraw(() => {
      calls += 1;
      if (calls > 1) return true;
      queue.add('three', { cause: 'three' });
      expect(queue.take()?.item).toBe('one');
      return true;
    });
    expect(purged).toBe(1);
    expect([queue.length, queue.held]).toEqual([1, 1]);
    expect(queue.take()?.item).toBe('three');
    expect(queue.take()).toBeUndefined();
  });

  test('purge drops the queued entries of matching items with their backoff; held items stay', () => {
    const queue = new WorkQueue<string>({ backoff: { base: 10 } });
    for (const item of ['held', 'ready', 'kept']) queue.add(item, { cause: item });
    queue.add('waiting', { rateLimited: true });
    expect(queue.take()?.item).toBe('held');
    queue.add('held');
    expect(queue.purge((item) => item !== 'kept')).toBe(3);
    expect([queue.length, queue.waiting, queue.held]).toEqual([1, 0, 1]);
    expect(queue.failures('waiting')).toBe(0);
    queue.done('held');
    expect([queue.take()?.item, queue.take()]).toEqual(['kept', undefined]);
  });

  test('a purge whose matches throws changes nothing, and one whose matches uses the queue keeps the changes', () => {
    const queue = new WorkQueue<string>();
    for (const item of ['one', 'two']) queue.add(item);
    const throwing = (item: string): boolean => {
      if (item === 'two') throw new Error('no');
      return true;
    };
    expect(() => queue.purge(throwing)).toThrow('no');
    expect(queue.length).toBe(2);
    const taking = (): boolean => {
      queue.add('three');
      queue.take();
      return true;
    };
    // 'one' and 'two' are held before they could be purged.
    expect(queue.purge(taking)).toBe(0);
    expect([queue.length, queue.held]).toEqual([1, 2]);
    const wrong: unknown = 'x';
    expect(() => queue.purge(wrong as () => boolean)).toThrow('purge.matches');
  });

  test('sameCause decides which causes are the same', () => {
    interface Cause {
      source: string;
    }
    const queue = new WorkQueue<string, Cause>({
      causes: { sameCause: (a, b) => a.source === b.source },
    });
    queue.add('foo', { cause: { source: 'x' } });
    queue.add('foo', { cause: { source: 'x' } });
    expect(queue.take()?.causes).toEqual([{ source: 'x' }]);
  });

  test('RC14 an entry with only withdrawn causes is purged, an entry with another cause stays', () => {
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

  test('a held item is not purged; its queued re-add is', () => {
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

  test('a purged item that failed starts again at the first delay', () => {
    const queue = new WorkQueue<string>();
    queue.add('foo', { rateLimited: true, cause: 'gone' });
    queue.withdraw(from('gone'));
    expect(queue.failures('foo')).toBe(0);
  });

  test('an entry with more than eight causes is purged when the last of them is withdrawn, not before', () => {
    const queue = new WorkQueue<string>();
    for (let index = 0; index < 20; index += 1) queue.add('foo', { cause: `cause-${index}` });
    for (let index = 0; index < 19; index += 1) {
      expect(queue.withdraw(from(`cause-${index}`))).toBe(0);
    }
    expect(queue.withdraw(from('cause-19'))).toBe(1);
    expect(queue.take()).toBeUndefined();
  });

  test('an item is handed out with eight of its causes and the times of their adds', async () => {
    const queue = new WorkQueue<string>();
    for (let index = 0; index < 20; index += 1) {
      queue.add('foo', { cause: `cause-${index}` });
      await jest.advanceTimersByTimeAsync(10);
    }
    const work = queue.take();
    expect(work?.causes).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((index) => `cause-${index}`));
    const ages = work?.causedAt.map((at) => (work?.startedAt ?? 0) - at);
    expect(ages).toEqual([200, 190, 180, 170, 160, 150, 140, 130]);
  });

  test('sourceOf returns the source of a cause, and withdraw removes sources', () => {
    const sourceOf = (cause: string): string => cause.split(' ')[0] ?? '';
    const queue = new WorkQueue<string, string>({ causes: { sourceOf } });
    for (let index = 0; index < 20; index += 1) queue.add('foo', { cause: `one ${index}` });
    queue.add('bar', { causes: ['one 1', 'two 1'] });
    expect(queue.withdraw((source) => source === 'one')).toBe(1);
    expect(queue.take()).toMatchObject({ item: 'bar', causes: ['two 1'] });
  });

  test('equal causes beyond the first eight count once by sameCause', () => {
    interface Cause {
      source: string;
    }
    const queue = new WorkQueue<string, Cause>({
      causes: { sameCause: (a, b) => a.source === b.source },
    });
    for (const source of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'i', 'j']) {
      queue.add('foo', { cause: { source } });
    }
    expect(queue.withdraw(({ source }) => source !== 'i')).toBe(0);
    expect(queue.withdraw(({ source }) => source === 'i')).toBe(1);
  });

  test('a cause beyond the first eight that equals one of them is not kept again', () => {
    interface Cause {
      readonly id: number;
    }
    const sameCause = (one: Cause, other: Cause): boolean => one.id === other.id;
    const queue = new WorkQueue<string, Cause>({ causes: { sameCause } });
    const causes = Array.from({ length: 9 }, (_, id) => ({ id }));
    for (const cause of causes) queue.add('foo', { cause });
    queue.add('foo', { cause: { id: 8 } });
    expect(queue.withdraw((cause) => causes.includes(cause))).toBe(1);
  });

  test('an item without a cause has no causes and no times of causes', () => {
    const queue = new WorkQueue<string>();
    queue.add('foo');
    expect(queue.take()).toMatchObject({ causes: [], causedAt: [] });
  });

  test('the retry of a held item keeps all sources of its run', () => {
    const queue = new WorkQueue<string>({ backoff: { base: 1000 } });
    for (let index = 0; index < 9; index += 1) queue.add('foo', { cause: `cause-${index}` });
    queue.take();
    queue.add('foo', { rateLimited: true });
    queue.done('foo');
    for (let index = 0; index < 8; index += 1) {
      expect(queue.withdraw(from(`cause-${index}`))).toBe(0);
    }
    expect(queue.waiting).toBe(1);
    expect(queue.withdraw(from('cause-8'))).toBe(1);
  });

  test('the retry of an item that was added while held keeps the sources of both', () => {
    const queue = new WorkQueue<string>({ backoff: { base: 1000 } });
    queue.add('foo', { cause: 'run' });
    queue.take();
    queue.add('foo', { cause: 'event' });
    queue.add('foo', { rateLimited: true });
    queue.done('foo');
    expect(queue.withdraw(from('event'))).toBe(0);
    expect(queue.take()).toMatchObject({ item: 'foo', causes: ['run'], failures: 1 });
  });

  test('a held item reports its sources, and whether all of them were withdrawn', () => {
    const queue = new WorkQueue<string>();
    for (let index = 0; index < 9; index += 1) queue.add('foo', { cause: `cause-${index}` });
    queue.add('bar', { cause: 'cause-0' });
    queue.add('free');
    queue.take();
    queue.take();
    queue.take();
    const itemsFor = (source: string): string[] =>
      queue.processingFor(from(source)).map(({ item }) => item);
    expect([itemsFor('cause-0'), itemsFor('cause-8')]).toEqual([['foo', 'bar'], ['foo']]);
    queue.withdraw(from('cause-0'));
    const withdrawn = ['foo', 'bar', 'free', 'unknown'].map((item) => queue.isWithdrawn(item));
    expect(withdrawn).toEqual([false, true, false, false]);
    expect(itemsFor('cause-0')).toEqual(['foo', 'bar']);
    queue.withdraw(() => true);
    expect(queue.isWithdrawn('foo')).toBe(true);
    queue.add('foo', { rateLimited: true });
    queue.done('foo');
    expect(queue.withdraw(() => true)).toBe(0);
    expect(queue.waiting).toBe(1);
  });
});
