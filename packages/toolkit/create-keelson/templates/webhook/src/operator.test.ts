import assert from 'node:assert/strict';
import { get } from 'node:https';
import { after, before, test } from 'node:test';
import { createTestEnvironment, until, type TestEnvironment } from '@keelson/envtest';
import { builtin, createClient, createLogger, isConditionTrue } from '@keelson/manager';
import type { Client, Manager } from '@keelson/manager';
import { selfSignedCertificate } from '@keelson/manager/servers';
import { webhookConfigurations } from '@keelson/manager/webhooks';
import { createOperator } from './operator.ts';
import { validation } from './webhook.ts';
import { Website } from './website.ts';

const account = { namespace: 'website-operator', name: 'website-operator' };
const user = `system:serviceaccount:${account.namespace}:${account.name}`;

let environment: TestEnvironment;
let client: Client;
let operator: Manager;
let running: Promise<void>;

before(async () => {
  environment = await createTestEnvironment({
    use: 'memory',
    controllers: ['garbage-collector'],
  });
  await environment.installCrds(['config/crd']);
  client = createClient({ cluster: environment.admin.cluster });
  await client.create(builtin.Namespace, { metadata: { name: account.namespace } });
  const certificate = await selfSignedCertificate();
  const { cluster } = await environment.addUser({ name: user, groups: ['system:masters'] });
  operator = createOperator({
    cluster,
    leaderElection: { lease: 'website-operator', namespace: account.namespace },
    servers: {
      metrics: { port: 0, tls: 'self-signed', authentication: true },
      webhook: { port: 0, tls: { certificate }, shutdownDelay: 0 },
    },
    logger: createLogger({ level: 'silent' }),
    stopSignals: [],
  });
  operator.addWebhook(validation);
  running = operator.start();
  await Promise.race([operator.started, running]);
  const configurations = webhookConfigurations([validation], {
    name: account.name,
    service: account,
  });
  const url = `https://127.0.0.1:${operator.ports.webhook}`;
  await environment.installWebhooks(configurations, { url, ca: certificate.cert });
});

after(async () => {
  await operator?.stop();
  await running;
  await client?.close();
  await environment?.stop();
});

test('writes a ConfigMap with the message, and the status', async () => {
  const metadata = { namespace: 'default', name: 'greeting' };
  await client.create(Website, { metadata, spec: { message: 'hello' } });
  await until(client, Website, metadata, (object) =>
    isConditionTrue(object?.status?.conditions, 'Ready'),
  );
  assert.deepEqual((await client.get(builtin.ConfigMap, metadata)).data, { message: 'hello' });
});

test('creates a deleted ConfigMap again, and leaves it to the garbage collector at the end', async () => {
  const metadata = { namespace: 'default', name: 'again' };
  await client.create(Website, { metadata, spec: { message: 'hello' } });
  const first = await until(client, builtin.ConfigMap, metadata, (object) => object !== undefined);
  await client.delete(builtin.ConfigMap, metadata);
  await until(
    client,
    builtin.ConfigMap,
    metadata,
    (object) => object !== undefined && object.metadata.uid !== first?.metadata.uid,
  );
  await client.delete(Website, metadata);
  await until(client, builtin.ConfigMap, metadata, (object) => object === undefined);
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

test('the webhook refuses a message that begins with a space', async () => {
  const metadata = { namespace: 'default', name: 'spaced' };
  await assert.rejects(
    client.create(Website, { metadata, spec: { message: ' hello' } }),
    /denied the request: spec.message must not begin or end with a space/,
  );
});

// The last test: the roles cover the requests of all others. `npm run rbac` writes them.
test('config/role.yaml grants what the operator needs, and no more', async () => {
  await environment.checkRoles(user, 'config/role.yaml', operator.declaredAccess());
});
