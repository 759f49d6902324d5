import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { eventually, running, silent } from './testing/fixtures.test-support.ts';

let servers: readonly ApiServer[];
let clients: readonly Client[];
let main: Manager;

beforeEach(async () => {
  servers = await Promise.all([createApiServer({}), createApiServer({})]);
  clients = servers.map(({ cluster }) => createClient({ cluster }));
  main = createManager({ cluster: servers[0]!.cluster, logger: silent, stopSignals: [] });
});

afterEach(async () => {
  await main.stop();
  await Promise.all(clients.map((client) => client.close()));
  await Promise.all(servers.map((server) => server.close()));
});

describe('the guide to more clusters', () => {
  test('copies a ConfigMap to the other cluster and repairs it until the cluster is removed', async () => {
    const [here, there] = clients as [Client, Client];
    const name = { namespace: 'default', name: 'settings' };
    await here.create(builtin.ConfigMap, { metadata: name, data: { color: 'red' } });
    const cluster = addWorkload(main, async () => servers[1]!.cluster);
    addMirror(main);
    await running(main);
    const copied = (): boolean => servers[1]!.object(builtin.ConfigMap, name) !== undefined;
    await eventually(copied);
    await there.delete(builtin.ConfigMap, name);
    await eventually(copied);
    await removeWorkload(cluster);
    expect(main.cache.inventory()).toHaveLength(1);
    expect(cluster.cache.inventory()).toEqual([]);
  });
});

import { builtin, createManager, type Cluster, type Manager } from '@keelson/manager';
import type { ManagerCluster } from '@keelson/manager/clusters';

// #region add
function addWorkload(manager: Manager, load: () => Promise<Cluster>): ManagerCluster {
  return manager.addCluster('workload', load, { cache: { linger: '1m' } });
}
// #endregion

// #region mirror
function addMirror(manager: Manager): void {
  manager.addController({
    name: 'mirror',
    for: builtin.ConfigMap,
    watches: [
      {
        cluster: 'workload',
        resource: builtin.ConfigMap,
        map: ({ namespace, name }) => ({ namespace, name }),
        required: false, // the controller also runs while the cluster does not respond
      },
    ],
    async reconcile(request, { cache, clusters }) {
      const workload = clusters.get('workload');
      const source = cache.get(builtin.ConfigMap, request);
      if (source === undefined || workload.cache.get(builtin.ConfigMap, request)) return;
      const { namespace, name } = source.metadata;
      await workload.client.create(builtin.ConfigMap, {
        metadata: { namespace, name },
        data: source.data ?? {},
      });
    },
  });
}
// #endregion

// #region remove
async function removeWorkload(workload: ManagerCluster): Promise<void> {
  if (!workload.health.isLive) console.warn('not live', workload.health.lastError);
  await workload.remove(); // no handler or reconcile of its watches is left
}
// #endregion
