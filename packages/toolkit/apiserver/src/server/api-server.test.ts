import { Agent, get } from 'node:https';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from './api-server.ts';
import { type Json, RawClient } from './raw-client.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const { ConfigMap } = builtin;

describe('createApiServer', () => {
  test.each<[object, string]>([
    [{ ports: 1 }, 'createApiServer.ports'],
    [{ port: -1 }, 'createApiServer.port'],
    [{ historyLimit: 0 }, 'createApiServer.historyLimit'],
    [{ historyBytes: 0.5 }, 'createApiServer.historyBytes'],
    [{ bookmarkInterval: 'soon' }, 'createApiServer.bookmarkInterval'],
    [{ freshnessTimeout: -1 }, 'createApiServer.freshnessTimeout'],
    [{ authorizationMode: 'ABAC' }, 'createApiServer.authorizationMode'],
  ])('refuses %j', async (options, option) => {
    await expect(createApiServer(options)).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      facts: { option },
    });
  });

  test('rejects with PORT_IN_USE and the port', async () => {
    await using server = await createApiServer();
    const { port } = server;
    await expect(createApiServer({ port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      facts: { port },
    });
  });

  test('rejects with LISTEN_FAILED for a foreign address', async () => {
    await expect(createApiServer({ host: '192.0.2.1' })).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      facts: { host: '192.0.2.1' },
    });
  });

  test('serves HTTPS with a certificate that its kubeconfig trusts', async () => {
    await using server = await createApiServer({ tls: true });
    expect(server.url).toMatch(/^https:/);
    const { tls } = server.cluster;
    const agent = new Agent({ ca: tls?.ca, keepAlive: false });
    const [response] = (await once(get(`${server.url}/healthz`, { agent }), 'response')) as [
      IncomingMessage,
    ];
    expect(response.statusCode).toBe(200);
    response.resume();
    const authority = Buffer.from(tls?.ca ?? '').toString('base64');
    expect(server.kubeconfig()).toContain(`certificate-authority-data: ${authority}`);
  });
});

test('close does not wait for a client with an unfinished TLS handshake', async () => {
  const server = await createApiServer({ tls: true });
  const socket = connect(server.port, '127.0.0.1');
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  await server.close();
  await closed;
});

describe('ApiServer', () => {
  test('authenticates users by their tokens', async () => {
    const users = new Map([['secret', { name: 'vera', groups: ['viewers'] }]]);
    await using server = await createApiServer({ tokens: users, anonymousAuth: false });
    const whoami = async (token: string): Promise<Json> => {
      const client = new RawClient(server, { authorization: `Bearer ${token}` });
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const { code, body } = await client.post(path, {});
      return code === 201 ? body.status.userInfo.username : code;
    };
    expect(await whoami('secret')).toBe('vera');
    expect(await whoami('wrong')).toBe(401);
    expect(await whoami(server.cluster.token)).toBe('kubernetes-admin');
    expect(await whoami(server.addUser({ name: 'late', groups: [] }).token)).toBe('late');
    expect((await new RawClient(server).get('/version')).code).toBe(401);
    expect(server.kubeconfig()).toContain(`token: ${server.cluster.token}`);
  });

  test('authorizes by the stored RBAC objects in RBAC mode', async () => {
    await using server = await createApiServer({ authorizationMode: 'RBAC' });
    const admin = new RawClient(server, { authorization: `Bearer ${server.cluster.token}` });
    const { token } = server.addUser({ name: 'vera', groups: [] });
    const vera = new RawClient(server, { authorization: `Bearer ${token}` });
    expect((await vera.get(maps)).body).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect((await vera.get('/version')).code).toBe(200);
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const bound = await admin.post(`${rbac}/namespaces/default/rolebindings`, {
      metadata: { name: 'vera' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'vera' }],
    });
    expect(bound.code).toBe(201);
    expect((await vera.get(maps)).code).toBe(200);
    expect((await vera.post(maps, { metadata: { name: 'a' } })).code).toBe(403);
    const spec = {
      resourceAttributes: { verb: 'list', resource: 'configmaps', namespace: 'default' },
    };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    expect((await vera.post(path, { spec })).body.status.allowed).toBe(true);
  });

  test('seeds objects without requests, and reads them', async () => {
    await using server = await createApiServer();
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
    };
    server.seed([map]);
    const { body } = await new RawClient(server).get(`${maps}/a`);
    expect(server.object(ConfigMap, { namespace: 'default', name: 'a' })).toEqual(body);
    expect(server.object(ConfigMap, { namespace: 'default', name: 'b' })).toBeUndefined();
    expect(() => server.seed([{ apiVersion: 'v9', kind: 'Foo' }])).toThrow(
      expect.objectContaining({ code: 'RESOURCE_NOT_SERVED' }),
    );
  });

  test('counts requests', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { stats } = server;
    stats.reset();
    await client.get(maps);
    await client.get('/api/v1/configmaps?limit=5');
    await client.post(maps, { metadata: { name: 'a' } });
    await client.patch(`${maps}/a`, 'merge', {});
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    await using watch = await client.watch(`${maps}?${query}`);
    expect(watch.code).toBe(200);
    expect(stats.requests()).toBe(5);
    expect(stats.requests({ verb: ['create', 'patch'] })).toBe(2);
    expect(stats.lists(ConfigMap)).toBe(2);
    expect(stats.requests({ verb: 'list', namespace: 'default' })).toBe(1);
    expect([stats.watches(ConfigMap), stats.watchLists(ConfigMap)]).toEqual([1, 1]);
    expect([stats.openWatches(ConfigMap), stats.openWatches(builtin.Secret)]).toEqual([1, 0]);
    expect(stats.changes(ConfigMap)).toBe(1);
    stats.reset();
    expect([stats.requests(), stats.changes(ConfigMap), stats.openWatches()]).toEqual([0, 0, 1]);
  });

  test('close ends all connections, frees the port and rejects pending barriers', async () => {
    const server = await createApiServer();
    const client = new RawClient(server);
    await using watch = await client.watch(`${maps}?watch=1`);
    using _ = server.faults.hang({ verb: 'list' });
    const list = client.get(maps);
    await server.requested({ verb: 'list' }, 1);
    const barrier = server.watchers(ConfigMap, 5);
    const settled = Promise.allSettled([list, barrier, watch.next()]);
    await server.close();
    await server.close();
    const [listed, waited, watched] = await settled;
    expect([listed?.status, watched?.status]).toEqual(['rejected', 'rejected']);
    expect(waited).toMatchObject({ status: 'rejected', reason: { code: 'SERVER_CLOSED' } });
    await using next = await createApiServer({ port: server.port });
    expect(next.port).toBe(server.port);
  });
});
