import { describe, expect, test } from '@jest/globals';
import { ClusterShares } from './cluster-shares.ts';
import type { KeptRequest } from './held-back-requests.ts';

type Named = { readonly cluster: string; readonly name: string };

/** Work of a cluster, without causes. */
function workOf(cluster: string, name: string): KeptRequest<Named> {
  const request = { cluster, name };
  const item = { key: `${cluster}//${name}`, request, receivedAt: undefined };
  return { item, priority: 0, causes: [] };
}

/** Begins as many runs of a cluster as may run, and returns their number. */
function fill(shares: ClusterShares<Named>, cluster: string, workers: number): number {
  let count = 0;
  while (shares.begins(workOf(cluster, `${count}`), workers)) count += 1;
  return count;
}

describe('the shares of clusters', () => {
  test.each([
    [1, [1]],
    [2, [1, 1]],
    [10, [5, 2, 1, 1]],
    [16, [8, 4, 2, 1]],
  ])('of %i workers, clusters that do not respond take at most %j', (workers, expected) => {
    const shares = new ClusterShares<Named>(() => undefined);
    expect(expected.map((_, at) => fill(shares, `dead-${at}`, workers))).toEqual(expected);
  });

  test('keep a request until a run of any cluster ends, the oldest first', () => {
    const shares = new ClusterShares<Named>(() => undefined);
    expect(fill(shares, 'a', 4)).toBe(2);
    expect(shares.begins(workOf('a', 'later'), 4)).toBe(false);
    expect([shares.kept('a//2'), shares.kept('a//0')]).toEqual([workOf('a', '2'), undefined]);
    expect(shares.released(4)).toEqual([]);
    shares.ended({ cluster: 'a', name: '0' });
    const names = (): string[] => shares.released(4).map(({ item }) => item.request.name);
    expect(names()).toEqual(['2']);
    expect(names()).toEqual(['later']);
    expect(names()).toEqual([]);
  });

  test('drop a kept request that is withdrawn, and release the next one', () => {
    const shares = new ClusterShares<Named>(() => undefined);
    expect(fill(shares, 'a', 4)).toBe(2);
    shares.begins(workOf('a', 'next'), 4);
    shares.purge(({ key }) => key === 'a//2');
    shares.ended({ cluster: 'a', name: '0' });
    expect(shares.released(4)).toEqual([workOf('a', 'next')]);
  });

  test('release all requests for another number of workers, the oldest first', () => {
    const shares = new ClusterShares<Named>(() => undefined);
    expect(fill(shares, 'a', 4)).toBe(2);
    shares.begins(workOf('a', 'later'), 4);
    shares.begins(workOf('a', 'gone'), 4);
    shares.purge(({ key }) => key === 'a//gone');
    const names = (): string[] => shares.releasedAll().map(({ item }) => item.request.name);
    expect(names()).toEqual(['2', 'later']);
    expect(names()).toEqual([]);
    expect(shares.kept('a//2')).toBeUndefined();
    // The runs still count.
    expect(fill(shares, 'a', 10)).toBe(3);
  });

  test('do not count requests without a cluster', () => {
    const shares = new ClusterShares<Named>(() => undefined);
    const work = workOf('a', 'x');
    const request = { name: 'x' } as Named;
    for (let count = 0; count < 3; count += 1) {
      expect(shares.begins({ ...work, item: { ...work.item, request } }, 1)).toBe(true);
    }
    expect(fill(shares, 'a', 4)).toBe(2);
  });
});
