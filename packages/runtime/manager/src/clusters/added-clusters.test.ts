import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer, type ApiServer } from '@keelson/apiserver';
import { createClient, type Client } from '@keelson/client';
import { createManager } from '../manager/controller-manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { Manager } from '../manager/manager.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';
import {
  eventually,
  gate,
  nothing,
  running,
  silent,
  toSelf,
  valueOf,
} from '../testing/fixtures.test-support.ts';

const { ConfigMap, Lease, Secret } = builtin;
const dead = { server: 'http://127.0.0.1:1' };
const workload = 'workload';

let main: ApiServer;
let other: ApiServer;
/** The clients of the test for both servers. */
let clients: { readonly main: Client; readonly other: Client };
let manager: Manager;
let seen: string[];

beforeEach(async () => {
  [main, other] = await Promise.all([createApiServer({}), createApiServer({})]);
  clients = {
    main: createClient({ cluster: main.cluster }),
    other: createClient({ cluster: other.cluster }),
  };
  manager = managerOf({});
  seen = [];
});

afterEach(async () => {
  await manager.stop();
  await Promise.all([clients.main.close(), clients.other.close()]);
  await Promise.all([main.close(), other.close()]);
});

function managerOf(options: ManagerOptions): Manager {
  const cluster = { cluster: main.cluster, logger: silent, stopSignals: [] };
  return createManager({ ...cluster, gracePeriod: 0, ...options });
}

async function create(client: Client, resource: typeof ConfigMap | typeof Secret, name: string) {
  await client.create(resource, { metadata: { namespace: 'default', name } });
}

const record = ({ name }: { name: string }): void => void seen.push(name);
const watchOther = { cluster: workload, resource: Secret, map: toSelf } as const;

/** The series of the cluster, on all metrics. */
async function seriesOfCluster(): Promise<string[]> {
  const page = await manager.registry.metrics();
  return page.split('\n').filter((line) => line.includes(`cluster="${workload}"`));
}

describe('a further cluster', () => {
  test('leads to requests of its own objects, which its own scope reads', async () => {
    manager.addCluster(workload, other.cluster);
    const run = Promise.withResolvers<ReconcileContext>();
    manager.addController({
      name: 'mirror',
      for: { resource: Secret, namespace: 'default' },
      namespaces: ['kube-system'],
      watches: [watchOther],
      reads: [{ cluster: workload, resource: ConfigMap }],
      reconcile(request, context) {
        record(request);
        run.resolve(context);
      },
    });
    await create(clients.other, Secret, 'there');
    await create(clients.other, ConfigMap, 'settings');
    await running(manager);
    const { cache, clusters, causes } = await run.promise;
    const { cache: there, client } = clusters.get(workload);
    const name = { namespace: 'default', name: 'there' };
    expect([there.get(Secret, name)?.metadata.name, cache.get(Secret, name)]).toEqual([
      'there',
      undefined,
    ]);
    expect(there.list(ConfigMap)).toMatchObject([{ metadata: { name: 'settings' } }]);
    expect(causes).toMatchObject([{ source: 'watch Secret of workload' }]);
    expect(() => cache.list(ConfigMap)).toThrow(expect.objectContaining({ code: 'NOT_WATCHED' }));
    // Own writes are read at once, and carry the name of the controller.
    const metadata = { namespace: 'default', name: 'own' };
    const written = await client.create(ConfigMap, { metadata });
    expect(there.get(ConfigMap, metadata)?.metadata.uid).toBe(written.metadata.uid);
    await client.apply(ConfigMap, {
      metadata: { ...metadata, name: 'applied' },
      data: { key: 'value' },
    });
    const applied = await clients.other.get(ConfigMap, { ...metadata, name: 'applied' });
    expect(applied.metadata.managedFields).toMatchObject([{ manager: 'mirror' }]);
    expect(main.object(ConfigMap, metadata)).toBeUndefined();
    expect(clusters.get(workload).cache).toBe(there);
  });

  test('that was not added or was removed is an error of the call that names it', async () => {
    const cluster = manager.addCluster(workload, other.cluster);
    expect(() => manager.addCluster(workload, dead)).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_CLUSTER' }),
    );
    const unknown = expect.objectContaining({
      code: 'UNKNOWN_CLUSTER',
      facts: { cluster: 'west', known: [workload] },
    });
    const west = { ...watchOther, cluster: 'west' };
    const add = (options: object): unknown =>
      manager.addController({ name: 'a', reconcile: nothing, ...options });
    expect(() => add({ watches: [west] })).toThrow(unknown);
    expect(() => add({ reads: [{ cluster: 'west', resource: Secret }] })).toThrow(unknown);
    const controller = manager.addController({ name: 'a', reconcile: nothing });
    expect(() => controller.watch(west)).toThrow(unknown);
    await cluster.remove();
    expect(() => controller.watch(watchOther)).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_CLUSTER' }),
    );
    await manager.stop();
    expect(() => manager.addCluster('late', dead)).toThrow(
      expect.objectContaining({ code: 'MANAGER_STOPPED' }),
    );
  });

  test('has series with the label `cluster`, which leave with it', async () => {
    manager.addController({ name: 'a', for: Secret, reconcile: nothing });
    await running(manager);
    const before = await valueOf(manager, 'keelson_store_objects', { resource: 'secrets' });
    const cluster = manager.addCluster(workload, other.cluster);
    await create(clients.other, Secret, 'there');
    const controller = manager.addController({
      name: 'b',
      watches: [watchOther],
      reconcile: record,
    });
    await controller.synced;
    // The watch opens after its list.
    await eventually(() => cluster.health.isLive);
    expect(cluster.health).toMatchObject({ state: 'live', isLive: true, watches: 1, notLive: 0 });
    const objects = (labels: Record<string, string>): Promise<number | undefined> =>
      valueOf(manager, 'keelson_store_objects', { resource: 'secrets', ...labels });
    expect(await objects({ cluster: workload })).toBe(1);
    expect(await objects({})).toBe(before);
    const series = await seriesOfCluster();
    for (const name of ['keelson_lists_total', 'rest_client_requests_total'])
      expect(series.some((line) => line.startsWith(name))).toBe(true);
    await cluster.remove();
    expect(await seriesOfCluster()).toEqual([]);
    expect(await objects({})).toBe(before);
  });

  test('waits in its removal for the reconcile that it caused, and leaves the main cluster as it is', async () => {
    const cluster = manager.addCluster(workload, other.cluster);
    const ended = gate();
    const controller = manager.addController({
      name: 'a',
      for: ConfigMap,
      watches: [watchOther],
      async reconcile(request) {
        record(request);
        if (request.name === 'there') await ended.opened;
      },
    });
    await create(clients.other, Secret, 'there');
    await running(manager);
    await eventually(() => seen.length === 1);
    let removed = false;
    const removal = cluster.remove().then(() => (removed = true));
    await create(clients.main, ConfigMap, 'here');
    await eventually(() => controller.length === 1);
    expect(removed).toBe(false);
    ended.open();
    await removal;
    await eventually(() => seen.length === 2);
    await create(clients.other, Secret, 'unseen');
    await using again = manager.addCluster(workload, other.cluster);
    const watch = controller.watch(watchOther);
    await watch.synced;
    await eventually(() => seen.includes('unseen'));
    expect(again.health.watches).toBe(1);
    expect(seen.slice(0, 2)).toEqual(['there', 'here']);
  });

  test('is removed by two reconciles that it caused', async () => {
    const cluster = manager.addCluster(workload, other.cluster);
    const both = gate();
    let started = 0;
    await create(clients.other, Secret, 'one');
    await create(clients.other, Secret, 'two');
    manager.addController({
      name: 'a',
      concurrency: 2,
      watches: [watchOther],
      async reconcile(request) {
        started += 1;
        if (started === 2) both.open();
        await both.opened;
        await cluster.remove();
        record(request);
      },
    });
    await running(manager);
    await eventually(() => seen.length === 2);
    expect(seen.toSorted()).toEqual(['one', 'two']);
  });

  test('that does not respond keeps only the readiness of controllers that require it', async () => {
    await manager.stop();
    manager = managerOf({ servers: { health: { port: 0, host: '127.0.0.1' } } });
    const cluster = manager.addCluster(workload, dead);
    manager.addController({
      name: 'a',
      for: ConfigMap,
      watches: [{ ...watchOther, required: false }],
      reconcile: record,
    });
    await create(clients.main, ConfigMap, 'here');
    await running(manager);
    await eventually(() => seen.length === 1);
    const ready = async (): Promise<number> =>
      (await fetch(`http://127.0.0.1:${manager.ports.health}/readyz`)).status;
    expect([await ready(), cluster.health.isLive]).toEqual([200, false]);
    const required = manager.addController({
      name: 'b',
      watches: [watchOther],
      reconcile: nothing,
    });
    expect(await ready()).toBe(503);
    await cluster.remove();
    await required.synced;
    expect(await ready()).toBe(200);
  });

  test('is closed with the manager', async () => {
    const { client, cache } = manager.addCluster(workload, async () => other.cluster);
    await client.list(Secret);
    await manager.stop();
    await expect(client.list(Secret)).rejects.toMatchObject({ code: 'CLIENT_CLOSED' });
    expect(() => cache.acquire({ resource: Secret }, { owner: 'test' })).toThrow(
      expect.objectContaining({ code: 'CACHE_CLOSED' }),
    );
  });

  test('refuses writes of reconciles when the Lease of the main cluster is lost', async () => {
    await manager.stop();
    const lease = { namespace: 'default', name: 'web-app' };
    const times = { leaseDuration: '3s', renewDeadline: '2s', retryPeriod: '50ms' } as const;
    manager = managerOf({
      leaderElection: { lease: lease.name, namespace: lease.namespace, ...times },
    });
    manager.addCluster(workload, other.cluster);
    const run = Promise.withResolvers<void>();
    const refused = Promise.withResolvers<unknown>();
    manager.addController({
      name: 'a',
      watches: [watchOther],
      async reconcile(_, { clusters, signal }) {
        const { client } = clusters.get(workload);
        run.resolve();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await create(client, Secret, 'late').catch(refused.resolve);
      },
    });
    await create(clients.other, Secret, 'there');
    const ended = manager.start();
    ended.catch(nothing);
    await run.promise;
    await clients.main.patch(Lease, lease, {
      type: 'merge',
      body: { spec: { holderIdentity: 'other' } },
    });
    expect(await refused.promise).toMatchObject({ code: 'LEADERSHIP_LOST' });
    await expect(ended).rejects.toMatchObject({ code: 'LEADERSHIP_LOST' });
    expect(other.object(Secret, { namespace: 'default', name: 'late' })).toBeUndefined();
  });
});
