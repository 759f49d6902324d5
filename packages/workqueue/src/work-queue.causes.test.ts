import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { WorkQueue } from './index.ts';

describe('the causes of a WorkQueue', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

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
