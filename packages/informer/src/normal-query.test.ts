import { describe, expect, test } from '@jest/globals';
import { Harness } from './harness.test-support.ts';
import { createInformerCache, type InformerCache } from './informer-cache.ts';
import { ScriptedSource, Thing } from './scripted-source.test-support.ts';
import type { WatchHandle } from './watch-handle.ts';

describe('queries', () => {
  test.each([
    ['selectors in another order', { labelSelector: 'a=1,b=2' }, { labelSelector: 'b==2, a=1' }],
    ['empty and absent', { labelSelector: '', fieldSelector: '', namespace: '' }, {}],
    ['retention', { retain: 'object' as const }, { retain: 'lazy' as const }],
    ['defaults', { projection: 'full' as const }, {}],
  ])('RC20 one watch for %s', async (_name, first, second) => {
    await using harness = new Harness();
    expect(harness.acquire(first).identity).toBe(harness.acquire(second).identity);
    expect(harness.cache.inventory()).toHaveLength(1);
  });

  test('RC20 different questions are different watches, all in the inventory', async () => {
    await using harness = new Harness();
    const queries = [
      {},
      { namespace: 'x' },
      { labelSelector: 'a=1' },
      { fieldSelector: 'metadata.name=a' },
      { projection: 'metadata' as const },
      { transform: { name: 't', apply: (object: Thing) => object } },
    ];
    for (const query of queries) harness.acquire(query);
    const inventory = harness.cache.inventory();
    expect(new Set(inventory.map(({ identity }) => identity)).size).toBe(queries.length);
    expect(
      inventory.map(({ query, transform }) => [query.labelSelector, transform]),
    ).toContainEqual(['a=1', undefined]);
    expect(inventory.map(({ transform }) => transform)).toContain('t');
  });

  test('the source is made for the normal form', async () => {
    const source = new ScriptedSource();
    const queries: unknown[] = [];
    await using cache = createInformerCache({
      listerWatcher: (query) => {
        queries.push(query);
        return source;
      },
    });
    const query = { resource: Thing, namespace: 'x', labelSelector: 'b=2,a in (1)' };
    await cache.acquire(query, { owner: 'test' }).synced;
    expect(queries).toEqual([
      {
        resource: Thing,
        namespace: 'x',
        labelSelector: 'a=1,b=2',
        fieldSelector: undefined,
        projection: 'full',
      },
    ]);
  });

  test.each<[string, () => unknown]>([
    ['createInformerCache.lingre', () => makeCache({ lingre: 1 })],
    ['createInformerCache.listerWatcher', () => makeCache({ listerWatcher: 'x' })],
    ['createInformerCache.linger', () => makeCache({ linger: 'soon' })],
    ['createInformerCache.parsedBytes', () => makeCache({ parsedBytes: -1 })],
    ['acquire.query.selector', () => acquire({ resource: Thing, selector: 'x' })],
    ['acquire.query.resource', () => acquire({ resource: { kind: 'Thing' } })],
    ['acquire.query.projection', () => acquire({ resource: Thing, projection: 'half' })],
    ['acquire.query.retain', () => acquire({ resource: Thing, retain: 'all' })],
    ['acquire.query.transform', () => acquire({ resource: Thing, transform: { name: '' } })],
    [
      'acquire.query.namespace',
      () => acquire({ resource: { ...Thing, namespaced: false }, namespace: 'x' }),
    ],
    ['acquire.holder.owner', () => acquire({ resource: Thing }, { owner: '' })],
    ['acquire.holder.requird', () => acquire({ resource: Thing }, { owner: 'x', requird: true })],
  ])('a wrong argument throws at once and names %s', (option, call) => {
    expect(call).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });
});

function makeCache(options: object): InformerCache {
  const all = { listerWatcher: () => new ScriptedSource(), ...options };
  return createInformerCache(all);
}

function acquire(query: object, holder: object = { owner: 'test' }): WatchHandle {
  return makeCache({}).acquire(query as never, holder as never);
}
