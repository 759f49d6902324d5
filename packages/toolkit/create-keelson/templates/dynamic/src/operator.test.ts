import assert from 'node:assert/strict';
import { get } from 'node:https';
import { after, before, test } from 'node:test';
import { createTestEnvironment, until, type TestEnvironment } from '@keelson/envtest';
import { builtin, createClient, createLogger, findCondition } from '@keelson/manager';
import type { Client, Manager } from '@keelson/manager';
import { createOperator } from './operator.ts';
import { Website } from './website.ts';

const account = { namespace: 'website-operator', name: 'website-operator' };
const user = `system:serviceaccount:${account.namespace}:${account.name}`;

let environment: TestEnvironment;
let client: Client;
let operator: Manager;
let running: Promise<void>;

before(async () => {
  environment = await createTestEnvironment({ use: 'memory' });
  await environment.installCrds(['config/crd']);
  client = createClient({ cluster: environment.admin.cluster });
  await client.create(builtin.Namespace, { metadata: { name: account.namespace } });
  const { cluster } = await environment.addUser({ name: user, groups: ['system:masters'] });
  operator = createOperator({
    cluster,
    leaderElection: { lease: 'website-operator', namespace: account.namespace },
    servers: { metrics: { port: 0, tls: 'self-signed', authentication: true } },
    logger: createLogger({ level: 'silent' }),
    stopSignals: [],
  });
  running = operator.start();
  await Promise.race([operator.started, running]);
});

after(async () => {
  await operator?.stop();
  await running;
  await client?.close();
  await environment?.stop();
});

const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' };

test('counts the objects of the kind that the spec names, as they come and go', async () => {
  const metadata = { namespace: 'default', name: 'counted' };
  await client.create(Website, { metadata, spec: { source: configMaps } });
  const untilCount = (count: number) =>
    until(client, Website, metadata, (object) => object?.status?.count === count);
  await untilCount(0);
  const name = { namespace: 'default', name: 'one' };
  await client.create(builtin.ConfigMap, { metadata: name });
  await untilCount(1);
  await client.delete(builtin.ConfigMap, name);
  await untilCount(0);
  await client.delete(Website, metadata);
});

test('reports a version that the server does not serve', async () => {
  const metadata = { namespace: 'default', name: 'unknown' };
  const source = { ...configMaps, version: 'v9' };
  await client.create(Website, { metadata, spec: { source } });
  await until(client, Website, metadata, (object) => {
    return findCondition(object?.status?.conditions, 'Ready')?.reason === 'NotWatched';
  });
  await client.delete(Website, metadata);
});

test('serves metrics to users with the permission', async () => {
  const { token } = environment.admin.cluster;
  const options = { rejectUnauthorized: false, headers: { authorization: `Bearer ${token}` } };
  const status = await new Promise((resolve, reject) => {
    const url = `https://127.0.0.1:${operator.ports.metrics}/metrics`;
    get(url, options, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
  assert.equal(status, 200);
});

// The last test: the roles cover the requests of all others. `npm run rbac` writes them.
test('config/role.yaml grants what the operator needs, and no more', async () => {
  await environment.checkRoles(user, 'config/role.yaml', operator.declaredAccess());
});
