import { describe, expect, test } from '@jest/globals';
import type { DeepReadonly } from '@keelson/apimachinery';
import { defineIndex } from '../contract/indexer.ts';
import { withCode } from '../testing/harness.test-support.ts';
import { a, eventually, Other, Thing } from '../testing/scripted-source.test-support.ts';
import {
  acquired,
  cacheOf,
  holder,
  names,
  threeThings,
} from '../testing/selecting-source.test-support.ts';
import type { NamedTransform } from '../contract/watch-query.ts';

describe('reads of a whole cache', () => {
  test('partial coverage throws NOT_WATCHED and names the watch to declare', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache, { labelSelector: 'app=x' });
    expect(() => cache.list(Thing, { labelSelector: 'app=y', namespace: 'other' })).toThrow(
      expect.objectContaining({
        code: 'NOT_WATCHED',
        facts: expect.objectContaining({
          resource: 'example.com/v1/things',
          declare: 'acquire({ resource: Thing, namespace: "other", labelSelector: "app=y" }, …)',
        }),
      }),
    );
    expect(() => cache.list(Thing)).toThrow(withCode('NOT_WATCHED'));
    expect(() => cache.get(Thing, a)).toThrow(withCode('NOT_WATCHED'));
    expect(names(cache.list(Thing, { labelSelector: 'app=x,app!=z' }))).toEqual(['a', 'c']);
  });

  test('NOT_WATCHED has the read and the existing watches as facts', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache, { labelSelector: 'app=x' });
    const read = (declared: string, facts: object): unknown =>
      expect.objectContaining({
        code: 'NOT_WATCHED',
        facts: {
          resource: 'example.com/v1/things',
          ...facts,
          declare: `acquire({ resource: Thing${declared} }, …)`,
          watched: ['{ resource: Thing, labelSelector: "app=x" }'],
        },
      });
    expect(() => cache.get(Thing, a)).toThrow(
      read(', namespace: "default"', { namespace: 'default' }),
    );
    expect(() => cache.list(Thing)).toThrow(read('', {}));
    expect(() => cache.list(Thing, { namespace: '' })).toThrow(read('', {}));
    expect(factsOf(() => cache.list(Thing))).toEqual(['resource', 'declare', 'watched']);
    expect(factsOf(() => cache.get(Thing, a))).toEqual([
      'resource',
      'namespace',
      'declare',
      'watched',
    ]);
    const narrow = { fieldSelector: 'spec.node=n1', projection: 'metadata' } as const;
    expect(() => cache.list(Thing, narrow)).toThrow(
      read(', fieldSelector: "spec.node=n1", projection: "metadata"', narrow),
    );
    const bare = { namespace: 'default', transform: 'bare' };
    expect(() => cache.get(Thing, a, { transform: 'bare' })).toThrow(
      read(', namespace: "default", transform: "bare"', bare),
    );
    expect(() => cache.list(Other)).toThrow(
      expect.objectContaining({
        facts: {
          resource: 'example.com/v1/others',
          declare: 'acquire({ resource: Other }, …)',
          watched: [],
        },
      }),
    );
  });

  test('a read of all namespaces, which are watched one by one, names the readers that join them', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache, { namespace: 'default' });
    await acquired(cache, { namespace: 'other' });
    const readWith = expect.stringContaining('{ cache } of reconcile, map and predicates');
    for (const read of [
      () => cache.list(Thing),
      () => cache.list(Thing, { labelSelector: 'app=x' }),
    ])
      expect(read).toThrow(
        expect.objectContaining({
          code: 'NOT_WATCHED',
          facts: expect.not.objectContaining({ declare: expect.anything() }),
        }),
      );
    expect(() => cache.list(Thing)).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ readWith }) }),
    );
    const declare = 'acquire({ resource: Thing, namespace: "third" }, …)';
    expect(() => cache.list(Thing, { namespace: 'third' })).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ declare }) }),
    );
  });

  test('a read of all namespaces, of which one is watched, names no watch of all of them', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache, { namespace: 'default', labelSelector: 'app=x' });
    const facts = (cure: object): unknown =>
      expect.objectContaining({ facts: expect.objectContaining(cure) });
    expect(() => cache.list(Thing, { labelSelector: 'app=x' })).toThrow(
      facts({ readWith: expect.stringContaining('or name one namespace') }),
    );
    expect(() => cache.list(Thing)).toThrow(
      facts({
        declare: 'acquire({ resource: Thing, namespace: "default" }, …)',
        readWith: 'the namespace of that watch',
      }),
    );
  });

  test('a read by an index of a kind without a watch names the index', async () => {
    await using cache = cacheOf(threeThings());
    const byApp = defineIndex(Thing, 'app', ({ metadata }) => [metadata.labels?.['app'] ?? '']);
    const declare = 'acquire({ resource: Thing, indexers: [/* "app" */] }, …)';
    expect(() => cache.by(byApp, 'x')).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ declare }) }),
    );
  });

  test('a watch of one name serves reads of that name alone', async () => {
    await using cache = cacheOf(threeThings());
    await acquired(cache, { namespace: 'default', fieldSelector: 'metadata.name=a' });
    expect(cache.get(Thing, a)?.spec?.node).toBe('n1');
    expect(() => cache.get(Thing, { namespace: 'default', name: 'b' })).toThrow(
      withCode('NOT_WATCHED'),
    );
    expect(() => cache.list(Thing, { namespace: 'default' })).toThrow(withCode('NOT_WATCHED'));
    const fieldSelector = 'metadata.name=a,metadata.namespace=default';
    expect(names(cache.list(Thing, { fieldSelector }))).toEqual(['a']);
  });

  test('the field selector of the watch is not evaluated again, because only the server knows its fields', async () => {
    const server = threeThings();
    const cordoned = {
      kind: 'Thing',
      metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '109' },
    };
    await using cache = cacheOf(server);
    const fieldSelector = 'spec.unschedulable=false';
    const { store } = await acquired(cache, { fieldSelector });
    server.send(() => true, 'MODIFIED', cordoned);
    await eventually(() => store.size === 1);
    expect(names(cache.list(Thing, { fieldSelector }))).toEqual(['a']);
    expect(names(store.list({ fieldSelector }))).toEqual(['a']);
    expect(() => cache.list(Thing, { fieldSelector: 'spec.unschedulable!=true' })).toThrow(
      withCode('NOT_WATCHED'),
    );
  });

  test('a transformed store serves only reads that name its transform', async () => {
    await using cache = cacheOf(threeThings());
    const transform = { name: 'bare', apply: ({ spec: _spec, ...rest }: Thing): Thing => rest };
    await acquired(cache, { transform });
    expect(() => cache.get(Thing, a)).toThrow(withCode('NOT_WATCHED'));
    expect(() => cache.list(Thing)).toThrow(withCode('NOT_WATCHED'));
    expect(cache.get(Thing, a, { transform: 'bare' })?.spec).toBeUndefined();
    await acquired(cache);
    expect(cache.get(Thing, a)?.spec).toEqual({ node: 'n1' });
    expect(cache.get(Thing, a, { transform: 'bare' })?.spec).toBeUndefined();
    expect(() => cache.get(Thing, a, { transform: 'none' })).toThrow(withCode('NOT_WATCHED'));
  });

  test('metadata are read from a watch of the metadata or from a watch of full objects', async () => {
    await using cache = cacheOf(threeThings());
    using narrow = await acquired(cache, { projection: 'metadata' });
    expect(() => cache.get(Thing, a)).toThrow(withCode('NOT_WATCHED'));
    const read = (): unknown[] => [
      cache.get(Thing, a, { projection: 'metadata' }),
      ...cache.list(Thing, {
        projection: 'metadata',
        namespace: 'default',
        labelSelector: 'app=x',
      }),
    ];
    const head = {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: narrow.store.view(a)?.metadata,
    };
    expect(read()).toEqual([head, head]);
    await acquired(cache);
    narrow.release();
    expect(read()).toEqual([head, head]);
  });

  test('an empty namespace means all namespaces, with an index too', async () => {
    await using cache = cacheOf(threeThings());
    const byNode = {
      name: 'node',
      body: ({ spec }: DeepReadonly<Thing>) => [spec?.node ?? ''],
    };
    const { store } = await acquired(cache, { namespace: '', indexers: [byNode] });
    const index = { name: 'node', value: 'n1' };
    for (const reader of [
      (options: object) => store.list(options),
      (options: object) => store.views(options),
      (options: object) => cache.list(Thing, options),
    ]) {
      expect(reader({ namespace: '' })).toHaveLength(3);
      expect(reader({ namespace: '', index })).toHaveLength(2);
    }
    expect(await store.listAsync({ namespace: '' })).toHaveLength(3);
    expect(await cache.listAsync(Thing, { namespace: '', index })).toHaveLength(2);
  });

  test('a watch that is added does not break a read that worked before', async () => {
    const server = threeThings();
    await using cache = cacheOf(server);
    await acquired(cache);
    server.isSilent = () => true;
    cache.acquire({ resource: Thing, namespace: 'default' }, holder);
    expect(names(cache.list(Thing, { namespace: 'default' }))).toEqual(['a', 'b']);
  });

  test('all watches of a kind have one function per transform name', async () => {
    await using cache = cacheOf(threeThings());
    const transform = { name: 'same', apply: (object: Thing) => object };
    const held = await acquired(cache, { transform });
    const other = { name: 'same', apply: (object: Thing) => ({ ...object }) };
    const acquire = (): unknown =>
      cache.acquire({ resource: Thing, namespace: 'x', transform: other }, holder);
    expect(acquire).toThrow(withCode('TRANSFORM_CONFLICT'));
    cache.acquire({ resource: Thing, transform: { ...transform } }, holder).release();
    cache.acquire(
      { resource: Other, transform: { name: 'same', apply: (object) => object } },
      holder,
    );
    held.release();
    expect(acquire).not.toThrow();
  });

  test('a lingering watch with another function of the same transform name is not reused', async () => {
    await using cache = cacheOf(threeThings());
    const transformOf = (value: number): NamedTransform<Thing> => ({
      name: 'value',
      apply: (object) => ({ ...object, spec: { value } }),
    });
    (await acquired(cache, { transform: transformOf(1) })).release();
    const { store } = await acquired(cache, { transform: transformOf(2) });
    expect(store.get(a)?.spec?.value).toBe(2);
    expect(cache.inventory()).toHaveLength(1);
  });

  test('all watches of a kind have one function per indexer name', async () => {
    await using cache = cacheOf(threeThings());
    const indexers = [{ name: 'uid', head: ({ uid }: { uid: string }) => [uid] }];
    const held = await acquired(cache, { indexers });
    const others = [{ name: 'uid', head: () => [] }];
    const acquire = (): unknown =>
      cache.acquire({ resource: Thing, namespace: 'x', indexers: others }, holder);
    expect(acquire).toThrow(withCode('INDEXER_CONFLICT'));
    expect(cache.inventory()).toHaveLength(1);
    const narrow = await acquired(cache, { namespace: 'default', indexers });
    const [other] = others;
    if (other !== undefined)
      expect(() => narrow.addIndexer(other)).toThrow(withCode('INDEXER_CONFLICT'));
    narrow.release();
    held.release();
    expect(acquire).not.toThrow();
  });
});

/** The names of the facts of the error that `read` throws, also of those without a value. */
function factsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    return Object.keys((error as { facts: object }).facts);
  }
  throw new Error('nothing was thrown');
}
