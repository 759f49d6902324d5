import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import {
  addClusterApi,
  addClusterProfiles,
  addClusters,
  addKubeConfigFolder,
  addKubeConfigSecrets,
} from './index.ts';
import { eventually, FleetWorld, secretOf } from './testing/fleet-world.test-support.ts';

const { Secret } = builtin;
const one = { namespace: 'default', name: 'one' };
const secret = 'hunter2hunter2hunter2';

function kubeConfigOf(user: object): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

describe('fleet promises', () => {
  test('A cluster whose description changes is replaced, and one whose description is gone is removed.', async () => {
    await using world = await FleetWorld.open();
    const { client, members } = world;
    await client.create(Secret, secretOf('one', members[0].kubeconfig()));
    addKubeConfigSecrets(world.manager, { labelSelector: 'fleet=member' });
    await world.start();
    await world.ran('default/one: member-0');
    const { data } = secretOf('one', members[1].kubeconfig());
    await client.patch(Secret, one, { type: 'merge', body: { data } });
    await world.ran('default/one: member-1');
    await client.patch(Secret, one, {
      type: 'merge',
      body: { metadata: { labels: { fleet: 'none' } } },
    });
    await world.removed('default/one');
  });

  test('A description that cannot be used leaves the former cluster in place, is counted and tried again.', async () => {
    await using world = await FleetWorld.open();
    const { client, members } = world;
    await client.create(Secret, secretOf('one', members[0].kubeconfig()));
    addKubeConfigSecrets(world.manager, { labelSelector: 'fleet=member' });
    await world.start();
    await world.ran('default/one: member-0');
    const { data } = secretOf('one', 'no: [kubeconfig');
    await client.patch(Secret, one, { type: 'merge', body: { data } });
    const errors = async (): Promise<number> => {
      const metric = world.manager.registry.getSingleMetric(
        'controller_runtime_reconcile_errors_total',
      );
      const { values = [] } = (await metric?.get()) ?? {};
      return values.find(({ labels }) => labels['controller'] === 'fleet-secrets')?.value ?? 0;
    };
    await eventually(async () => (await errors()) > 2);
    const metadata = { namespace: 'default', name: 'later', labels: { member: '' } };
    members[0].seed([{ apiVersion: 'v1', kind: 'ConfigMap', metadata }]);
    await world.ran('default/one: later');
    const cured = secretOf('one', members[1].kubeconfig());
    await client.patch(Secret, one, { type: 'merge', body: { data: cured.data } });
    await world.ran('default/one: member-1');
  });

  test('A kubeconfig of another party runs no command and reads no file, unless the options allow it.', async () => {
    await using world = await FleetWorld.open();
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: 'sh',
      args: ['-c', 'true'],
    };
    await world.client.create(Secret, secretOf('exec', kubeConfigOf({ exec })));
    await world.client.create(Secret, secretOf('file', kubeConfigOf({ tokenFile: '/etc/passwd' })));
    addKubeConfigSecrets(world.manager, { labelSelector: 'fleet=member' });
    addKubeConfigSecrets(world.manager, {
      name: 'trusting',
      labelSelector: 'fleet=member',
      clusterName: ({ metadata }) => `trusted/${metadata.name}`,
      allow: ['plugins'],
    });
    await world.start();
    const engaged = (name: string): boolean =>
      world.lines.some((line) => line.includes('cluster engaged') && line.includes(`"${name}"`));
    await eventually(() => engaged('trusted/exec'));
    const refused = (member: string): number =>
      world.lines.filter((line) => line.includes('KUBECONFIG_REFUSED') && line.includes(member))
        .length;
    await eventually(() => refused('exec') > 0 && refused('tokenFile') > 1);
    expect(['default/exec', 'default/file', 'trusted/file'].filter(engaged)).toEqual([]);
  });

  test('No secret of a kubeconfig is in a log line or an error.', async () => {
    await using world = await FleetWorld.open();
    const texts = [
      kubeConfigOf({ token: secret, exec: { command: secret, args: [secret] } }),
      kubeConfigOf({ token: [secret] }),
      `token: "${secret}`,
    ];
    for (const [at, text] of texts.entries()) {
      await world.client.create(Secret, secretOf(`broken-${at}`, text));
    }
    await world.client.create(Secret, secretOf('unreachable', kubeConfigOf({ token: secret })));
    addKubeConfigSecrets(world.manager, { labelSelector: 'fleet=member' });
    await world.start();
    const failures = (name: string): boolean =>
      world.lines.some((line) => line.includes('CLUSTER_NOT_LOADED') && line.includes(name));
    await eventually(() => texts.every((_, at) => failures(`broken-${at}`)));
    await eventually(() => world.lines.some((line) => line.includes('SERVER_UNREACHABLE')));
    expect(world.lines.filter((line) => line.includes(secret))).toEqual([]);
    const encoded = Buffer.from(secret).toString('base64').slice(0, 20);
    expect(world.lines.filter((line) => line.includes(encoded))).toEqual([]);
  });

  test('Invalid options throw at the call, and the error names the option.', async () => {
    await using world = await FleetWorld.open();
    const { manager } = world;
    const optionOf = (add: () => unknown): unknown => {
      try {
        return add();
      } catch (error) {
        return (error as { facts?: { option?: unknown } }).facts?.option;
      }
    };
    const labelSelector = 'a=b';
    expect([
      optionOf(() => addKubeConfigSecrets(manager, { labelSelector, selector: 'x' } as never)),
      optionOf(() => addKubeConfigSecrets({} as never, { labelSelector })),
      optionOf(() => addKubeConfigSecrets(manager, { labelSelector, allow: 'exec' as never })),
      optionOf(() => addKubeConfigSecrets(manager, { labelSelector, clusterName: 'a' as never })),
      optionOf(() => addClusterApi(manager, { version: 'v1' as never })),
      optionOf(() => addClusterProfiles(manager, {} as never)),
      optionOf(() => addKubeConfigFolder(manager, { folder: '' })),
      optionOf(() => addKubeConfigFolder(manager, { folder: 'x', interval: 'soon' as never })),
      optionOf(() => addClusters(manager, { changes: [] as never })),
    ]).toEqual([
      'addKubeConfigSecrets.selector',
      'addKubeConfigSecrets.manager',
      'addKubeConfigSecrets.allow',
      'addKubeConfigSecrets.clusterName',
      'addClusterApi.version',
      'addClusterProfiles.accessProviders',
      'addKubeConfigFolder.folder',
      'addKubeConfigFolder.interval',
      'addClusters.changes',
    ]);
  });
});
