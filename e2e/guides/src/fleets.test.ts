import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { eventually, running, silent } from './testing/fixtures.test-support.ts';

let servers: readonly ApiServer[];
let clients: readonly Client[];
let main: Manager;

beforeEach(async () => {
  servers = await Promise.all([createApiServer({}), createApiServer({}), createApiServer({})]);
  clients = servers.map(({ cluster }) => createClient({ cluster }));
  main = createManager({ cluster: servers[0]!.cluster, logger: silent, stopSignals: [] });
});

afterEach(async () => {
  await main.stop();
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(servers.map((server) => server.close()));
});

describe('the guide to fleets', () => {
  test('runs every cluster of the Secrets, and copies the settings of the hub to those of production', async () => {
    const [hub, one, two] = clients as [Client, Client, Client];
    for (const [at, tier] of [
      [1, 'production'],
      [2, 'test'],
    ] as const) {
      await hub.create(builtin.Secret, {
        metadata: {
          namespace: 'default',
          name: `cluster-${at}`,
          labels: { 'fleet.example.com/kubeconfig': 'true', tier },
        },
        data: { kubeconfig: Buffer.from(servers[at]!.kubeconfig()).toString('base64') },
      });
    }
    const app = { namespace: 'default', name: 'web', labels: { app: 'web' } };
    await one.create(builtin.ConfigMap, { metadata: app });
    await two.create(builtin.ConfigMap, { metadata: app });
    addFleet(main);
    addSizes(main);
    const counted: string[] = [];
    addCensus(main, counted);
    await running(main);
    const sizeOf = (at: number): string | undefined =>
      (servers[at]!.object(builtin.ConfigMap, app) as { data?: Record<string, string> }).data?.[
        'cluster'
      ];
    await eventually(() => sizeOf(1) === 'default/cluster-1');
    await eventually(() => counted.includes('default/cluster-1 1'));
    expect(sizeOf(2)).toBeUndefined();
  });
});

import { addKubeConfigSecrets } from '@keelson/fleet';
import { builtin, createManager, type Manager } from '@keelson/manager';
import type { ClusterFacts } from '@keelson/manager/clusters';

// #region fleet
function addFleet(manager: Manager): void {
  addKubeConfigSecrets(manager, { labelSelector: 'fleet.example.com/kubeconfig=true' });
}
// #endregion fleet

// #region for
const inProduction = ({ labels }: ClusterFacts) => labels['tier'] === 'production';

function addSizes(manager: Manager): void {
  manager.addController({
    name: 'sizes',
    for: { resource: builtin.ConfigMap, labelSelector: 'app', clusters: inProduction },
    owns: [builtin.Secret], // in the clusters of `for`
    async reconcile(request, { cluster, signal }) {
      const app = cluster.cache.get(builtin.ConfigMap, request);
      if (app === undefined || app.data?.['cluster'] === request.cluster) return;
      const body = { data: { cluster: request.cluster } };
      await cluster.client.patch(builtin.ConfigMap, request, { type: 'merge', body }, { signal });
    },
  });
}
// #endregion for

// #region hub
function addCensus(manager: Manager, counted: string[]): void {
  manager.addController({
    name: 'census',
    for: { resource: builtin.Secret, labelSelector: 'fleet.example.com/kubeconfig' }, // in the hub
    watches: [
      {
        resource: builtin.ConfigMap,
        labelSelector: 'app',
        clusters: 'all',
        map: (_, { cluster }) => {
          const [namespace = '', name = ''] = cluster?.name.split('/') ?? [];
          return { namespace, name }; // the Secret of the cluster
        },
      },
    ],
    reconcile({ namespace, name }, { clusters }) {
      const cluster = `${namespace}/${name}`;
      const apps = clusters.get(cluster).cache.list(builtin.ConfigMap);
      counted.push(`${cluster} ${apps.length}`);
    },
  });
}
// #endregion hub
