import { describe, expect, test } from '@jest/globals';
import type { DeepReadonly } from '@keelson/apimachinery';
import { createInformerCache, type InformerCache } from './informer-cache.ts';
import { defineIndex } from '../contract/indexer.ts';
import { withCode } from '../testing/harness.test-support.ts';
import { eventually, Other, Thing } from '../testing/scripted-source.test-support.ts';
import {
  acquired,
  cacheOf,
  holder,
  names,
  SelectingServer,
  thingOf,
  threeThings,
  x,
  y,
} from '../testing/selecting-source.test-support.ts';

const nodeOf = ({ spec }: DeepReadonly<Thing>): string[] => [spec?.node ?? ''];
const byNode = defineIndex(Thing, 'node', nodeOf);
const byApp = defineIndex(Thing, 'app', {
  head: ({ metadata }) => Object.values(metadata.labels ?? {}),
});
const indexers = [byNode, byApp];

describe('reads by an index', () => {
  test('return objects, names and values', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache, { indexers });
    expect(names(cache.by(byNode, 'n1'))).toEqual(['a', 'b']);
    expect(cache.by(byNode, 'n2')).toMatchObject([{ spec: { node: 'n2' } }]);
    expect(cache.by(byNode, 'n3')).toEqual([]);
    expect(cache.namesBy(byApp, 'y')).toEqual([{ namespace: 'default', name: 'b' }]);
    expect(cache.indexValues(byNode).toSorted()).toEqual(['n1', 'n2']);
    expect(cache.indexValues(byApp).toSorted()).toEqual(['x', 'y']);
  });

  test('combine with the other options of a list', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache, { indexers });
    expect(names(cache.by(byApp, 'x', { namespace: 'other' }))).toEqual(['c']);
    expect(names(cache.by(byNode, 'n1', { labelSelector: 'app=y' }))).toEqual(['b']);
    expect(cache.indexValues(byNode, { namespace: 'default' })).toEqual(['n1']);
    expect(cache.indexValues(byNode, { labelSelector: 'app=y' })).toEqual(['n1']);
    const [head] = cache.by(byNode, 'n2', { projection: 'metadata' });
    expect(head).toMatchObject({ kind: 'Thing', metadata: { name: 'c' } });
    expect(head).not.toHaveProperty('spec');
  });

  test('follow the changes of objects', async () => {
    const server = threeThings();
    await using cache = cacheOf(server);
    const { store } = await acquired(cache, { indexers });
    const moved = thingOf('other', 'c', { labels: y, version: 101, node: 'n1' });
    server.send(() => true, 'MODIFIED', moved);
    await eventually(() => store.resourceVersion === '101');
    expect(cache.indexValues(byNode)).toEqual(['n1']);
    expect(names(cache.by(byApp, 'y'))).toEqual(['b', 'c']);
    server.send(() => true, 'DELETED', {
      ...moved,
      metadata: { ...moved.metadata, resourceVersion: '102' },
    });
    await eventually(() => store.resourceVersion === '102');
    expect(names(cache.by(byApp, 'y'))).toEqual(['b']);
  });

  test('see only the objects of the handles of a scope', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache);
    const scope = cache.scope();
    await acquired(scope, { labelSelector: 'app=x', indexers });
    expect(names(scope.by(byNode, 'n1'))).toEqual(['a']);
    expect(scope.namesBy(byApp, 'y')).toEqual([]);
    expect(scope.indexValues(byApp)).toEqual(['x']);
    expect(names(cache.by(byApp, 'y'))).toEqual(['b']);
  });

  test('scan a watch without the index if another watch of the scope has it', async () => {
    await using cache = cacheOf(threeThings());
    const scope = cache.scope();
    await acquired(scope, { namespace: 'default', indexers });
    await acquired(scope, { namespace: 'other' });
    expect(names(scope.by(byNode, 'n2'))).toEqual(['c']);
    expect(scope.indexValues(byNode).toSorted()).toEqual(['n1', 'n2']);
    expect(scope.namesBy(byApp, 'x')).toHaveLength(2);
  });

  test('return an object that two watches have once, in its newest version', async () => {
    const server = threeThings();
    await using cache = cacheOf(server);
    const scope = cache.scope();
    await acquired(scope, { labelSelector: 'app=x', sharing: 'exact', indexers });
    const whole = await acquired(scope, { indexers });
    const moved = thingOf('default', 'a', { labels: x, version: 101, node: 'n9' });
    server.send(({ labelSelector }) => labelSelector === undefined, 'MODIFIED', moved);
    await eventually(() => whole.store.resourceVersion === '101');
    expect(names(scope.by(byNode, 'n1'))).toEqual(['b']);
    expect(names(scope.by(byNode, 'n9'))).toEqual(['a']);
    expect(scope.indexValues(byNode).toSorted()).toEqual(['n1', 'n2', 'n9']);
  });

  test('find objects of an index that is not built yet', async () => {
    const things = Array.from({ length: 500 }, (_, at) =>
      thingOf('default', `t${at}`, { labels: at % 2 === 0 ? x : y, version: at + 1 }),
    );
    let passed = 0;
    const { listerWatcher } = new SelectingServer(things);
    // Each reading of the clock takes 1 ms, so that the index is built in several slices.
    const now = (): number => performance.now() + passed++;
    await using cache = createInformerCache({ listerWatcher, now });
    const handle = await acquired(cache);
    const { built } = handle.addIndexer(byApp);
    const isBuilt = expect(built).resolves.toBeUndefined();
    expect(cache.indexValues(byApp).toSorted()).toEqual(['x', 'y']);
    expect(cache.namesBy(byApp, 'x')).toHaveLength(250);
    await isBuilt;
    expect(cache.namesBy(byApp, 'x')).toHaveLength(250);
  });

  test('throw without a watch that serves them, and before its sync', async () => {
    const server = threeThings();
    server.isSilent = () => true;
    await using cache = cacheOf(server);
    expect(() => cache.by(byNode, 'n1')).toThrow(withCode('NOT_WATCHED'));
    const scope = cache.scope({ declaredIn: 'reads' });
    cache.acquire({ resource: Thing, indexers }, holder);
    for (const read of readsOf(cache)) expect(read).toThrow(withCode('NOT_SYNCED'));
    for (const read of readsOf(scope)) {
      expect(read).toThrow(
        expect.objectContaining({
          code: 'NOT_WATCHED',
          facts: expect.objectContaining({ declare: expect.stringMatching(/^reads: \[/) }),
        }),
      );
    }
  });

  test('throw INDEX_UNKNOWN after the last handle that added the index is gone', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache);
    const handles = [await acquired(cache, { indexers }), await acquired(cache, { indexers })];
    handles[0]?.release();
    expect(cache.by(byNode, 'n2')).toHaveLength(1);
    handles[1]?.release();
    for (const read of readsOf(cache)) {
      const facts = { index: 'node', resource: 'example.com/v1/things' };
      expect(read).toThrow(expect.objectContaining({ code: 'INDEX_UNKNOWN', facts }));
    }
  });

  test('throw INDEXER_CONFLICT for another function under the name of an index', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache, { indexers });
    const other = defineIndex(Thing, 'node', () => ['n1']);
    expect(() => cache.by(other, 'n1')).toThrow(withCode('INDEXER_CONFLICT'));
    expect(() => cache.indexValues(other)).toThrow(withCode('INDEXER_CONFLICT'));
    const same = defineIndex(Thing, 'node', nodeOf);
    expect(cache.by(same, 'n1')).toHaveLength(2);
  });

  test.each([
    [() => defineIndex(Thing, '', () => []), 'defineIndex.name'],
    [() => defineIndex(Thing, 'a', undefined as never), 'defineIndex'],
    [() => defineIndex(Thing, 'a', { head: 'name' } as never), 'defineIndex.head'],
    [() => defineIndex(undefined as never, 'a', () => []), 'defineIndex.resource'],
    [(cache: InformerCache) => cache.by({ name: 'a', head: () => [] } as never, ''), 'by.index'],
    [(cache: InformerCache) => cache.by(undefined as never, ''), 'by.index'],
    [(cache: InformerCache) => cache.by(byNode, undefined as never), 'by.value'],
    [(cache: InformerCache) => cache.namesBy(byNode, 3 as never), 'namesBy.value'],
    [(cache: InformerCache) => cache.by(byNode, '', { index: 'a' } as never), 'by.index'],
    [(cache: InformerCache) => cache.by(byNode, '', { limits: 1 } as never), 'limits'],
    [(cache: InformerCache) => cache.indexValues(byNode, { namespace: 1 } as never), 'namespace'],
  ])('refuse an invalid argument: %s', async (call, named) => {
    await using cache = cacheOf(threeThings());
    expect(() => call(cache)).toThrow(withCode('INVALID_OPTION'));
    expect(() => call(cache)).toThrow(named);
  });

  test.each([{ projection: 'metadata' }, { retain: 'metadata' }] as const)(
    'an index over the body is refused by a query with %j',
    async (query) => {
      await using cache = cacheOf(threeThings());
      const acquire = (): unknown => cache.acquire({ resource: Thing, indexers, ...query }, holder);
      expect(acquire).toThrow(withCode('INVALID_OPTION'));
      expect(acquire).toThrow('acquire.query.indexers[0]');
      const handle = await acquired(cache, { ...query, indexers: [byApp] });
      expect(() => handle.addIndexer(byNode)).toThrow(withCode('INVALID_OPTION'));
      expect(cache.namesBy(byApp, 'y')).toHaveLength(1);
      expect(() => cache.by(byApp, 'y')).toThrow(withCode('NOT_WATCHED'));
    },
  );

  test('an index of another kind is refused where it is added', async () => {
    await using cache = cacheOf(threeThings());
    const wrong = [byApp] as never;
    const facts = { index: 'example.com/v1/things', resource: 'example.com/v1/others' };
    const refused = expect.objectContaining({
      code: 'INVALID_OPTION',
      facts: expect.objectContaining(facts),
    });
    const acquire = (): unknown => cache.acquire({ resource: Other, indexers: wrong }, holder);
    expect(acquire).toThrow(refused);
    using handle = cache.acquire({ resource: Other }, holder);
    expect(() => handle.addIndexer(byApp as never)).toThrow(refused);
    expect(cache.inventory()).toHaveLength(1);
  });
});

function readsOf(cache: Pick<InformerCache, 'by' | 'namesBy' | 'indexValues'>): (() => unknown)[] {
  return [
    () => cache.by(byNode, 'n1'),
    () => cache.namesBy(byNode, 'n1'),
    () => cache.indexValues(byNode),
  ];
}
