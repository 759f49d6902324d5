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
    expect(runs[1]).toEqual(['one', 'default/owner', ['child', 'read'], 'owns Secret of one']);
  });
});
