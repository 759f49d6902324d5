import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { schemeOf, type ShardBy } from './shard-key.ts';

const THEN = ['th', 'en'].join('');
const rejecting = Object.defineProperty({}, THEN, {
  value: (_: unknown, reject: (error: unknown) => void): void => reject(new Error('broken')),
});
const throwing = Object.defineProperty({}, THEN, {
  get: (): never => {
    throw new Error('broken');
  },
});

const request = { namespace: 'a', name: 'b' };
const failures: unknown[] = [];
const partOf = (by: ShardBy, one: object): string =>
  schemeOf(by, 'by').partOf(one, 'the key', (error, key) => failures.push([key, error]));

describe('the part of a request that decides its slot', () => {
  test('is its namespace, or its name if it has none', () => {
    expect(partOf('namespace', request)).toBe('a');
    expect(partOf('namespace', { name: 'b' })).toBe('b');
    expect(partOf('namespace', { shape: 'own' })).toBe('the key');
  });

  test('is its cluster, or as with namespaces if it has none', () => {
    expect(partOf('cluster', { cluster: 'fleet/one', ...request })).toBe('fleet/one');
    expect(partOf('cluster', request)).toBe('a');
  });

  test('is its key', () => {
    expect(partOf('name', request)).toBe('the key');
  });

  test('is what a function returns, else the key', () => {
    expect(partOf(({ name }) => name, request)).toBe('b');
    expect(failures).toEqual([]);
    expect(partOf(() => undefined as never, request)).toBe('the key');
    expect(
      partOf(() => {
        throw new Error('broken');
      }, request),
    ).toBe('the key');
    expect(failures.splice(0)).toEqual([
      ['the key', new TypeError('the function returned undefined')],
      ['the key', new Error('broken')],
    ]);
  });

  test.each<[string, () => unknown]>([
    ['rejects', () => Promise.reject(new Error('broken'))],
    ['returns a member that rejects', () => ({ name: Promise.reject(new Error('broken')) })],
    ['returns a thenable that rejects', () => rejecting],
    ['returns a thenable whose then throws', () => throwing],
    ['asks for its own part', () => partOf('namespace', request)],
  ])('is its key or a string if the function %s', async (_name, by) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): unknown => unhandled.push(error);
    process.on('unhandledRejection', note);
    expect(['a', 'the key']).toContain(partOf(by as never, request));
    await setImmediate();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
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
