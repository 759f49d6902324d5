import { describe, expect, jest, test } from '@jest/globals';
import { WorkQueue, WorkQueueError, type GroupRules } from '../index.ts';
import { runAll, takeAll } from '../testing/take-all.test-support.ts';

/** Items such as `a/1`: the group is the part before the slash. */
function grouped(
  rules: Partial<GroupRules<string>> = {},
  onError?: (error: WorkQueueError) => void,
): WorkQueue<string> {
  const groups = { groupOf: (item: string) => item.split('/')[0], ...rules };
  return new WorkQueue<string>({ groups, ...(onError && { onError }) });
}

function fill(queue: WorkQueue<string>, group: string, count: number): void {
  for (let index = 0; index < count; index += 1) queue.add(`${group}/${index}`);
}

/** Hands out items and adds each again, so that every group always has items. Returns the count of each group. */
function shares(queue: WorkQueue<string>, gets: number): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let get = 0; get < gets; get += 1) {
    const item = queue.take()?.item ?? '';
    const group = item.slice(0, item.lastIndexOf('/'));
    counts[group] = (counts[group] ?? 0) + 1;
    queue.add(item);
    queue.done(item);
  }
  return counts;
}

describe('the fairness of a WorkQueue', () => {
  test('PQ32 group A adds 10 000 items, then group B adds one: B is served within one round', () => {
    const queue = grouped();
    fill(queue, 'a', 10_000);
    queue.add('b/0');
    expect([queue.take()?.item, queue.take()?.item]).toEqual(['a/0', 'b/0']);
    expect(queue.length).toBe(9999);
  });

  test('PQ32 weights hold within 5 % over 10 000 gets', () => {
    const weights: Record<string, number> = { a: 1, b: 2, c: 5 };
    const queue = grouped({ weightOf: ([group = '']) => weights[group] ?? 1 });
    for (const [group, count] of [
      ['a', 5000],
      ['b', 300],
      ['c', 20],
    ] as const)
      fill(queue, group, count);
    for (const [group, count] of Object.entries(shares(queue, 10_000))) {
      const share = (10_000 * (weights[group] ?? 1)) / 8;
      expect(Math.abs(count - share)).toBeLessThanOrEqual(share * 0.05);
    }
  });

  test('PQ32 a group that was idle has no credit and costs no turn', () => {
    const queue = grouped({ weightOf: () => 2 });
    fill(queue, 'idle', 3);
    runAll(queue);
    fill(queue, 'a', 6);
    fill(queue, 'b', 6);
    fill(queue, 'idle', 3);
    expect(
      runAll(queue)
        .map((item) => item.split('/')[0])
        .join(' '),
    ).toBe('a a b b idle idle a a b b idle a a b b');
  });

  test('nested groups: tenants share equally, and the namespaces of a tenant share its turns', () => {
    const queue = grouped({ groupOf: (item) => item.split('/').slice(0, -1) });
    fill(queue, 'one/a', 100);
    fill(queue, 'two/a', 100);
    fill(queue, 'two/b', 100);
    fill(queue, 'two/c', 100);
    expect(shares(queue, 600)).toEqual({ 'one/a': 300, 'two/a': 100, 'two/b': 100, 'two/c': 100 });
  });

  test('nested groups: the weight of a tenant applies to all its namespaces', () => {
    const paths = new Set<string>();
    const queue = grouped({
      groupOf: (item) => item.split('/').slice(0, -1),
      weightOf(path) {
        paths.add(path.join('/'));
        return path.length === 1 && path[0] === 'two' ? 3 : 1;
      },
    });
    for (const group of ['one/a', 'two/a', 'two/b']) fill(queue, group, 50);
    expect(shares(queue, 800)).toEqual({ 'one/a': 200, 'two/a': 300, 'two/b': 300 });
    expect(paths).toEqual(new Set(['one', 'one/a', 'two', 'two/a', 'two/b']));
  });

  test('items of a tenant itself have one turn beside its namespaces, also if they were first', () => {
    const queue = grouped({ groupOf: (item) => item.split('/').slice(0, -1) });
    for (const group of ['one', 'one/a', 'one/b']) fill(queue, group, 2);
    expect(takeAll(queue)).toEqual(['one/0', 'one/a/0', 'one/b/0', 'one/1', 'one/a/1', 'one/b/1']);
  });

  test('items without a group share one turn', () => {
    const queue = new WorkQueue<string>({
      groups: { groupOf: (item) => (item < 'c' ? undefined : item[0]) },
    });
    for (const item of ['a1', 'b1', 'c1', 'c2']) queue.add(item);
    expect(takeAll(queue)).toEqual(['a1', 'c1', 'b1', 'c2']);
  });

  test('the priority decides before the group', () => {
    const queue = grouped();
    fill(queue, 'a', 3);
    queue.add('b/0', { priority: -1 });
    expect(runAll(queue)).toEqual(['a/0', 'a/1', 'a/2', 'b/0']);
  });

  test('a raised item joins its group in the new priority', () => {
    const queue = grouped();
    fill(queue, 'a', 2);
    fill(queue, 'b', 2);
    queue.add('b/1', { priority: 1 });
    expect(runAll(queue)).toEqual(['b/1', 'a/0', 'b/0', 'a/1']);
  });

  test('an item added again while held keeps its place in its group and blocks no other group', () => {
    const queue = grouped();
    queue.add('a/0');
    queue.take();
    for (const item of ['a/0', 'a/1', 'b/0']) queue.add(item);
    expect(queue.take()?.item).toBe('a/1');
    queue.done('a/0');
    expect(takeAll(queue)).toEqual(['b/0', 'a/0']);
  });

  test('withdrawn items leave their group', () => {
    const queue = new WorkQueue<string>({ groups: { groupOf: (item) => item[0] } });
    queue.add('a1', { cause: 'gone' });
    for (const item of ['b1', 'b2', 'c1']) queue.add(item);
    expect(queue.withdraw((cause) => cause === 'gone')).toBe(1);
    expect(takeAll(queue)).toEqual(['b1', 'c1', 'b2']);
  });

  test('a group may have any name', () => {
    const names = ['__proto__', 'constructor', 'a/b', ' '];
    const queue = new WorkQueue<string>({ groups: { groupOf: (item) => names[Number(item[0])] } });
    for (const item of ['0a', '0b', '1a', '1b', '2a', '3a']) queue.add(item);
    expect(takeAll(queue)).toEqual(['0a', '1a', '2a', '3a', '0b', '1b']);
  });

  test('a path that its user changes later keeps the group of an entry', () => {
    const path = ['a'];
    const queue = new WorkQueue<string>({ groups: { groupOf: () => path } });
    queue.add('foo');
    path[0] = 'b';
    queue.add('bar');
    expect(takeAll(queue)).toEqual(['foo', 'bar']);
  });
});

describe('functions of the user that group items', () => {
  test.each<[string, () => unknown]>([
    ['a number', () => 5],
    ['an empty name', () => ''],
    ['a path with an empty name', () => ['a', '']],
    ['a path that is too long', () => Array.from({ length: 9 }, () => 'a')],
    ['a promise', () => Promise.resolve('a')],
    [
      'an error',
      () => {
        throw new TypeError('no namespace');
      },
    ],
  ])('groupOf with %s reports USER_FUNCTION_FAILED, and the item has no group', (_, groupOf) => {
    const errors: WorkQueueError[] = [];
    const queue = grouped({ groupOf: groupOf as () => string }, (error) => errors.push(error));
    queue.add('foo');
    expect(runAll(queue)).toEqual(['foo']);
    expect(errors).toMatchObject([
      { code: 'USER_FUNCTION_FAILED', facts: { function: 'groupOf' } },
    ]);
  });

  test.each([0, -1, 1.5, 1001, Number.NaN, Infinity, '3'])(
    'the weight %p is reported and counts as 1',
    (weight) => {
      const onError = jest.fn();
      const queue = grouped({ weightOf: () => weight as number }, onError);
      fill(queue, 'a', 2);
      fill(queue, 'b', 2);
      expect(takeAll(queue)).toEqual(['a/0', 'b/0', 'a/1', 'b/1']);
      expect(onError).toHaveBeenCalledTimes(2);
    },
  );

  test('the weight undefined counts as 1', () => {
    const onError = jest.fn();
    const queue = grouped({ weightOf: ([name]) => (name === 'a' ? 2 : undefined) }, onError);
    fill(queue, 'a', 2);
    fill(queue, 'b', 2);
    expect(takeAll(queue)).toEqual(['a/0', 'a/1', 'b/0', 'b/1']);
    expect(onError).not.toHaveBeenCalled();
  });

  test('the error of a function is the cause of the reported one', () => {
    const cause = new TypeError('no namespace');
    const onError = jest.fn();
    const groupOf = (): string => {
      throw cause;
    };
    grouped({ groupOf }, onError).add('foo');
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ cause }));
  });

  test('a function that calls its queue gets REENTRANT_CALL, and the queue continues', () => {
    const errors: unknown[] = [];
    const queue: WorkQueue<string> = new WorkQueue<string>({
      groups: {
        groupOf(item) {
          queue.add(item);
          return 'a';
        },
      },
      onError(error) {
        errors.push(error.cause);
        queue.take();
      },
    });
    queue.add('foo');
    expect(errors).toMatchObject([{ code: 'REENTRANT_CALL', facts: { function: 'groupOf' } }]);
    expect(runAll(queue)).toEqual(['foo']);
  });

  test.each<[string, (queue: WorkQueue<string>) => unknown]>([
    ['take', (queue) => queue.take()],
    ['done', (queue) => queue.done('foo')],
    ['forget', (queue) => queue.forget('foo')],
    ['withdraw', (queue) => queue.withdraw(() => true)],
    ['shutDown', (queue) => queue.shutDown()],
  ])('%s within a function of the queue is refused', (_, call) => {
    const onError = jest.fn();
    const queue: WorkQueue<string> = new WorkQueue<string>({
      groups: {
        groupOf() {
          call(queue);
          return 'a';
        },
      },
      onError,
    });
    queue.add('foo');
    expect(onError).toHaveBeenCalledTimes(1);
    expect([queue.length, queue.isShutDown]).toEqual([1, false]);
  });

  test('without onError each function emits one warning of the process', () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const queue = grouped({ groupOf: () => '', weightOf: () => 0 });
    for (const item of ['foo', 'bar']) queue.add(item);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toBeInstanceOf(WorkQueueError);
    warn.mockRestore();
  });
});
