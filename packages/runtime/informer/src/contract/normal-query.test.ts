import { afterEach, describe, expect, test } from '@jest/globals';
import { Harness } from '../testing/harness.test-support.ts';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import { ScriptedSource, Thing } from '../testing/scripted-source.test-support.ts';
import type { WatchHandle } from './watch-handle.ts';

const caches: InformerCache[] = [];

afterEach(async () => {
  await Promise.all(caches.splice(0).map((cache) => cache.close()));
});

describe('queries', () => {
  test.each([
    ['selectors in another order', { labelSelector: 'a=1,b=2' }, { labelSelector: 'b==2, a=1' }],
    ['empty and absent', { labelSelector: '', fieldSelector: '', namespace: '' }, {}],
    ['retention', { retain: 'object' as const }, { retain: 'lazy' as const }],
    ['page size', { pageSize: 1 }, { pageSize: 10_000 }],
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

  test('a lister-watcher is created for the normal form of the query', async () => {
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
    ['acquire.query.pageSize', () => acquire({ resource: Thing, pageSize: 0 })],
    ['acquire.query.pageSize', () => acquire({ resource: Thing, pageSize: 10_001 })],
    ['acquire.query.transform', () => acquire({ resource: Thing, transform: { name: '' } })],
    ['acquire.query.transform', () => acquire({ resource: Thing, transform: null })],
    ['acquire.query.labelSelector', () => acquire({ resource: Thing, labelSelector: 5 })],
    ['acquire.query.fieldSelector', () => acquire({ resource: Thing, fieldSelector: {} })],
    ['acquire.query.indexers', () => acquire({ resource: Thing, indexers: byName })],
    ['acquire.query.indexers[0]', () => acquire({ resource: Thing, indexers: [null] })],
    ['acquire.query.indexers[0].name', () => acquire({ resource: Thing, indexers: [{ head }] })],
    [
      'acquire.query.indexers[1]',
      () => acquire({ resource: Thing, indexers: [byName, { name: 'x' }] }),
    ],
    [
      'acquire.query.indexers[0].body',
      () => acquire({ resource: Thing, indexers: [{ name: 'x', body: 1 }] }),
    ],
    ['addIndexer', () => acquire({ resource: Thing }).addIndexer(5 as never)],
    ['addEventHandler.handler', () => acquire({ resource: Thing }).addEventHandler(5 as never)],
    ['onHealthChange.listener', () => acquire({ resource: Thing }).onHealthChange({} as never)],
    ['events.signal', () => acquire({ resource: Thing }).events({ signal: {} as never })],
    ['list.labelselector', () => list({ labelselector: 'a=b' })],
    ['list.labelSelector', () => list({ labelSelector: 5 })],
    ['list.namespace', () => list({ namespace: 5 })],
    ['list.index', () => list({ index: { name: 'x' } })],
    ['list.projection', () => list({ projection: 'half' })],
    ['views.name', () => acquire({ resource: Thing }).store.views({ name: 'a' } as object)],
    ['name', () => makeCache({}).get(Thing, null as never)],
    ['acquire.options.required', () => acquire({ resource: Thing }, { owner: 'x', required: 1 })],
    [
      'acquire.query.namespace',
      () => acquire({ resource: { ...Thing, namespaced: false }, namespace: 'x' }),
    ],
    ['acquire.options.owner', () => acquire({ resource: Thing }, { owner: '' })],
    ['acquire.options.requird', () => acquire({ resource: Thing }, { owner: 'x', requird: true })],
  ])('a wrong argument throws at once and names %s', (option, call) => {
    expect(call).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });

  test.each<[string, object]>([
    ['waitForSync.resource', { resource: Thing }],
    ['waitForSync.resources', { resources: Thing }],
    ['waitForSync.resources', { resources: [undefined] }],
    ['waitForSync.signal', { signal: new AbortController() }],
  ])('a wait that is wrong rejects and names %s', async (option, options) => {
    await using cache = makeCache({});
    await expect(cache.waitForSync(options)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option },
    });
  });

  test('a handle that is rejected for its indexers starts no watch', async () => {
    await using cache = makeCache({ linger: 0 });
    const indexers = [byName, { name: 'name', head: (): string[] => ['other'] }];
    expect(() => cache.acquire({ resource: Thing, indexers }, { owner: 'test' })).toThrow(
      expect.objectContaining({ code: 'INDEXER_CONFLICT' }),
    );
    expect(cache.inventory()).toEqual([]);
  });
});

const head = (): string[] => [];
const byName = { name: 'name', head };

function list(options: object): unknown {
  return makeCache({}).list(Thing, options);
}

function makeCache(options: object): InformerCache {
  const all = { listerWatcher: () => new ScriptedSource(), ...options };
  const cache = createInformerCache(all);
  caches.push(cache);
  return cache;
}

function acquire(query: object, holder: object = { owner: 'test' }): WatchHandle {
  return makeCache({}).acquire(query as never, holder as never);
}
