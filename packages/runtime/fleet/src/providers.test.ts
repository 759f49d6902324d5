import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { builtin, defineResource } from '@keelson/apimachinery';
import {
  addClusterApi,
  addClusterProfiles,
  addClusters,
  addKubeConfigFolder,
  addKubeConfigSecrets,
  ClusterProfile,
  type ClusterApiCluster,
  type ClusterChange,
} from './index.ts';
import { eventually, FleetWorld, secretOf } from './testing/fleet-world.test-support.ts';

const { Secret } = builtin;
const Cluster = defineResource<ClusterApiCluster>({
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  kind: 'Cluster',
  plural: 'clusters',
});
const at = (name: string): { namespace: string; name: string } => ({ namespace: 'default', name });

/** An async iterable of values that a test sends. */
function channel<Value>(): AsyncIterable<Value> & { send(value: Value): void } {
  const waiting: Value[] = [];
  let wake = (): void => undefined;
  return {
    send(value) {
      waiting.push(value);
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        yield* waiting.splice(0);
        // A value may have come while the reader had the last one.
        if (waiting.length > 0) continue;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

describe('addKubeConfigSecrets', () => {
  test.each(['clusterName', 'clusterOptions'])(
    'refuses %s that returns a promise, and ignores its rejection',
    async (option) => {
      await using world = await FleetWorld.open();
      const { client, manager, members } = world;
      const later = (): never => Promise.reject(new Error('later')) as never;
      addKubeConfigSecrets(manager, { labelSelector: 'as', [option]: later });
      await world.start();
      const labels = { as: 'one' };
      await client.create(Secret, secretOf('one', members[0].kubeconfig(), { labels }));
      await world.failed('INVALID_OPTION');
      expect(world.lines.join('\n')).toContain(`addKubeConfigSecrets.${option}`);
    },
  );

  test.each(['clusterName', 'clusterOptions'])(
    'ignores the rejection of a promise as a member of the result of %s',
    async (option) => {
      await using world = await FleetWorld.open();
      const { client, manager, members } = world;
      const later = (): never => ({ namespaces: [Promise.reject(new Error('later'))] }) as never;
      addKubeConfigSecrets(manager, { labelSelector: 'as', [option]: later });
      await world.start();
      const labels = { as: 'one' };
      await client.create(Secret, secretOf('one', members[0].kubeconfig(), { labels }));
      await world.failed('INVALID_OPTION');
    },
  );

  test.each([
    ['options that are invalid', { as: 'mine', in: '' }, 'INVALID_OPTION'],
    ['a name that another cluster has', { as: 'taken', in: 'default' }, 'DUPLICATE_CLUSTER'],
    ['a name that is invalid', { as: '', in: 'default' }, 'INVALID_OPTION'],
  ])('leaves the former cluster in place for %s', async (_, changed, code) => {
    await using world = await FleetWorld.open();
    const { client, manager, members } = world;
    manager.addCluster('taken', { server: 'http://127.0.0.1:1' });
    addKubeConfigSecrets(manager, {
      labelSelector: 'as',
      clusterName: ({ metadata }) => metadata.labels?.['as'] ?? '',
      clusterOptions: ({ metadata }) => ({ namespaces: [metadata.labels?.['in'] ?? ''] }),
    });
    await world.start();
    const kubeConfig = members[0].kubeconfig();
    const secret = (labels: Record<string, string>) => secretOf('one', kubeConfig, { labels });
    await client.create(Secret, secret({ as: 'mine', in: 'default' }));
    await world.ran('mine: member-0');
    await client.apply(Secret, secret(changed), { force: true });
    await world.failed(code);
    expect(() => manager.addCluster('mine', members[1].cluster)).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_CLUSTER' }),
    );
    // A change that can be used is applied.
    await client.apply(Secret, secret({ as: 'other', in: 'default' }), { force: true });
    await world.ran('other: member-0');
  });
});

describe('clusters that exchange their names', () => {
  test.each([2, 3])('are replaced together: %i of them', async (count) => {
    await using world = await FleetWorld.open();
    const { client, manager, members } = world;
    addKubeConfigSecrets(manager, {
      labelSelector: 'as',
      clusterName: ({ metadata }) => metadata.labels?.['as'] ?? '',
    });
    await world.start();
    const names = Array.from({ length: count }, (_, index) => `name-${index}`);
    const memberOf = (index: number): 0 | 1 => (index === 0 ? 0 : 1);
    const secrets = (shift: number) =>
      names.map((_, index) => {
        const labels = { as: names[(index + shift) % count] ?? '' };
        return secretOf(`of-${index}`, members[memberOf(index)].kubeconfig(), { labels });
      });
    for (const secret of secrets(0)) await client.create(Secret, secret);
    await world.ran(...names.map((name, index) => `${name}: member-${memberOf(index)}`));
    for (const secret of secrets(1)) await client.apply(Secret, secret, { force: true });
    // The first cluster has the name of the second one now.
    await eventually(() => world.runs.includes('name-1: member-0'));
    await eventually(() => world.runs.includes('name-0: member-1'));
  });
});

describe('addClusterApi', () => {
  test('adds a provisioned cluster with the kubeconfig of its Secret, and removes a deleted one', async () => {
    await using world = await FleetWorld.open(Cluster);
    const { client, members } = world;
    addClusterApi(world.manager);
    await world.start();
    const labels = { 'cluster.x-k8s.io/cluster-name': 'one' };
    const ofSecret = { key: 'value', labels };
    await client.create(Secret, secretOf('one-kubeconfig', members[0].kubeconfig(), ofSecret));
    await client.create(Cluster, { metadata: at('one'), status: { phase: 'Provisioning' } });
    await eventually(() => world.lines.some((line) => line.includes('"reconciled"')));
    expect(world.runs).toEqual([]);
    const status = { phase: 'Provisioned' };
    await client.patch(Cluster, at('one'), { type: 'merge', body: { status } });
    await world.ran('default/one: member-0');
    await client.apply(Secret, secretOf('one-kubeconfig', members[1].kubeconfig(), ofSecret), {
      force: true,
    });
    await world.ran('default/one: member-1');
    await client.delete(Cluster, at('one'));
    await world.removed('default/one');
  });
});

describe('addClusterProfiles', () => {
  test('uses the first access provider that is named, once the cluster is healthy', async () => {
    await using world = await FleetWorld.open(ClusterProfile);
    const { client, members } = world;
    const asked: unknown[] = [];
    addClusterProfiles(world.manager, {
      accessProviders: {
        direct: (profile, server) => {
          asked.push([profile.metadata.name, server.server]);
          return server.server === members[0].url ? members[0].cluster : members[1].cluster;
        },
      },
    });
    await world.start();
    const statusOf = (server: string, health: string): Pick<ClusterProfile, 'status'> => ({
      status: {
        conditions: [{ type: 'ControlPlaneHealthy', status: health }],
        accessProviders: [
          { name: 'unknown', cluster: { server: 'https://127.0.0.1:1' } },
          { name: 'direct', cluster: { server } },
        ],
      },
    });
    await client.create(ClusterProfile, {
      metadata: at('one'),
      ...statusOf(members[0].url, 'False'),
    });
    const patch = (body: object): Promise<unknown> =>
      client.patch(ClusterProfile, at('one'), { type: 'merge', body });
    await patch(statusOf(members[0].url, 'True'));
    await world.ran('default/one: member-0');
    await patch(statusOf(members[1].url, 'False'));
    await world.ran('default/one: member-1');
    expect(asked).toEqual([
      ['one', members[0].url],
      ['one', members[1].url],
    ]);
    await patch({ status: { accessProviders: [] } });
    await world.failed('NO_ACCESS_PROVIDER');
    await client.delete(ClusterProfile, at('one'));
    await world.removed('default/one');
  });

  test('never reads a file that a profile names', async () => {
    await using world = await FleetWorld.open(ClusterProfile);
    const plugin = { command: 'token-plugin' };
    addClusterProfiles(world.manager, { accessProviders: { plugin } });
    await world.start();
    const cluster = { server: 'https://127.0.0.1:1', 'certificate-authority': '/etc/passwd' };
    await world.client.create(ClusterProfile, {
      metadata: at('one'),
      status: {
        conditions: [{ type: 'ControlPlaneHealthy', status: 'True' }],
        accessProviders: [{ name: 'plugin', cluster }],
      },
    });
    await world.failed('CLUSTER_NOT_LOADED');
    expect(world.lines.join('')).toContain('KUBECONFIG_REFUSED');
  });
});

describe('addKubeConfigFolder', () => {
  test('follows the files of a folder, also their replacement by a rename', async () => {
    await using world = await FleetWorld.open();
    const { members } = world;
    const folder = await mkdtemp(path.join(tmpdir(), 'keelson-fleet-'));
    const file = path.join(folder, 'one.yaml');
    await writeFile(file, members[0].kubeconfig());
    await writeFile(path.join(folder, '.hidden.yaml'), members[1].kubeconfig());
    addKubeConfigFolder(world.manager, { folder, interval: '20ms' });
    await world.start();
    await world.ran('one: member-0');
    await writeFile(path.join(folder, '.next'), members[1].kubeconfig());
    await rename(path.join(folder, '.next'), file);
    await world.ran('one: member-1');
    await writeFile(path.join(folder, 'broken.json'), 'no: [kubeconfig');
    await world.failed('CLUSTER_NOT_LOADED');
    await rm(file);
    await world.removed('one');
    await world.manager.stop();
    await rm(folder, { recursive: true });
  });
});

describe('addClusters', () => {
  test('adds a cluster that comes again while it is being removed', async () => {
    await using world = await FleetWorld.open();
    const { manager, members } = world;
    const changes = channel<ClusterChange>();
    const removing = Promise.withResolvers<void>();
    const removed = Promise.withResolvers<void>();
    const addCluster: typeof manager.addCluster = (...args) => {
      const cluster = manager.addCluster(...args);
      const remove = cluster.remove.bind(cluster);
      cluster.remove = async () => {
        removing.resolve();
        await removed.promise;
        await remove();
      };
      return cluster;
    };
    const addController = manager.addController.bind(manager);
    addClusters({ addCluster, addController }, { changes });
    await world.start();
    changes.send({ name: 'one', cluster: members[0].cluster });
    await world.ran('one: member-0');
    changes.send({ name: 'one', cluster: undefined });
    await removing.promise;
    changes.send({ name: 'two', cluster: members[1].cluster });
    changes.send({ name: 'one', cluster: members[1].cluster });
    // The controller has received both changes.
    changes.send({ name: 'three', cluster: members[0].cluster });
    await world.ran('two: member-1', 'three: member-0');
    removed.resolve();
    await world.ran('one: member-1');
  });

  test('names its option in the error of a function that returns a promise, and ignores its rejection', async () => {
    await using world = await FleetWorld.open();
    const changes = (): never => Promise.reject(new Error('later')) as never;
    addClusters(world.manager, { changes });
    await expect(world.manager.start()).rejects.toMatchObject({
      code: 'SOURCE_FAILED',
      cause: { code: 'INVALID_OPTION', facts: { option: 'addClusters.changes' } },
    });
  });

  test('ignores the rejection of a promise as the cluster of a change', async () => {
    await using world = await FleetWorld.open();
    const changes = channel<ClusterChange>();
    addClusters(world.manager, { changes });
    await world.start();
    changes.send({ name: 'one', cluster: Promise.reject(new Error('later')) as never });
    await eventually(() => world.lines.some((line) => line.includes('later')));
  });

  test('names its option in the error of an invalid value', async () => {
    await using world = await FleetWorld.open();
    addClusters(world.manager, {
      changes: async function* () {
        yield undefined as never;
      },
    });
    await expect(world.manager.start()).rejects.toMatchObject({
      code: 'SOURCE_FAILED',
      cause: { code: 'INVALID_OPTION', facts: { option: 'addClusters.changes' } },
    });
  });

  test('leaves the former cluster in place for one that is invalid', async () => {
    await using world = await FleetWorld.open();
    const { manager, members } = world;
    const changes = channel<ClusterChange>();
    addClusters(manager, { changes });
    await world.start();
    changes.send({ name: 'one', cluster: members[0].cluster });
    await world.ran('one: member-0');
    changes.send({ name: 'one', cluster: { server: 'no address' } });
    await eventually(() => world.lines.some((line) => line.includes('"level":"error"')));
    expect(() => manager.addCluster('one', members[1].cluster)).toThrow(
      expect.objectContaining({ code: 'DUPLICATE_CLUSTER' }),
    );
  });

  test('applies the last change of each name', async () => {
    await using world = await FleetWorld.open();
    const { members } = world;
    const changes = channel<ClusterChange>();
    addClusters(world.manager, { changes });
    await world.start();
    changes.send({ name: 'fleet/one', cluster: members[0].cluster, version: '1' });
    await world.ran('fleet/one: member-0');
    changes.send({ name: 'fleet/one', cluster: members[1].cluster, version: '1' });
    changes.send({ name: 'other', cluster: async () => members[1].cluster });
    await world.ran('other: member-1');
    changes.send({ name: 'fleet/one', cluster: members[1].cluster, version: '2' });
    await world.ran('fleet/one: member-1');
    changes.send({ name: 'fleet/one', cluster: undefined });
    await world.removed('fleet/one');
  });
});

describe('addKubeConfigSecrets', () => {
  test('gives a cluster the name and the options of its Secret', async () => {
    await using world = await FleetWorld.open();
    const seen: unknown[] = [];
    world.manager.addController({
      name: 'gold',
      for: { resource: Secret, clusters: ({ name, labels }) => (seen.push([name, labels]), true) },
      reconcile: () => undefined,
    });
    addKubeConfigSecrets(world.manager, {
      labelSelector: 'fleet=member',
      clusterName: ({ metadata }) => `tenants/${metadata.name}`,
    });
    await world.start();
    const { client, members } = world;
    await client.create(Secret, secretOf('one', members[0].kubeconfig()));
    await world.ran('tenants/one: member-0');
    expect(seen).toEqual([['tenants/one', { fleet: 'member' }]]);
    const other = secretOf('two', members[0].kubeconfig(), { key: 'other' });
    await client.create(Secret, other);
    await world.failed('KUBECONFIG_KEY_MISSING');
  });
});
