import { describe, expect, test } from '@jest/globals';
import { ClusterShares } from './cluster-shares.ts';
import type { IdentifiedRequest } from '../reconcile/request.ts';

type Named = { readonly cluster: string; readonly name: string };

function requestOf(cluster: string, name: string): IdentifiedRequest<Named> {
  return { key: `${cluster}//${name}`, request: { cluster, name } };
}

/** Begins as many runs of a cluster as may run, and returns their number. */
function fill(shares: ClusterShares<Named>, cluster: string, workers: number): number {
  let count = 0;
  while (shares.begins(requestOf(cluster, `${count}`), workers)) count += 1;
  return count;
}

describe('the shares of clusters', () => {
  test.each([
    [1, [1]],
    [2, [1, 1]],
    [10, [5, 2, 1, 1]],
    [16, [8, 4, 2, 1]],
  ])('of %i workers, clusters that do not respond take at most %j', (workers, expected) => {
    const shares = new ClusterShares<Named>();
    expect(expected.map((_, at) => fill(shares, `dead-${at}`, workers))).toEqual(expected);
  });

  /** Releases requests, and returns the keys that were resumed. Those of `gone` have left the queue. */
  function released(shares: ClusterShares<Named>, workers: number, gone: string[] = []): string[] {
    const keys: string[] = [];
    const resume = (key: string): boolean => !gone.includes(key) && keys.push(key) > 0;
    expect(shares.release(workers, resume)).toBe(keys.length > 0);
    return keys;
  }

  test('refuse a request until a run of any cluster ends, the oldest first', () => {
    const shares = new ClusterShares<Named>();
    expect(fill(shares, 'a', 4)).toBe(2);
    expect(shares.begins(requestOf('a', 'later'), 4)).toBe(false);
    expect([shares.waits('a//2'), shares.waits('a//0')]).toEqual([true, false]);
    expect(released(shares, 4)).toEqual([]);
    shares.ended({ cluster: 'a', name: '0' });
    expect(released(shares, 4)).toEqual(['a//2']);
    expect(released(shares, 4)).toEqual(['a//later']);
    expect(released(shares, 4)).toEqual([]);
  });

  test('release the next request if the first one has left the queue', () => {
    const shares = new ClusterShares<Named>();
    expect(fill(shares, 'a', 4)).toBe(2);
    shares.begins(requestOf('a', 'next'), 4);
    shares.ended({ cluster: 'a', name: '0' });
    expect(released(shares, 4, ['a//2'])).toEqual(['a//next']);
  });

  test('do not release a request that has begun meanwhile', () => {
    const shares = new ClusterShares<Named>();
    expect(fill(shares, 'a', 4)).toBe(2);
    shares.ended({ cluster: 'a', name: '0' });
    expect(shares.begins(requestOf('a', '2'), 4)).toBe(true);
    expect(shares.waits('a//2')).toBe(false);
    shares.ended({ cluster: 'a', name: '2' });
    expect(released(shares, 4)).toEqual([]);
  });

  test('release requests for another number of workers', () => {
    const shares = new ClusterShares<Named>();
    expect(fill(shares, 'a', 4)).toBe(2);
    expect(released(shares, 10)).toEqual(['a//2']);
    // The runs still count.
    expect(fill(shares, 'a', 10)).toBe(3);
  });

  test('do not count requests without a cluster', () => {
    const shares = new ClusterShares<Named>();
    const request = { name: 'x' } as Named;
    for (let count = 0; count < 3; count += 1) {
      expect(shares.begins({ key: 'x', request }, 1)).toBe(true);
    }
    expect(fill(shares, 'a', 4)).toBe(2);
  });
});
