import { describe, expect, test } from '@jest/globals';
import { schemeOf, type ShardBy } from './shard-key.ts';

const request = { namespace: 'a', name: 'b' };
const partOf = (by: ShardBy, one: object): string => schemeOf(by, 'by').partOf(one, 'the key');

describe('the part of a request that decides its slot', () => {
  test('is its namespace, or its name if it has none', () => {
    expect(partOf('namespace', request)).toBe('a');
    expect(partOf('namespace', { name: 'b' })).toBe('b');
    expect(partOf('namespace', { shape: 'own' })).toBe('the key');
  });

  test('is its key', () => {
    expect(partOf('name', request)).toBe('the key');
  });

  test('is what a function returns, else the key', () => {
    expect(partOf(({ name }) => name, request)).toBe('b');
    expect(partOf(() => undefined as never, request)).toBe('the key');
    expect(
      partOf(() => {
        throw new Error('broken');
      }, request),
    ).toBe('the key');
  });

  test('schemes differ unless they assign every request to the same slot', () => {
    const ids = (['namespace', 'name', ({ name }) => name, () => ''] as ShardBy[]).map(
      (by) => schemeOf(by, 'by').id,
    );
    expect(new Set(ids).size).toBe(4);
    const twice = (): string => '';
    expect(schemeOf(twice, 'by').id).toBe(schemeOf(twice, 'by').id);
  });

  test.each(['label', 1, null, { label: 'team' }])('refuses %j', (by) => {
    expect(() => schemeOf(by as never, 'createManager.sharding.by')).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('createManager.sharding.by') as unknown,
      }),
    );
  });
});
