import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  builtin,
  setControllerReference,
  type ObjectOf,
  type Persisted,
} from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { defineIndex } from '@keelson/informer';
import { createManager } from '../manager/controller-manager.ts';
import type { Manager } from '../manager/manager.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';
import { eventually, running, silent } from '../testing/fixtures.test-support.ts';

const { ConfigMap, Namespace, Secret } = builtin;
const namespace = 'default';

const secretsByType = defineIndex(Secret, 'type', ({ type }) => [type ?? '']);
const mapsByApp = defineIndex(ConfigMap, 'app', {
  head: ({ metadata }) => [metadata.labels?.['app'] ?? ''],
});

let server: ApiServer;
let client: Client;
let manager: Manager;
let owner: Persisted<ObjectOf<typeof ConfigMap>>;

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
  manager = createManager({
    cluster: server.cluster,
    logger: silent,
    stopSignals: [],
    gracePeriod: 0,
    cache: { linger: 0 },
  });
  owner = await client.create(ConfigMap, {
    metadata: { name: 'owner', namespace, labels: { app: 'x' } },
  });
  const metadata = { name: 'child', namespace };
  await client.create(Secret, setControllerReference({ metadata, type: 'example.com/a' }, owner));
  await client.create(Secret, { metadata: { name: 'stranger', namespace } });
});

afterEach(async () => {
  await manager.stop();
  await client.close();
  await server.close();
});

describe('addController', () => {
  const other = defineIndex(Secret, 'type', { head: () => [] });
  const conflict: unknown = expect.objectContaining({ code: 'INDEXER_CONFLICT' });
  const base = { name: 'config', for: ConfigMap, reconcile: () => undefined };

  test.each<[string, object]>([
    ['one source', { reads: [{ resource: Secret, indexers: [secretsByType, other] }] }],
    [
      'two sources',
      {
        reads: [{ resource: Secret, indexers: [secretsByType] }],
        owns: [{ resource: Secret, indexers: [other] }],
      },
    ],
    [
      '`owns` and the index of owners',
      {
        owns: [{ resource: Secret, indexers: [defineIndex(Secret, 'owner:controller', () => [])] }],
      },
    ],
  ])('refuses two functions under the name of an index in %s', async (_, sources) => {
    expect(() => manager.addController({ ...base, ...sources })).toThrow(conflict);
    // The name is free.
    const controller = manager.addController({
      ...base,
      reads: [{ resource: Secret, indexers: [secretsByType] }],
    });
    const watch = (): unknown =>
      controller.watch({ resource: Secret, indexers: [other], map: () => undefined });
    expect(watch).toThrow(conflict);
  });

  test('refuses two transforms of one name for a kind, without a metric series of the controller', async () => {
    const transformOf = (): object => ({ name: 'bare', apply: (object: object) => object });
    const reads = [1, 2].map(() => ({ resource: Secret, transform: transformOf() }));
    expect(() => manager.addController({ ...base, reads: reads as never })).toThrow(
      expect.objectContaining({ code: 'TRANSFORM_CONFLICT' }),
    );
    expect(await manager.registry.metrics()).not.toContain(`controller="${base.name}"`);
  });
});

/** Starts a controller of ConfigMaps with these sources, and returns the cache of its first run. */
async function cacheOf(sources: object): Promise<ReconcileContext['cache']> {
  const { promise, resolve } = Promise.withResolvers<ReconcileContext['cache']>();
  manager.addController({
    name: 'config',
    for: { resource: ConfigMap, fieldSelector: 'metadata.name=owner', indexers: [mapsByApp] },
    ...sources,
    reconcile: (_request, { cache }) => resolve(cache),
  });
  await running(manager);
  return promise;
}

/** The names of the indexes of all Secrets. */
function indexes(): string[] {
  const secrets = manager.cache.inventory().filter(({ query }) => query.resource.kind === 'Secret');
  return secrets.flatMap(({ indices }) => indices.map(({ name, over }) => `${name} over ${over}`));
}

describe('the indexes of a controller', () => {
  test('`owns` keeps the index of the children, from the start until the stop of the controller', async () => {
    const cache = await cacheOf({ owns: [Secret] });
    expect(indexes()).toEqual(['owner:controller over head']);
    const map = cache.get(ConfigMap, { namespace, name: 'owner' });
    expect(cache.owned(Secret, map ?? {})).toMatchObject([{ metadata: { name: 'child' } }]);
    await client.create(
      Secret,
      setControllerReference({ metadata: { name: 'second', namespace } }, owner),
    );
    await eventually(() => cache.owned(Secret, owner).length === 2);
    await client.delete(Secret, { namespace, name: 'child' });
    await eventually(() => cache.owned(Secret, owner).length === 1);
    expect(manager.cache.owned(Secret, owner)).toMatchObject([{ metadata: { name: 'second' } }]);
    await manager.stop();
    expect(() => cache.owned(Secret, owner)).toThrow(
      expect.objectContaining({ code: 'CACHE_CLOSED' }),
    );
  });

  test('`owns` with any owner keeps the index of all references', async () => {
    const cache = await cacheOf({ owns: [{ resource: Secret, owners: 'any' }] });
    expect(indexes()).toEqual(['owner:any over head']);
    expect(cache.owned(Secret, owner, { owners: 'any' })).toHaveLength(1);
  });

  test('`owned` reads only what the controller watches', async () => {
    const cache = await cacheOf({ owns: [{ resource: Secret, labelSelector: 'app=x' }] });
    const held = manager.cache.acquire({ resource: Secret }, { owner: 'all' });
    await held.synced;
    expect(cache.owned(Secret, owner)).toEqual([]);
    expect(manager.cache.owned(Secret, owner)).toHaveLength(1);
    expect(() => cache.owned(Namespace, { ...owner, metadata: { name: 'o', uid: 'u' } })).toThrow(
      expect.objectContaining({
        code: 'NOT_WATCHED',
        facts: expect.objectContaining({ declare: 'reads: [{ resource: Namespace }]' }),
      }),
    );
  });

  test('`for`, `owns`, `watches` and `reads` declare indexers', async () => {
    const indexers = [secretsByType];
    for (const [at, sources] of [
      { owns: [{ resource: Secret, indexers }] },
      { watches: [{ resource: Secret, indexers, map: () => undefined }] },
      { reads: [{ resource: Secret, indexers }] },
    ].entries()) {
      const { promise, resolve } = Promise.withResolvers<ReconcileContext['cache']>();
      const controller = manager.addController({
        name: `controller-${at}`,
        for: { resource: ConfigMap, fieldSelector: 'metadata.name=owner', indexers: [mapsByApp] },
        ...(sources as object),
        reconcile: (_request, { cache }) => resolve(cache),
      });
      if (at === 0) await running(manager);
      const cache = await promise;
      expect(cache.namesBy(mapsByApp, 'x')).toEqual([{ namespace, name: 'owner' }]);
      expect(cache.by(secretsByType, 'example.com/a')).toMatchObject([
        { metadata: { name: 'child' } },
      ]);
      expect(cache.indexValues(secretsByType).toSorted()).toEqual(['Opaque', 'example.com/a']);
      await controller.stop();
      await eventually(() => indexes().length === 0);
    }
  });

  test('a watch that is added at run time brings its indexes, and takes them away', async () => {
    const controller = manager.addController({ name: 'config', reconcile: () => undefined });
    await running(manager);
    const watch = controller.watch({
      resource: Secret,
      indexers: [secretsByType],
      map: () => undefined,
    });
    await watch.synced;
    expect(manager.cache.namesBy(secretsByType, 'example.com/a')).toHaveLength(1);
    await watch.remove();
    expect(() => manager.cache.by(secretsByType, '')).toThrow(
      expect.objectContaining({ code: 'NOT_WATCHED' }),
    );
  });

  test('an index of another kind is refused where it is declared', () => {
    const add = (): unknown =>
      manager.addController({
        name: 'wrong',
        for: ConfigMap,
        reads: [{ resource: Secret, indexers: [mapsByApp as never] }],
        reconcile: () => undefined,
      });
    expect(add).toThrow('addController.reads[0].indexers[0]');
    expect(add).toThrow(
      expect.objectContaining({
        facts: expect.objectContaining({ index: 'v1/configmaps', resource: 'v1/secrets' }),
      }),
    );
  });
});
