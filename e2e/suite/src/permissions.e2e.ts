import { beforeAll, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient, type Client, type Cluster } from '@keelson/client';
import { bindRoles, createTestEnvironment, type ObservedRules } from '@keelson/envtest';
import { ConfigMapGenerator } from '@keelson/example-configmap-generator/custom-resource';
import { configMapGeneratorDefinition } from '@keelson/example-configmap-generator/custom-resource-definition';
import { createOperator } from '@keelson/example-configmap-generator/operator';
import { until } from '@keelson/example-support';
import { createLogger } from '@keelson/manager';
import type { DeclaredAccess } from '@keelson/manager/process';
import { ServiceAccount } from './service-account.ts';
import { openSuite } from './suite.ts';
import { isAllowed, untilAllowed, userOf } from './until-allowed.ts';

const suite = openSuite();
const host = '127.0.0.1';

/** A server with the definition, the credentials of the operator, and two namespaces. */
interface World {
  /** The client of an administrator. */
  readonly admin: Client;
  /** The cluster with the credentials of the operator. */
  readonly cluster: Cluster;
  /** The namespace of the Lease and of the account that reads the metrics. */
  readonly home: string;
  /** The namespace of the objects. */
  readonly work: string;
  /** The reader of the metrics. */
  readonly reader: ServiceAccount;
}

/** The warnings of a run, and the access that the operator declares. */
interface Run {
  readonly lines: readonly string[];
  readonly declared: DeclaredAccess;
}

/**
 * Runs the operator with leader election and metrics with authentication until it has created, repaired and reported,
 * and has recorded an event this often.
 */
async function operate(world: World, { events }: { readonly events: number }): Promise<Run> {
  const { admin, cluster, home, work } = world;
  const lines: string[] = [];
  const operator = createOperator({
    cluster,
    leaderElection: { lease: 'robot', namespace: home },
    servers: { host, metrics: { port: 0, authentication: true } },
    logger: createLogger({ level: 'warn', write: (line) => void lines.push(line) }),
    stopSignals: [],
  });
  const running = operator.start();
  await Promise.race([operator.started, running]);
  const key = { namespace: work, name: 'colours' };
  const sky = (): Promise<unknown> =>
    until(admin, builtin.ConfigMap, key, (found) => found?.data?.['sky'] === 'blue');
  const spec = { entries: { sky: 'blue' } };
  const generator = await admin.create(ConfigMapGenerator, { metadata: key, spec });
  await sky();
  await admin.patch(builtin.ConfigMap, key, { type: 'merge', body: { data: { sky: 'red' } } });
  await sky();
  await until(admin, ConfigMapGenerator, key, (found) => found?.status?.entries === 1);
  const recorder = operator.eventRecorder('robot');
  for (let round = 0; round < events; round += 1) {
    recorder.record(generator, { reason: 'Tested', action: 'Test', note: 'the test has run' });
  }
  const headers = { authorization: `Bearer ${await world.reader.token()}` };
  const scrape = await fetch(`http://${host}:${operator.ports.metrics}/metrics`, { headers });
  expect(scrape.status).toBe(403);
  const declared = operator.declaredAccess();
  await operator.stop();
  await running;
  return { lines, declared };
}

/** Observes the operator in memory. Its roles have the name of the home namespace. */
async function observe(home: string): Promise<ObservedRules> {
  await using environment = await createTestEnvironment({ use: 'memory' });
  await environment.installCrds([configMapGeneratorDefinition]);
  await using admin = createClient({ cluster: environment.admin.cluster });
  await admin.create(builtin.Namespace, { metadata: { name: home } });
  const name = userOf({ namespace: home, name: 'robot' });
  const { cluster } = await environment.addUser({ name, groups: ['system:masters'] });
  const place = { client: admin, cluster: environment.admin.cluster };
  const reader = await ServiceAccount.create(place, home, 'reader');
  const world = { admin, cluster, home, work: 'default', reader };
  const { declared } = await operate(world, { events: 1 });
  return environment.observedRules(name, { ...declared, name: home, ownNamespaces: [home] });
}

/** The credentials of the administrator, who impersonates a user. */
function impersonating(cluster: Cluster, user: string): Cluster {
  return {
    ...cluster,
    async credentials(request) {
      const own = await cluster.credentials?.(request);
      const { token } = cluster;
      const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
      return { ...own, headers: { ...bearer, ...own?.headers, 'impersonate-user': user } };
    },
  };
}

/** Creates the roles and their bindings, and removes them after the tests. */
async function grant(rules: ObservedRules, account: ServiceAccount): Promise<void> {
  const { client } = suite;
  const { clusterRoleBindings, roleBindings } = bindRoles(rules, account.key);
  for (const role of rules.clusterRoles) {
    await client.create(builtin.ClusterRole, role);
    suite.defer(() => client.delete(builtin.ClusterRole, { name: role.metadata?.name ?? '' }));
  }
  for (const role of rules.roles) await client.create(builtin.Role, role);
  for (const binding of clusterRoleBindings) {
    const { metadata } = await client.create(builtin.ClusterRoleBinding, binding);
    suite.defer(() => client.delete(builtin.ClusterRoleBinding, { name: metadata.name }));
  }
  for (const binding of roleBindings) await client.create(builtin.RoleBinding, binding);
}

describe('roles that were observed in memory', () => {
  beforeAll(() => suite.install(configMapGeneratorDefinition));

  test('suffice for the service account on this server, and grant no more', async () => {
    const [home, work] = [await suite.namespace(), await suite.namespace()];
    const rules = await observe(home);
    expect(rules.clusterRoles).toHaveLength(1);
    expect(rules.roles).toMatchObject([{ metadata: { namespace: home } }]);
    const account = await ServiceAccount.create(suite, home, 'robot');
    const reader = await ServiceAccount.create(suite, home, 'reader');
    await grant(rules, account);
    const user = userOf(account.key);
    const { client } = suite;
    const { group } = ConfigMapGenerator;
    const status = { group, resource: 'configmapgenerators', subresource: 'status', verb: 'patch' };
    await untilAllowed(client, user, { resourceAttributes: { ...status, namespace: work } });
    const lease = { group: 'coordination.k8s.io', resource: 'leases', verb: 'update' };
    const leases = { ...lease, name: 'robot' };
    await untilAllowed(client, user, { resourceAttributes: { ...leases, namespace: home } });

    const cluster = impersonating(suite.cluster, user);
    const { lines } = await operate({ admin: client, cluster, home, work, reader }, { events: 2 });
    expect(lines.filter((line) => /forbidden/i.test(line))).toEqual([]);
    const events = await client.list(builtin.EventsV1Event, { namespace: work });
    expect(events.items).toMatchObject([{ reason: 'Tested', series: { count: 2 } }]);
    const refused = [
      { ...leases, namespace: work },
      { ...leases, name: 'other', namespace: home },
      { group: '', resource: 'configmaps', verb: 'delete', namespace: work },
      { group: '', resource: 'secrets', verb: 'get', namespace: home },
    ];
    for (const resourceAttributes of refused) {
      expect(await isAllowed(client, user, { resourceAttributes })).toBe(false);
    }
  });
});
