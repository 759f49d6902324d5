import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { defineIndex } from '@keelson/informer';
import { createManager } from '../manager/controller-manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { Manager } from '../manager/manager.ts';
import type { ClusterRequest } from '../reconcile/request.ts';
import type { ClusterFacts } from '../sources/cluster-selection.ts';
import {
  eventually,
  gate,
  nothing,
  recordingLogger,
  running,
  silent,
  valueOf,
} from '../testing/fixtures.test-support.ts';

const { ConfigMap, Secret } = builtin;
const dead = { server: 'http://127.0.0.1:1' };
const everyConfigMap = { resource: ConfigMap, clusters: 'all', namespace: 'default' } as const;

let main: ApiServer;
let servers: readonly ApiServer[];
let clients: readonly Client[];
let manager: Manager;
let seen: string[];

beforeEach(async () => {
  [main, ...servers] = (await Promise.all(
    Array.from({ length: 3 }, () => createApiServer({})),
  )) as [ApiServer, ...ApiServer[]];
  clients = servers.map(({ cluster }) => createClient({ cluster }));
  manager = managerOf({});
  seen = [];
});

afterEach(async () => {
  await manager.stop();
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all([main, ...servers].map((server) => server.close()));
});

function managerOf(options: ManagerOptions): Manager {
  const cluster = { cluster: main.cluster, logger: silent, stopSignals: [] };
  return createManager({ ...cluster, gracePeriod: 0, ...options });
}

const server = (at: number): ApiServer => servers[at] ?? main;

async function create(at: number, resource: typeof ConfigMap | typeof Secret, name: string) {
  const metadata = { namespace: 'default', name };
  return (clients[at] as Client).create(resource, { metadata });
}

const text = ({ cluster, namespace, name }: ClusterRequest): string =>
  `${cluster} ${namespace}/${name}`;
const record = (request: ClusterRequest): void => void seen.push(text(request));

async function seenAll(...expected: string[]): Promise<void> {
  await eventually(() => expected.every((one) => seen.includes(one)));
  expect([...new Set(seen.splice(0))].toSorted()).toEqual(expected.toSorted());
}

describe('a source with `clusters`', () => {
  test('watches clusters that come and go, and those that come again under their names', async () => {
    await create(0, ConfigMap, 'a');
    const first = manager.addCluster('fleet/one', server(0).cluster);
    const controller = manager.addController({
      name: 'fleet',
      for: everyConfigMap,
      reconcile: record,
    });
    await running(manager);
    await seenAll('fleet/one default/a');
    await create(1, ConfigMap, 'b');
    manager.addCluster('root:org:two', server(1).cluster);
    await seenAll('root:org:two default/b');
    await first.remove();
    await create(0, ConfigMap, 'unseen');
    await create(1, ConfigMap, 'c');
    await seenAll('root:org:two default/c');
    expect(controller.explain().watches.map(({ source }) => source)).toEqual([
      'for ConfigMap of root:org:two',
    ]);
    // Another server has the name now.
    manager.addCluster('fleet/one', server(1).cluster);
    await seenAll('fleet/one default/b', 'fleet/one default/c');
    expect(() => manager.addCluster('no//part', dead)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });

  test('gives a run the cache, the client and the helpers of its cluster, and the kinds it reads are synced', async () => {
    await create(0, Secret, 'read');
    const object = await create(0, ConfigMap, 'owner');
    manager.addCluster('one', server(0).cluster);
    // The Secrets arrive late.
    const late = server(0).faults.hang({ resource: Secret });
    const runs: unknown[] = [];
    manager.addController({
      name: 'fleet',
      for: everyConfigMap,
      owns: [{ resource: Secret, namespace: 'default' }],
      async reconcile(request, { cluster, causes, cache }) {
        const { name, namespace } = cluster.cache.get(ConfigMap, request)?.metadata ?? {};
        const secrets = cluster.cache.list(Secret).map(({ metadata }) => metadata.name);
        runs.push([cluster.name, `${namespace}/${name}`, secrets, causes[0]?.source]);
        expect(() => cache.list(ConfigMap)).toThrow(
          expect.objectContaining({ code: 'NOT_WATCHED' }),
        );
      },
    });
    await running(manager);
    await eventually(() => late.hits > 0);
    late.end();
    await eventually(() => runs.length > 0);
    expect(runs).toEqual([['one', 'default/owner', ['read'], 'for ConfigMap of one']]);
    const { uid } = object.metadata;
    const ownerReferences = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, controller: true },
    ];
    const metadata = { namespace: 'default', name: 'child', ownerReferences };
    await (clients[0] as Client).create(Secret, { metadata });
    await eventually(() => runs.length === 2);
    expect(runs[1]).toEqual(['one', 'default/owner', ['read', 'child'], 'owns Secret of one']);
  });

  test('leaves out the clusters for which its function fails, and reports it', async () => {
    const { logger, lines } = recordingLogger();
    await manager.stop();
    manager = managerOf({ logger });
    await create(0, ConfigMap, 'a');
    await create(1, ConfigMap, 'b');
    const then = ['th', 'en'].join('');
    const faults: Readonly<Record<string, () => unknown>> = {
      broken: () => {
        throw new Error('no decision');
      },
      odd: () => Promise.reject(new Error('late')),
      member: () => ({ isSelected: Promise.reject(new Error('late')) }),
      rejecting: () =>
        Object.defineProperty({}, then, {
          value: (_: unknown, reject: (error: unknown) => void) => reject(new Error('late')),
        }),
      throwing: () =>
        Object.defineProperty({}, then, {
          get: () => {
            throw new Error('no promise');
          },
        }),
      nested: () => manager.addCluster('nested/again', dead),
    };
    const clusters = ({ name, labels }: ClusterFacts): boolean =>
      (faults[name]?.() ?? labels['tier'] === 'prod') as boolean;
    manager.addController({
      name: 'fleet',
      for: { ...everyConfigMap, clusters },
      reconcile: record,
    });
    for (const name of Object.keys(faults)) {
      manager.addCluster(name, server(0).cluster, { labels: { tier: 'prod' } });
    }
    manager.addCluster('test', server(0).cluster);
    manager.addCluster('prod', server(1).cluster, { labels: { tier: 'prod' } });
    await running(manager);
    await seenAll('prod default/b');
    const failures = lines.filter(({ message }) => message === 'source failed');
    const codes = failures.map(({ err }) => (err as { code?: string }).code);
    expect(failures.map(({ source }) => source)).toEqual(
      Object.keys(faults).map((name) => `for ConfigMap of ${name}`),
    );
    expect(codes).toEqual(Object.keys(faults).map(() => 'CLUSTER_SELECTION'));
    const counted = await valueOf(manager, 'keelson_handler_errors_total', { controller: 'fleet' });
    expect(counted).toBe(codes.length);
  });

  test('maps the objects of every cluster to requests of the main one', async () => {
    await create(0, ConfigMap, 'a');
    main.seed([
      { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name: 'one-a' } },
    ]);
    const removed: unknown[] = [];
    manager.addController({
      name: 'hub',
      for: { resource: Secret, namespace: 'default', predicates: [({ type }) => type !== 'added'] },
      watches: [
        {
          ...everyConfigMap,
          predicates: [(_, { cluster }) => cluster?.name === 'one'],
          map: ({ namespace, name }, { cluster }) => {
            const { length } = cluster?.cache.list(ConfigMap) ?? [];
            return { namespace, name: `${cluster?.name}-${name}-${length}` };
          },
          onWatchRemoved: (end) => void removed.push(end),
        },
      ],
      reconcile(request, context) {
        seen.push(request.name);
        expect(() => context.cluster).toThrow(expect.objectContaining({ code: 'NO_CLUSTER' }));
      },
    });
    const one = manager.addCluster('one', server(0).cluster, { namespaces: ['default'] });
    manager.addCluster('two', server(0).cluster);
    await running(manager);
    await eventually(() => seen.length > 0);
    expect(seen).toEqual(['one-a-1']);
    await one.remove();
    expect(removed).toEqual([{ cluster: 'one' }]);
  });

  test('has the namespaces, kinds and indexes of each cluster', async () => {
    const byOwner = defineIndex(ConfigMap, 'secret', { head: ({ metadata }) => [metadata.name] });
    const inSystem = { namespace: 'kube-system', name: 'tls' };
    for (const client of clients) {
      await client
        .create(ConfigMap, { metadata: { namespace: 'default', name: 'default/tls' } })
        .catch(nothing);
      for (const metadata of [{ namespace: 'default', name: 'tls' }, inSystem]) {
        await client.create(ConfigMap, {
          metadata: { ...metadata, labels: { app: metadata.namespace } },
        });
        await client.create(Secret, { metadata });
      }
    }
    await manager.stop();
    manager = managerOf({ clusters: { namespaces: ['default'], client: { http2: false } } });
    manager.addCluster('shared', server(0).cluster);
    manager.addCluster('own', server(1).cluster, {
      namespaces: ['kube-system'],
      kinds: [
        {
          resource: ConfigMap,
          namespaces: ['default', 'kube-system'],
          labelSelector: 'app=kube-system',
        },
      ],
      cache: { linger: 0 },
    });
    manager.addController({
      name: 'fleet',
      for: { resource: ConfigMap, clusters: 'all' },
      watches: [{ resource: Secret, clusters: 'all', index: byOwner }],
      reconcile: record,
    });
    await running(manager);
    await seenAll('shared default/tls', 'own kube-system/tls');
    await manager.stop();
  });

  test('follows a change of the options in every cluster, and clusters that come meanwhile', async () => {
    for (const [at, name] of [
      [0, 'a'],
      [1, 'b'],
    ] as const) {
      const metadata = { namespace: 'default', name, labels: { app: 'x' } };
      await (clients[at] as Client).create(ConfigMap, { metadata });
      await create(at, ConfigMap, `other-${name}`);
    }
    manager.addCluster('one', server(0).cluster);
    const controller = manager.addController({
      name: 'fleet',
      // The start waits for its sync.
      for: { ...everyConfigMap, labelSelector: 'app=x', required: true },
      reconcile: record,
    });
    await running(manager);
    await seenAll('one default/a');
    const hang = server(0).faults.hang({ resource: ConfigMap });
    const changed = controller.reconfigure({ for: { ...everyConfigMap, required: true } });
    manager.addCluster('two', server(1).cluster);
    await eventually(() => hang.hits > 0);
    expect(seen).toEqual([]);
    hang.end();
    const { started, stopped } = await changed;
    expect([started, stopped]).toEqual([
      ['for ConfigMap of one in default'],
      ['for ConfigMap of one in default (app=x)'],
    ]);
    const added = ['one default/other-a', 'two default/b', 'two default/other-b'];
    await eventually(() => added.every((one) => seen.includes(one)));
    // The wider watch may take over the handler of the former one at this moment: `a` then runs once more.
    expect(new Set([...seen.splice(0), 'one default/a'])).toEqual(
      new Set([...added, 'one default/a']),
    );
    const noFor = { reads: [Secret], watches: [] };
    expect(await controller.reconfigure(noFor)).toMatchObject({ started: ['reads Secret'] });
    await expect(controller.reconfigure({ for: ConfigMap })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option: 'reconfigure.clusters' },
    });
  });

  test('queues requests by cluster in turn, and skips those of clusters that are not there', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await create(0, ConfigMap, name);
    await create(1, ConfigMap, 'z');
    manager.addCluster('many', server(0).cluster);
    manager.addCluster('few', server(1).cluster);
    const open = gate();
    const controller = manager.addController({
      name: 'fleet',
      for: everyConfigMap,
      async reconcile(request) {
        await open.opened;
        record(request);
      },
    });
    await running(manager);
    await eventually(() => controller.length + controller.running === 5);
    controller.enqueue({ cluster: 'gone', namespace: 'default', name: 'a' });
    expect(controller.explain({ cluster: 'many', namespace: 'default', name: 'd' })).toMatchObject({
      request: 'many//default/d',
      state: 'ready',
    });
    open.open();
    await eventually(() => seen.length === 5 && controller.length + controller.running === 0);
    expect(seen.indexOf('few default/z')).toBeLessThan(3);
    expect(() => controller.enqueue({ namespace: 'default', name: 'a' } as ClusterRequest)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
    const page = manager.explain('fleet', { cluster: 'few', namespace: 'default', name: 'z' });
    expect(page).toMatchObject({ state: 'idle' });
  });

  test('in a cluster that does not respond delays neither the others nor readiness', async () => {
    const { logger, lines } = recordingLogger();
    await manager.stop();
    manager = managerOf({ logger, servers: { health: { port: 0, host: '127.0.0.1' } } });
    await create(0, ConfigMap, 'a');
    manager.addCluster('dead', dead);
    manager.addCluster('one', server(0).cluster);
    manager.addController({ name: 'fleet', for: everyConfigMap, reconcile: record });
    await running(manager);
    await seenAll('one default/a');
    const { status } = await fetch(`http://127.0.0.1:${manager.ports.health}/readyz`);
    expect(status).toBe(200);
    const live = (cluster: string): Promise<number | undefined> =>
      valueOf(manager, 'keelson_cluster_live', { cluster });
    await eventually(async () => (await live('one')) === 1);
    expect(await live('dead')).toBe(0);
    const ofDead = lines.filter(({ cluster, level }) => cluster === 'dead' && level !== 'debug');
    expect(ofDead.length).toBeLessThan(5);
  });

  test.each<[string, object, string]>([
    ['another value', { for: { resource: ConfigMap, clusters: ['a'] } }, 'for.clusters'],
    [
      'beside `cluster`',
      { watches: [{ resource: ConfigMap, cluster: 'a', clusters: 'all', map: nothing }] },
      'watches[0].clusters',
    ],
    [
      'of `owns` without that of `for`',
      { for: ConfigMap, owns: [{ resource: Secret, clusters: 'all' }] },
      'owns[0].clusters',
    ],
  ])('throws at the call: %s', (_, options, option) => {
    const add = (): unknown => manager.addController({ name: 'a', reconcile: nothing, ...options });
    expect(add).toThrow(
      expect.objectContaining({
        facts: expect.objectContaining({ option: `addController.${option}` }),
      }),
    );
  });

  test('belongs to the options of a controller', () => {
    const controller = manager.addController({ name: 'a', reconcile: nothing });
    const watch = { resource: ConfigMap, clusters: 'all', map: nothing } as never;
    expect(() => controller.watch(watch)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});
