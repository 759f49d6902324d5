import { once } from 'node:events';
import { get } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from './server/api-server.ts';
import { type Json, RawClient } from './server/raw-client.test-support.ts';
import { patchAnswer, webhook, WebhookServer } from './webhooks/webhook-server.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

describe('the promises of @keelson/apiserver', () => {
  test('Every request uses a real socket, and close() ends all requests immediately.', async () => {
    const server = await createApiServer();
    const client = new RawClient(server);
    await using watch = await client.watch(`${maps}?watch=1`);
    const broken = expect(watch.next()).rejects.toThrow('terminated');
    await server.close();
    await broken;
    await expect(client.get('/version')).rejects.toThrow('fetch failed');
  });

  test('Every write that changes something gets the next resourceVersion, and no other write gets one.', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body } = await client.post(maps, { metadata: { name: 'a' } });
    expect(body.metadata.resourceVersion).toBe(server.resourceVersion);
    await client.patch(`${maps}/a`, 'merge', {});
    await client.put(`${maps}/a`, body);
    await client.delete(`${maps}/a?dryRun=All`);
    expect(body.metadata.resourceVersion).toBe(server.resourceVersion);
    await client.delete(`${maps}/a`);
    expect(server.resourceVersion).toBe(String(Number(body.metadata.resourceVersion) + 1));
  });

  test('A watch from a resourceVersion sends every later change once and in order, or 410.', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const from = server.resourceVersion;
    const make = (name: string): Json => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default' },
    });
    const names = Array.from({ length: 50 }, (_, at) => `m${at}`);
    server.seed(names.map((name) => make(name)));
    await using watch = await client.watch(`${maps}?watch=1&resourceVersion=${from}`);
    expect(await watch.titles(50)).toEqual(names.map((name) => `ADDED ${name}`));
    server.compact();
    await using late = await client.watch(`${maps}?watch=1&resourceVersion=${from}`);
    expect((await late.next()).object.code).toBe(410);
  });

  test('The pages of a list show one state, regardless of writes between them.', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a' } });
    await client.post(maps, { metadata: { name: 'c' } });
    const first = (await client.get(`${maps}?limit=1`)).body;
    await client.post(maps, { metadata: { name: 'b' } });
    await client.delete(`${maps}/c`);
    const second = (await client.get(`${maps}?limit=1&continue=${first.metadata.continue}`)).body;
    expect(second.items.map(({ metadata }: Json) => metadata.name)).toEqual(['c']);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  test('A custom resource is served as soon as idle() resolves after its definition was created.', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const schema = { openAPIV3Schema: { type: 'object' } };
    await client.post(crds, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'foos.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { plural: 'foos', kind: 'Foo' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    await server.idle();
    expect((await client.get('/apis/example.com/v1/foos')).code).toBe(200);
  });

  test('Deleting a namespace or an owner deletes its content or dependents before idle() resolves.', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post('/api/v1/namespaces', { metadata: { name: 'n' } });
    const inside = '/api/v1/namespaces/n/configmaps';
    const { body: owner } = await client.post(inside, { metadata: { name: 'owner' } });
    const { uid } = owner.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid }];
    await client.post(inside, { metadata: { name: 'owned', ownerReferences } });
    await client.delete(`${inside}/owner`);
    await server.idle();
    expect((await client.get(inside)).body.items).toEqual([]);
    await client.delete('/api/v1/namespaces/n');
    await server.idle();
    expect((await client.get('/api/v1/namespaces/n')).code).toBe(404);
  });

  test('Failed background work is retried, and idle() still resolves.', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    server.seed([ruled('foos', '!has(oldSelf.held) || !oldSelf.held')]);
    await server.idle();
    const head = { apiVersion: 'example.com/v1', kind: 'Foo' };
    server.seed([{ ...head, metadata: { name: 'owner' } }]);
    const path = '/apis/example.com/v1/foos/owner';
    const { uid } = (await client.get(path)).body.metadata;
    const ownerReferences = [{ ...head, name: 'owner', uid }];
    const held: Json = { ...head, held: true, metadata: { name: 'held', ownerReferences } };
    server.seed([held]);
    await client.delete(`${path}?propagationPolicy=Orphan`);
    await server.idle();
    await server.idle();
    expect(server.stats.backgroundFailures()[0]?.attempts).toBeGreaterThan(1);
  });

  test('The CEL rules of a definition apply to every writer as soon as its version is served.', async () => {
    await using server = await createApiServer();
    server.seed([ruled('foos', 'self.metadata.name != "x"')]);
    await server.idle();
    const foo = { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'x' } };
    expect(() => server.seed([foo])).toThrow('failed rule');
  });

  test('A fault affects only requests in its scope, only while it is active, and counts them.', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const fault = server.faults.fail({ resource: builtin.ConfigMap, verb: 'list', code: 500 });
    const codes = [await client.get(maps), await client.get(`${maps}/a`)].map(({ code }) => code);
    fault.end();
    expect([...codes, (await client.get(maps)).code, fault.hits]).toEqual([500, 404, 200, 1]);
  });

  test('Each user has a record of the accesses that its requests needed, with a limit on its memory.', async () => {
    await using server = await createApiServer();
    const authorization = `Bearer ${server.addUser({ name: 'vera', groups: [] }).token}`;
    const vera = new RawClient(server, { authorization });
    for (let index = 0; index < 40; index += 1) await vera.get(`${maps}/map-${index}`);
    await new RawClient(server).get('/api/v1/nodes');
    expect(server.observedAccesses('vera')?.accesses).toEqual([
      {
        kind: 'resource',
        cause: 'request',
        verb: 'get',
        group: '',
        resource: 'configmaps',
        subresource: '',
        namespace: 'default',
        isNamespaced: true,
        names: undefined,
        isRefused: false,
      },
    ]);
    expect(server.observedUsers).toEqual(['vera', 'system:anonymous']);
  });

  test('A request that a web page of another site causes is refused: a foreign Host or Origin, or a body without Content-Type.', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const before = server.resourceVersion;
    const origin = { origin: 'https://site.example' };
    const site = { 'sec-fetch-site': 'cross-site' };
    expect((await client.post(maps, { metadata: { name: 'a' } }, origin)).code).toBe(403);
    expect((await client.get(maps, site)).code).toBe(403);
    const body = new Blob([JSON.stringify({ metadata: { name: 'a' } })]);
    expect((await fetch(server.url + maps, { method: 'POST', body })).status).toBe(415);
    const { port } = server;
    const sent = get({ port, path: maps, headers: { host: `site.example:${port}` }, agent: false });
    const [response] = await once(sent, 'response');
    expect(response.resume().statusCode).toBe(403);
    expect(server.resourceVersion).toBe(before);
  });

  test('Admission webhooks, validating policies and conversion webhooks take part in the requests of clients as on kube-apiserver.', async () => {
    await using hooks = await WebhookServer.start(() =>
      patchAnswer({ op: 'add', path: '/data/size', value: '9' }),
    );
    await using server = await createApiServer();
    const client = new RawClient(server);
    const group = '/apis/admissionregistration.k8s.io/v1';
    const webhooks = [webhook('a', hooks.config())];
    await client.post(`${group}/mutatingwebhookconfigurations`, {
      metadata: { name: 'a' },
      webhooks,
    });
    const rule = {
      apiGroups: [''],
      apiVersions: ['v1'],
      operations: ['*'],
      resources: ['configmaps'],
    };
    const matchConstraints = { resourceRules: [rule] };
    const validations = [{ expression: 'int(object.data.size) < 9', message: 'at most 8' }];
    const spec = { matchConstraints, validations };
    await client.post(`${group}/validatingadmissionpolicies`, { metadata: { name: 'a' }, spec });
    const binding = { policyName: 'a', validationActions: ['Deny'] };
    const path = `${group}/validatingadmissionpolicybindings`;
    await client.post(path, { metadata: { name: 'a' }, spec: binding });
    const { body } = await client.post(maps, { metadata: { name: 'a' }, data: { size: '1' } });
    expect(body.message).toMatch(/'a' with binding 'a' denied request: at most 8$/);
    const crd = ruled('foos', 'true');
    const clientConfig = hooks.config('/convert');
    crd.spec.conversion = {
      strategy: 'Webhook',
      webhook: { clientConfig, conversionReviewVersions: ['v1'] },
    };
    crd.spec.versions.push({ ...crd.spec.versions[0], name: 'v2', storage: false });
    await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    await server.idle();
    hooks.handler = ({ objects, desiredAPIVersion: apiVersion }) => ({
      result: { status: 'Success' },
      convertedObjects: objects.map((each: Json) => ({ ...each, apiVersion, held: true })),
    });
    const foo = { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'a' } };
    await client.post('/apis/example.com/v1/foos', foo);
    expect((await client.get('/apis/example.com/v2/foos/a')).body.held).toBe(true);
  });

  test('A restored server has the objects, the resourceVersions and the watchable changes of the saved one.', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const from = server.resourceVersion;
    await client.post(maps, { metadata: { name: 'a' } });
    await using restored = await createApiServer({ restore: await server.save() });
    const again = new RawClient(restored);
    const exact = `${maps}?resourceVersion=${server.resourceVersion}&resourceVersionMatch=Exact`;
    expect((await again.get(exact)).text).toBe((await client.get(exact)).text);
    await using watch = await again.watch(`${maps}?watch=1&resourceVersion=${from}`);
    await again.post(maps, { metadata: { name: 'b' } });
    expect(await watch.titles(2)).toEqual(['ADDED a', 'ADDED b']);
  });

  test('An invalid snapshot is refused with the number of its line, before the server listens.', async () => {
    await using server = await createApiServer();
    const saved = Buffer.from(await server.save()).toString();
    const restore = Buffer.from(saved.replace('"uid":"', '"uid":1,"x":"'));
    const lines = saved.split('\n');
    const line = lines.findIndex((text) => text.includes('"uid":"')) + 1;
    // A server that listened first would fail with PORT_IN_USE.
    const { port } = server;
    await expect(createApiServer({ restore, port })).rejects.toMatchObject({
      code: 'SNAPSHOT_INVALID',
      facts: { line, reason: 'metadata.uid must be a string' },
    });
  });

  test('A server of an older Kubernetes version serves no kind and keeps no field that the version does not have.', async () => {
    await using server = await createApiServer({ version: '1.34' });
    const client = new RawClient(server);
    const admission = '/apis/admissionregistration.k8s.io/v1';
    expect((await client.get(`${admission}/mutatingadmissionpolicies`)).code).toBe(404);
    const spec = { attachRequired: true, serviceAccountTokenInSecrets: true };
    const drivers = '/apis/storage.k8s.io/v1/csidrivers';
    const { body } = await client.post(drivers, { metadata: { name: 'a' }, spec });
    expect(body.spec.attachRequired).toBe(true);
    expect(body.spec).not.toHaveProperty('serviceAccountTokenInSecrets');
  });

  test('Two servers in one process share no state.', async () => {
    await using one = await createApiServer();
    await using two = await createApiServer();
    await new RawClient(one).post(maps, { metadata: { name: 'a' } });
    one.faults.fail({ code: 500 });
    expect((await new RawClient(two).get(maps)).body.items).toEqual([]);
    expect(two.stats.requests()).toBe(1);
    expect(two.cluster.token).not.toBe(one.cluster.token);
  });
});

/** A definition of cluster-scoped objects with one rule. */
function ruled(plural: string, rule: string): Json {
  const openAPIV3Schema = {
    type: 'object',
    properties: { held: { type: 'boolean' } },
    'x-kubernetes-validations': [{ rule }],
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural, kind: 'Foo' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}
