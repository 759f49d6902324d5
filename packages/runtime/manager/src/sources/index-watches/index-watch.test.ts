import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin, objectKey, type ApiResource, type ObjectOf } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { defineIndex } from '@keelson/informer';
import { createManager } from '../../manager/controller-manager.ts';
import type { ManagerOptions } from '../../manager/manager-options.ts';
import type { Manager } from '../../manager/manager.ts';
import type { Request } from '../../reconcile/request.ts';
import { eventually, running, silent } from '../../testing/fixtures.test-support.ts';
import { watching, type Controller } from '../../controller/controller.ts';

const { ConfigMap, Namespace, Pod, Secret } = builtin;

const names = (object: { readonly metadata: object }): string[] => {
  const { annotations } = object.metadata as { annotations?: Readonly<Record<string, string>> };
  return annotations?.['uses']?.split(',') ?? [];
};
/** ConfigMaps by the keys of the objects that they use. */
const byUse = defineIndex(ConfigMap, 'use', names);
const byUseInHead = defineIndex(ConfigMap, 'use-in-head', { head: names });
const podsByUse = defineIndex(Pod, 'use', names);

let server: ApiServer;
let client: Client;
let runs: string[];
const managers: Manager[] = [];

beforeEach(async () => {
  server = await createApiServer({});
  client = createClient({ cluster: server.cluster });
  runs = [];
  for (const name of ['team-a', 'team-b', 'team-c'])
    await client.create(Namespace, { metadata: { name } });
});

afterEach(async () => {
  await Promise.all(managers.splice(0).map((manager) => manager.stop()));
  await client.close();
  await server.close();
});

function managerOf(options: ManagerOptions = {}): Manager {
  const manager = createManager({
    cluster: server.cluster,
    logger: silent,
    stopSignals: [],
    gracePeriod: 0,
    ...options,
  });
  managers.push(manager);
  return manager;
}

const note = (request: Request): void => void runs.push(objectKey(request));

function user(
  name: string,
  uses: string,
  namespace = 'team-a',
  labels = {},
): ObjectOf<typeof ConfigMap> {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels, annotations: { uses } },
  };
}

const secret = (name: string, namespace = 'team-a'): ObjectOf<typeof Secret> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace },
});

/** Expects exactly these requests after an action: before an event of `for` that follows them has run. */
async function expectRuns(act: () => Promise<unknown>, expected: readonly string[]): Promise<void> {
  await act();
  await eventually(() => expected.every((key) => runs.includes(key)));
  const sentinel = `sentinel-${(count += 1)}`;
  await client.create(ConfigMap, user(sentinel, ''));
  await eventually(() => runs.includes(`team-a/${sentinel}`));
  const others = runs.splice(0).filter((key) => !key.includes('sentinel'));
  expect([...new Set(others)].toSorted()).toEqual(expected);
}
let count = 0;

const changeOf =
  (resource: ApiResource, name: string, namespace = 'team-a') =>
  (): Promise<unknown> => {
    const body = { metadata: { labels: { at: `${(count += 1)}` } } };
    return client.patch(resource, { name, namespace }, { type: 'merge', body });
  };

/** Starts a manager. The initial objects have then run. */
async function started(manager: Manager, controller: Controller): Promise<void> {
  await running(manager);
  await eventually(() => runs.length > 0 && controller.length === 0 && controller.running === 0);
  runs.length = 0;
}

describe('a watch with an index', () => {
  test.each<[string, ManagerOptions]>([
    ['all namespaces', {}],
    ['two namespaces', { namespaces: ['team-a', 'team-b'] }],
  ])('queues what the index finds in %s', async (_, options) => {
    const manager = managerOf(options);
    await client.create(Secret, secret('tls'));
    await client.create(ConfigMap, user('one', 'team-a/tls'));
    await client.create(ConfigMap, user('two', 'team-a/other,team-a/tls'));
    await client.create(ConfigMap, user('three', 'team-a/tls', 'team-b'));
    await client.create(ConfigMap, user('four', 'team-b/tls', 'team-b'));
    const controller = manager.addController({
      name: 'own',
      for: ConfigMap,
      watches: [{ resource: Secret, index: byUse }],
      reconcile: note,
    });
    await started(manager, controller);
    const users = ['team-a/one', 'team-a/two', 'team-b/three'];
    await expectRuns(changeOf(Secret, 'tls'), users);
    await expectRuns(() => client.delete(Secret, { name: 'tls', namespace: 'team-a' }), users);
    await expectRuns(() => client.create(Secret, secret('tls', 'team-b')), ['team-b/four']);
    await expectRuns(() => client.create(Secret, secret('unused')), []);
  });

  test('finds only the objects that its own controller watches', async () => {
    const manager = managerOf();
    await client.create(Secret, secret('tls'));
    await client.create(ConfigMap, user('mine', 'team-a/tls', 'team-a', { app: 'x' }));
    await client.create(ConfigMap, user('foreign', 'team-a/tls', 'team-a', { app: 'y' }));
    manager.addController({
      name: 'other',
      for: { resource: ConfigMap, indexers: [byUse] },
      reconcile: () => undefined,
    });
    const controller = manager.addController({
      name: 'own',
      for: { resource: ConfigMap, labelSelector: 'app!=y' },
      watches: [{ resource: Secret, index: byUse }],
      reconcile: note,
    });
    await started(manager, controller);
    await expectRuns(changeOf(Secret, 'tls'), ['team-a/mine']);
  });

  test('finds by the name of a cluster-scoped object', async () => {
    const manager = managerOf();
    await client.create(ConfigMap, user('one', 'team-b'));
    const controller = manager.addController({
      name: 'own',
      for: ConfigMap,
      watches: [{ resource: Namespace, index: byUse }],
      reconcile: note,
    });
    await started(manager, controller);
    const body = { metadata: { labels: { tier: 'gold' } } };
    const change = (): Promise<unknown> =>
      client.patch(Namespace, { name: 'team-b' }, { type: 'merge', body });
    await expectRuns(change, ['team-a/one']);
  });

  test('of a further cluster finds objects of the main cluster', async () => {
    await using remote = await createApiServer({});
    await using remoteClient = createClient({ cluster: remote.cluster });
    await remoteClient.create(Namespace, { metadata: { name: 'team-a' } });
    const manager = managerOf();
    manager.addCluster('b', remote.cluster);
    await client.create(ConfigMap, user('one', 'team-a/tls'));
    const controller = manager.addController({
      name: 'own',
      for: ConfigMap,
      watches: [{ resource: Secret, cluster: 'b', index: byUse }],
      reconcile: note,
    });
    await started(manager, controller);
    await remoteClient.create(Secret, secret('tls'));
    await eventually(() => runs.length > 0);
    expect(runs.splice(0)).toEqual(['team-a/one']);
    expect(() => controller.watch(watching({ resource: Secret, index: podsByUse }))).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });

  test('applies its predicates, and those of the controller', async () => {
    const manager = managerOf();
    await client.create(Secret, secret('tls'));
    await client.create(Secret, secret('vetoed'));
    await client.create(ConfigMap, user('one', 'team-a/tls,team-a/vetoed'));
    const controller = manager.addController({
      name: 'own',
      for: ConfigMap,
      watches: [
        {
          resource: Secret,
          predicates: [({ object }) => object.name !== 'vetoed'],
          index: byUseInHead,
          projection: 'metadata',
        },
      ],
      reconcile: note,
    });
    await started(manager, controller);
    await expectRuns(changeOf(Secret, 'vetoed'), []);
    await expectRuns(changeOf(Secret, 'tls'), ['team-a/one']);
  });

  test('without `for` queues the objects of a kind in reads, also of those that sync after it', async () => {
    const manager = managerOf();
    await client.create(Secret, secret('tls'));
    await client.create(ConfigMap, user('one', 'team-a/tls'));
    using stall = server.faults.stallWatches({ resource: ConfigMap });
    const controller = manager.addController({
      name: 'own',
      reads: [ConfigMap],
      watches: [{ resource: Secret, index: byUse }],
      reconcile: note,
    });
    const start = running(manager);
    await eventually(() => manager.cache.inventory().length === 2);
    await manager.cache.waitForSync({ resources: [Secret] });
    expect(controller.length).toBe(0);
    stall[Symbol.dispose]();
    await start;
    await eventually(() => runs.length === 1);
    expect(runs).toEqual(['team-a/one']);
  });

  test('follows the namespaces of its controller', async () => {
    const manager = managerOf();
    for (const space of ['team-a', 'team-b', 'team-c']) {
      await client.create(Secret, secret('tls', space));
      await client.create(ConfigMap, user('one', 'team-a/tls,team-b/tls,team-c/tls', space));
    }
    const controller = manager.addController({
      name: 'own',
      for: ConfigMap,
      namespaces: ['team-a', 'team-b'],
      watches: [{ resource: Secret, index: byUse }],
      reconcile: note,
    });
    await started(manager, controller);
    await expectRuns(changeOf(Secret, 'tls'), ['team-a/one', 'team-b/one']);
    await controller.setNamespaces(['team-a', 'team-c']);
    // The Secret of the new namespace leads to both.
    await eventually(() => ['team-a/one', 'team-c/one'].every((key) => runs.includes(key)));
    await eventually(() => controller.length === 0 && controller.running === 0);
    runs.length = 0;
    await expectRuns(changeOf(Secret, 'tls', 'team-b'), []);
    await expectRuns(changeOf(Secret, 'tls', 'team-c'), ['team-a/one', 'team-c/one']);
  });

  test('is added, replaced and removed at run time', async () => {
    const manager = managerOf();
    await client.create(Secret, secret('tls'));
    await client.create(ConfigMap, user('one', 'team-a/tls'));
    const controller = manager.addController({
      name: 'own',
      for: { resource: ConfigMap, indexers: [byUse] },
      reconcile: note,
    });
    await started(manager, controller);
    const watch = controller.watch(watching({ resource: Secret, index: byUse }));
    await watch.synced;
    await eventually(() => runs.length === 1);
    expect(runs.splice(0)).toEqual(['team-a/one']);
    await watch.remove();
    await expectRuns(changeOf(Secret, 'tls'), []);
    await controller.replaceWatches('set', [{ resource: Secret, index: byUse }]);
    await eventually(() => runs.length === 1);
    runs.length = 0;
    await controller.replaceWatches('set', [
      { resource: Secret, map: () => ({ namespace: 'team-a', name: 'mapped' }) },
    ]);
    await expectRuns(changeOf(Secret, 'tls'), ['team-a/mapped']);
    await controller.replaceWatches('set', [{ resource: Secret, index: byUse }]);
    await expectRuns(changeOf(Secret, 'tls'), ['team-a/one']);
    await controller.replaceWatches('set', []);
    await expectRuns(changeOf(Secret, 'tls'), []);
  });

  test('that a reconfiguration adds brings its index along, and repeats no event of `for`', async () => {
    const manager = managerOf();
    await client.create(Secret, secret('tls'));
    await client.create(ConfigMap, user('one', 'team-a/tls'));
    await client.create(ConfigMap, user('two', ''));
    const controller = manager.addController({ name: 'own', for: ConfigMap, reconcile: note });
    await started(manager, controller);
    await expectRuns(
      () => controller.reconfigure({ watches: [{ resource: Secret, index: byUse }] }),
      ['team-a/one'],
    );
    await expectRuns(changeOf(Secret, 'tls'), ['team-a/one']);
    await controller.reconfigure({ watches: [] });
    await expectRuns(changeOf(Secret, 'tls'), []);
  });
});

describe('a wrong index of a watch', () => {
  const optionOf = (option: string): unknown =>
    expect.objectContaining({ code: 'INVALID_OPTION', facts: expect.objectContaining({ option }) });
  const add = (options: object): Controller =>
    managerOf().addController({ name: 'own', reconcile: note, ...options });

  test.each<[string, object]>([
    [
      'of another kind than `for`',
      { for: ConfigMap, watches: [{ resource: Secret, index: podsByUse }] },
    ],
    [
      'of an owned kind',
      { for: ConfigMap, owns: [Pod], watches: [{ resource: Secret, index: podsByUse }] },
    ],
    ['of a kind that is not watched', { watches: [{ resource: Secret, index: byUse }] }],
    [
      'of a kind that is watched in another cluster',
      {
        reads: [{ resource: ConfigMap, cluster: 'b' }],
        watches: [{ resource: Secret, index: byUse }],
      },
    ],
    [
      'beside a map',
      { for: ConfigMap, watches: [{ resource: Secret, index: byUse, map: () => undefined }] },
    ],
    [
      'of the body for metadata',
      {
        for: { resource: ConfigMap, projection: 'metadata' },
        watches: [{ resource: Secret, index: byUse }],
      },
    ],
    ['that is null', { for: ConfigMap, watches: [{ resource: Secret, index: null }] }],
    ['that is a name', { for: ConfigMap, watches: [{ resource: Secret, index: 'use' }] }],
  ])('throws at the call: one %s', (_, options) => {
    expect(() => add(options)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({
          option: expect.stringMatching(/^addController\.watches\[0\]\.index/),
        }),
      }),
    );
  });

  test('throws at the call: one with another function under its name', () => {
    const other = defineIndex(ConfigMap, 'use', () => []);
    const options = {
      for: { resource: ConfigMap, indexers: [other] },
      watches: [{ resource: Secret, index: byUse }],
    };
    expect(() => add(options)).toThrow(expect.objectContaining({ code: 'INDEXER_CONFLICT' }));
  });

  test('throws at the call of watch and replaceWatches', async () => {
    const controller = add({ for: ConfigMap });
    const kept = watching({ resource: Secret, index: byUse });
    const wrong = watching({ resource: Secret, index: podsByUse });
    expect(() => controller.watch(kept)).toThrow(optionOf('watch.index'));
    expect(() => controller.watch(wrong)).toThrow(optionOf('watch.index'));
    await expect(controller.replaceWatches('set', [kept])).rejects.toMatchObject({
      code: 'REPLACE_WATCHES_FAILED',
      cause: { code: 'INVALID_OPTION', facts: { option: 'watch.index' } },
    });
    await expect(controller.reconfigure({ watches: [wrong] })).rejects.toMatchObject({
      facts: { option: 'reconfigure.watches[0].index' },
    });
  });
});
