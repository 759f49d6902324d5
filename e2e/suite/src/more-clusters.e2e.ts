import { describe, expect, test } from '@jest/globals';
import { createClient, type Client, type Cluster } from '@keelson/client';
import { createTestEnvironment } from '@keelson/envtest';
import { until } from '@keelson/example-support';
import { builtin, createLogger, createManager, type Manager } from '@keelson/manager';
import type { ManagerCluster } from '@keelson/manager/clusters';
import { reachesState } from './reaches-state.ts';
import { openSuite } from './suite.ts';

const suite = openSuite();
const { ConfigMap, Namespace, Secret } = builtin;

interface Side {
  readonly client: Client;
  readonly cluster: Cluster;
}

/** The server of the suite and another one in memory, with a namespace of the same name. */
interface Servers extends AsyncDisposable {
  readonly main: Side;
  readonly workload: Side;
  readonly namespace: string;
  /** Stops the server in memory. */
  readonly stopSecond: () => Promise<void>;
}

/** Which server is the main cluster of the manager. */
const roles = [
  ['the server of the suite is the main cluster', 'suite'],
  ['the server of the suite is the further cluster', 'second'],
] as const;

async function openServers(role: 'suite' | 'second'): Promise<Servers> {
  const environment = await createTestEnvironment({ use: 'memory' });
  const { cluster } = environment.admin;
  const second: Side = { cluster, client: createClient({ cluster }) };
  const namespace = await suite.namespace();
  await second.client.create(Namespace, { metadata: { name: namespace } });
  return {
    main: role === 'suite' ? suite : second,
    workload: role === 'suite' ? second : suite,
    namespace,
    stopSecond: () => environment.stop(),
    async [Symbol.asyncDispose]() {
      await second.client.close();
      await environment.stop();
    },
  };
}

/** A manager with a controller that copies ConfigMaps of the main cluster into Secrets of the other, and records requests. */
class Mirror implements AsyncDisposable {
  readonly manager: Manager;
  readonly workload: ManagerCluster;
  /** The name of each request with the source of its cause. */
  readonly seen: string[] = [];
  readonly #ended: Promise<void>;
  #changed = Promise.withResolvers<void>();

  private constructor({ main, workload, namespace }: Servers) {
    this.manager = createManager({
      cluster: main.cluster,
      logger: createLogger({ level: 'silent' }),
      stopSignals: [],
    });
    this.workload = this.manager.addCluster('workload', workload.cluster);
    this.manager.addController({
      name: 'mirror',
      for: { resource: ConfigMap, namespace },
      watches: [
        {
          cluster: 'workload',
          resource: Secret,
          namespace,
          map: (secret) => ({ namespace: secret.namespace ?? '', name: secret.name }),
        },
      ],
      reconcile: async ({ name }, { cache, causes, clusters }) => {
        for (const { source } of causes) this.seen.push(`${name}: ${source}`);
        this.#notify();
        const map = cache.get(ConfigMap, { namespace, name });
        if (map?.data?.['mirror'] === undefined) return;
        const { client, cache: there } = clusters.get('workload');
        if (there.get(Secret, { namespace, name }) !== undefined) return;
        const stringData = { copy: map.data['mirror'] };
        await client.create(Secret, { metadata: { namespace, name }, stringData });
      },
    });
    this.#ended = this.manager.start();
    this.#ended.catch(() => undefined);
  }

  static async start(servers: Servers): Promise<Mirror> {
    const mirror = new Mirror(servers);
    await Promise.race([mirror.manager.started, mirror.#ended]);
    return mirror;
  }

  /** Resolves when a request of this name with this cause was reconciled. */
  async reconciled(line: string): Promise<void> {
    while (!this.seen.includes(line)) await this.#changed.promise;
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager.stop();
    await this.#ended;
  }
}

describe.each(roles)('a manager on two clusters, of which %s', (_name, role) => {
  test('reads and watches each server, and writes to the one that the reconcile names', async () => {
    await using servers = await openServers(role);
    const { main, workload, namespace } = servers;
    const key = (name: string): { namespace: string; name: string } => ({ namespace, name });
    await workload.client.create(Secret, { metadata: key('there') });
    await using mirror = await Mirror.start(servers);
    await mirror.reconciled('there: watch Secret of workload');
    await main.client.create(ConfigMap, { metadata: key('copied'), data: { mirror: 'yes' } });
    await until(workload.client, Secret, key('copied'), (secret) => {
      return secret?.data?.['copy'] === Buffer.from('yes').toString('base64');
    });
    await mirror.reconciled('copied: for ConfigMap');
    // The own write comes back as an event of the further cluster.
    await mirror.reconciled('copied: watch Secret of workload');
    const { items } = await main.client.list(Secret, { namespace });
    expect(items.filter(({ metadata }) => metadata.name === 'copied')).toEqual([]);
    await workload.client.delete(Secret, key('copied'));
    await until(workload.client, Secret, key('copied'), (secret) => secret !== undefined);
    expect(mirror.workload.health).toMatchObject({ isLive: true, watches: 1, notLive: 0 });
  });

  test('continues on one server when the other one stops', async () => {
    await using servers = await openServers(role);
    const { main, workload, namespace, stopSecond } = servers;
    await using mirror = await Mirror.start(servers);
    await stopSecond();
    const metadata = { namespace, name: 'meanwhile' };
    if (role === 'suite') {
      await main.client.create(ConfigMap, { metadata });
      await mirror.reconciled('meanwhile: for ConfigMap');
      const { cache } = mirror.workload;
      const handle = cache.acquire({ resource: Secret, namespace }, { owner: 'suite' });
      await reachesState(handle, 'backing-off');
      handle.release();
      expect(mirror.workload.health).toMatchObject({ isLive: false, notLive: 1 });
    } else {
      await workload.client.create(Secret, { metadata });
      await mirror.reconciled('meanwhile: watch Secret of workload');
      expect(mirror.workload.health).toMatchObject({ isLive: true, notLive: 0 });
    }
  });

  test('continues on the main cluster after the removal of the other, which can be added again', async () => {
    await using servers = await openServers(role);
    const { main, workload, namespace } = servers;
    const key = (name: string): { namespace: string; name: string } => ({ namespace, name });
    await using mirror = await Mirror.start(servers);
    await mirror.workload.remove();
    await workload.client.create(Secret, { metadata: key('late') });
    await main.client.create(ConfigMap, { metadata: key('main') });
    await mirror.reconciled('main: for ConfigMap');
    const page = await mirror.manager.registry.metrics();
    expect(page).not.toContain('cluster="workload"');
    await using again = mirror.manager.addCluster('workload', workload.cluster);
    const handle = again.cache.acquire({ resource: Secret, namespace }, { owner: 'suite' });
    await handle.synced;
    expect(again.cache.get(Secret, key('late'))?.metadata.name).toBe('late');
    expect(mirror.seen.filter((line) => line.includes('late'))).toEqual([]);
    handle.release();
  });
});
