import assert from 'node:assert/strict';
import { get, request } from 'node:https';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { createTestEnvironment, until, type TestEnvironment } from '@keelson/envtest';
import { builtin, createClient, createLogger, isConditionTrue } from '@keelson/manager';
import type { Client, Manager } from '@keelson/manager';
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
  const { cluster } = await environment.addUser({ name: user, groups: ['system:masters'] });
  operator = createOperator({
    cluster,
    leaderElection: { lease: 'website-operator', namespace: account.namespace },
    servers: {
      metrics: { port: 0, tls: 'self-signed', authentication: true },
      webhook: { port: 0, tls: 'self-signed', shutdownDelay: 0 },
    },
    logger: createLogger({ level: 'silent' }),
    stopSignals: [],
  });
  operator.addWebhook(validation);
  running = operator.start();
  await Promise.race([operator.started, running]);
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

/** Sends a review of an object as the API server does. */
async function review(message: string): Promise<{ allowed: boolean; status?: { code: number } }> {
  const { group, version, kind, plural } = Website;
  const body = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u',
      kind: { group, version, kind },
      resource: { group, version, resource: plural },
      operation: 'CREATE',
      userInfo: { username: 'tester' },
      object: { metadata: { namespace: 'default', name: 'a' }, spec: { message } },
    },
  };
  const url = `https://127.0.0.1:${operator.ports.webhook}/validate/website`;
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', headers, rejectUnauthorized: false }, (response) => {
      const reviewed = json(response) as Promise<{ response: Awaited<ReturnType<typeof review>> }>;
      reviewed.then((result) => resolve(result.response), reject);
    })
      .on('error', reject)
      .end(JSON.stringify(body));
  });
}

test('the webhook accepts a message', async () => {
  assert.equal((await review('hello')).allowed, true);
});

test('the webhook refuses a message that begins with a space', async () => {
  const { allowed, status } = await review(' hello');
  assert.deepEqual([allowed, status?.code], [false, 422]);
});

// The last test: the roles cover the requests of all others. `npm run rbac` writes them.
test('config/role.yaml grants what the operator needs, and no more', async () => {
  await environment.checkRoles(user, 'config/role.yaml', operator.declaredAccess());
});
