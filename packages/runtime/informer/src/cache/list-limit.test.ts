import { describe, expect, jest, test } from '@jest/globals';
import type { DeepReadonly } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import { defineIndex } from '../contract/indexer.ts';
import { StoredObject } from '../store/stored-object.ts';
import { withCode } from '../testing/harness.test-support.ts';
import { Thing as Things, type Thing } from '../testing/scripted-source.test-support.ts';
import {
  acquired,
  cacheOf,
  holder,
  names,
  SelectingServer,
  thingOf,
  threeThings,
} from '../testing/selecting-source.test-support.ts';

const nodeOf = ({ spec }: DeepReadonly<Thing>): string[] => [spec?.node ?? ''];
const byNode = defineIndex(Things, 'node', nodeOf);
const indexers = [byNode];

describe('the limit of a list', () => {
  test('bounds every list of a cache and of a handle', async () => {
    await using cache = cacheOf(threeThings());
    const { store } = await acquired(cache, { indexers });
    const limit = 2;
    expect(cache.list(Things, { limit })).toHaveLength(2);
    expect(cache.list(Things, { limit: 5 })).toHaveLength(3);
    expect(cache.list(Things, { limit, projection: 'metadata' })).toHaveLength(2);
    expect(await cache.listAsync(Things, { limit })).toHaveLength(2);
    expect(names(cache.list(Things, { limit, namespace: 'other' }))).toEqual(['c']);
    expect(names(cache.list(Things, { limit: 1, labelSelector: 'app=y' }))).toEqual(['b']);
    expect(cache.by(byNode, 'n1', { limit: 1 })).toHaveLength(1);
    expect(cache.namesBy(byNode, 'n1', { limit: 1 })).toHaveLength(1);
    expect(cache.indexValues(byNode, { limit: 1 })).toHaveLength(1);
    const index = { name: 'node', value: 'n1' };
    expect(store.list({ limit })).toHaveLength(2);
    expect(store.list({ limit: 1, index })).toHaveLength(1);
    expect(store.views({ limit })).toHaveLength(2);
    expect(await store.listAsync({ limit })).toHaveLength(2);
    const owner = { apiVersion: 'v1', kind: 'Owner', metadata: { name: 'o', uid: 'u' } };
    expect(cache.owned(Things, owner, { limit: 1 })).toEqual([]);
  });

  test('counts the objects of all watches of a scope together', async () => {
    await using cache = cacheOf(threeThings());
    const scope = cache.scope();
    const first = scope.acquire({ resource: Things, namespace: 'default' }, holder);
    const second = scope.acquire({ resource: Things, namespace: 'other' }, holder);
    await Promise.all([first.synced, second.synced]);
    for (const limit of [1, 2, 3, 4]) {
      const found = names(scope.list(Things, { limit }));
      expect(new Set(found).size).toBe(Math.min(limit, 3));
      expect(await scope.listAsync(Things, { limit })).toHaveLength(Math.min(limit, 3));
    }
  });

  test('parses no object beyond it', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache, {});
    const value = jest.spyOn(StoredObject.prototype, 'value');
    cache.list(Things, { limit: 1 });
    await cache.listAsync(Things, { limit: 1 });
    expect(value).toHaveBeenCalledTimes(2);
    value.mockRestore();
  });

  test.each([0, -1, 1.5, Number.NaN, Infinity, '2', null])(
    'is a whole number from 1: %p throws with the name of the option',
    async (limit) => {
      await using cache = cacheOf(threeThings());
      const { store } = await acquired(cache, { indexers });
      const options = { limit } as never;
      const wrong = (where: string): unknown =>
        expect.objectContaining({
          code: 'INVALID_OPTION',
          facts: expect.objectContaining({ option: `${where}.limit` }),
        });
      expect(() => cache.list(Things, options)).toThrow(wrong('list'));
      expect(() => cache.by(byNode, 'n1', options)).toThrow(wrong('by'));
      expect(() => cache.namesBy(byNode, 'n1', options)).toThrow(wrong('namesBy'));
      expect(() => store.views(options)).toThrow(wrong('views'));
      await expect(cache.listAsync(Things, options)).rejects.toThrow(withCode('INVALID_OPTION'));
    },
  );

  test('selects a part of the list without it, in any scope and with any selector', async () => {
    const spaces = ['n1', 'n2', 'n3'] as const;
    const objects = spaces.flatMap((namespace) =>
      ['a', 'b', 'c'].map((name, at) =>
        thingOf(namespace, name, { labels: { app: String(at % 2) }, node: `n${at}` }),
      ),
    );
    const selection = fc.record(
      {
        namespace: fc.constantFrom(...spaces),
        labelSelector: fc.constantFrom('app=0', 'app=1', 'app'),
        fieldSelector: fc.constantFrom('metadata.name=a', 'spec.node=n1'),
      },
      { requiredKeys: [] },
    );
    const held = fc.subarray([undefined, ...spaces], { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(held, selection, fc.integer({ min: 1, max: 10 }), async (...given) => {
        const [namespaces, options, limit] = given;
        await using cache = cacheOf(new SelectingServer(objects));
        const scope = cache.scope();
        const handles = namespaces.map((namespace) =>
          scope.acquire({ resource: Things, namespace: namespace ?? '' }, holder),
        );
        await Promise.all(handles.map(({ synced }) => synced));
        const isServed =
          options.namespace === undefined ||
          namespaces.some((one) => one === undefined || one === options.namespace);
        fc.pre(isServed);
        const keysOf = (things: readonly DeepReadonly<Thing>[]): string[] =>
          things.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
        const all = keysOf(scope.list(Things, options));
        const some = keysOf(scope.list(Things, { ...options, limit }));
        expect(some).toHaveLength(Math.min(limit, all.length));
        expect(new Set(some).size).toBe(some.length);
        expect(all).toEqual(expect.arrayContaining(some));
        expect(keysOf(await scope.listAsync(Things, { ...options, limit }))).toEqual(some);
      }),
      { numRuns: 100 },
    );
  });
});
