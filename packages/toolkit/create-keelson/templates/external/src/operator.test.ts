import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { createTestEnvironment, until, type TestEnvironment } from '@keelson/envtest';
import { builtin, createClient, createLogger, findCondition } from '@keelson/manager';
import { isConditionTrue, type Client, type Manager } from '@keelson/manager';
import { HttpBucketStore } from './bucket-store.ts';
import { createOperator } from './operator.ts';
import { Website } from './website.ts';

const account = { namespace: 'website-operator', name: 'website-operator' };
const user = `system:serviceaccount:${account.namespace}:${account.name}`;

/** The service: its buckets by id. */
const buckets = new Map<string, { readonly region: string }>();
const service = createServer(async (request, response) => {
  const id = /^\/v1\/buckets\/(.+)$/.exec(request.url ?? '')?.[1] ?? '';
  if (request.method === 'DELETE') {
    response.writeHead(buckets.delete(id) ? 204 : 404).end();
    return;
  }
  const bucket = (await json(request)) as { region: string };
  if (bucket.region === 'nowhere') {
    response.writeHead(422).end('unknown region');
    return;
  }
  buckets.set(id, bucket);
  response.end(JSON.stringify({ url: `https://${bucket.region}.example/${id}` }));
});

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
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const { port } = service.address() as AddressInfo;
  operator = createOperator(
    {
      cluster,
      leaderElection: { lease: 'website-operator', namespace: account.namespace },
      servers: { metrics: { port: 0, tls: 'self-signed', authentication: true } },
      logger: createLogger({ level: 'silent' }),
      stopSignals: [],
    },
    new HttpBucketStore(`http://127.0.0.1:${port}/v1`),
  );
  running = operator.start();
  await Promise.race([operator.started, running]);
});

after(async () => {
  await operator?.stop();
  await running;
  await client?.close();
  await environment?.stop();
  service.closeAllConnections();
  service.close();
});

test('creates the bucket, and deletes it with its object', async () => {
  const metadata = { namespace: 'default', name: 'photos' };
  const { metadata: created } = await client.create(Website, {
    metadata,
    spec: { region: 'north' },
  });
  const ready = await until(client, Website, metadata, (object) =>
    isConditionTrue(object?.status?.conditions, 'Ready'),
  );
  assert.equal(ready?.status?.url, `https://north.example/${created.uid}`);
  assert.deepEqual(buckets.get(created.uid), { region: 'north' });
  await client.delete(Website, metadata);
  await until(client, Website, metadata, (object) => object === undefined);
  assert.equal(buckets.has(created.uid), false);
});

test('reports a refused region, and tries again when the spec changes', async () => {
  const metadata = { namespace: 'default', name: 'refused' };
  await client.create(Website, { metadata, spec: { region: 'nowhere' } });
  await until(client, Website, metadata, (object) => {
    return findCondition(object?.status?.conditions, 'Ready')?.reason === 'Refused';
  });
  await client.patch(Website, metadata, { type: 'merge', body: { spec: { region: 'south' } } });
  await until(client, Website, metadata, (object) =>
    isConditionTrue(object?.status?.conditions, 'Ready'),
  );
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
