import { describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const roles = `${rbac}/namespaces/default/roles`;
const bindings = `${rbac}/namespaces/default/rolebindings`;
const maps = '/api/v1/namespaces/default/configmaps';
const head = { apiVersion: 'rbac.authorization.k8s.io/v1' };
const kinds = ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'];

function rule(resource: string, ...verbs: string[]): Json {
  return { apiGroups: [''], resources: [resource], verbs };
}

/** Starts a server with clients for its administrator and for a user with cluster-wide rules. */
async function withUser(...rules: Json[]): Promise<[ApiServer, RawClient, RawClient]> {
  const server = await createApiServer({ authorizationMode: 'RBAC' });
  const clients = [server.cluster, server.addUser({ name: 'vera', groups: ['g'] })].map(
    ({ token }) => new RawClient(server, { authorization: `Bearer ${token}` }),
  );
  const [admin, vera] = clients as [RawClient, RawClient];
  await admin.post(`${rbac}/clusterroles`, { ...head, metadata: { name: 'own' }, rules });
  await admin.post(`${rbac}/clusterrolebindings`, binding('ClusterRole', 'own'));
  return [server, admin, vera];
}

function binding(kind: string, name: string): Json {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name };
  return { metadata: { name: `to-${name}` }, roleRef, subjects: [{ kind: 'User', name: 'vera' }] };
}

function mayWrite(...extra: string[]): Json {
  const verbs = ['create', 'update', 'patch', 'get', ...extra];
  return { apiGroups: ['rbac.authorization.k8s.io'], resources: kinds, verbs };
}

const missingSecrets =
  'user "vera" (groups=["g" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}';

describe('a role', () => {
  test('may grant a subset of the permissions of its writer', async () => {
    const [server, , vera] = await withUser(mayWrite(), rule('configmaps', 'get', 'list'));
    await using _ = server;
    const part = { ...rule('configmaps', 'get'), resourceNames: ['a'] };
    expect((await vera.post(roles, { metadata: { name: 'r' }, rules: [part] })).code).toBe(201);
  });

  test.each([
    ['create', (vera: RawClient, role: Json) => vera.post(roles, role)],
    ['update', (vera: RawClient, role: Json) => vera.put(`${roles}/r`, role)],
    ['patch', (vera: RawClient, { rules }: Json) => vera.patch(`${roles}/r`, 'merge', { rules })],
    [
      'apply',
      (vera: RawClient, role: Json) => {
        const applied = { ...head, kind: 'Role', ...role };
        return vera.patch(`${roles}/r?fieldManager=m&force=true`, 'apply', applied);
      },
    ],
  ])('may not grant more permissions by %s', async (verb, write) => {
    const [server, admin, vera] = await withUser(mayWrite());
    await using _ = server;
    if (verb !== 'create') await admin.post(roles, { metadata: { name: 'r' }, rules: [] });
    const role = { metadata: { name: 'r' }, rules: [rule('secrets', 'get', 'list')] };
    const { body } = await write(vera, role);
    const why = `roles.rbac.authorization.k8s.io "r" is forbidden: ${missingSecrets}`;
    expect([body.code, body.message]).toEqual([403, why]);
    expect((await admin.get(`${roles}/r`)).body.rules ?? []).toEqual([]);
  });

  test('may grant anything if its writer has the verb escalate', async () => {
    const [server, , vera] = await withUser(mayWrite('escalate'));
    await using _ = server;
    const all = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
    expect((await vera.post(roles, { metadata: { name: 'r' }, rules: [all] })).code).toBe(201);
  });

  test('a role with an aggregation rule requires every permission', async () => {
    const [server, , vera] = await withUser(mayWrite());
    await using _ = server;
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const role = { metadata: { name: 'agg' }, aggregationRule };
    const { body } = await vera.post(`${rbac}/clusterroles`, role);
    expect([body.code, body.message]).toEqual([
      403,
      expect.stringMatching(/must have cluster-admin privileges to use the aggregationRule$/),
    ]);
  });

  test('a role with more permissions than its writer accepts changes of owners and finalizers only', async () => {
    const [server, admin, vera] = await withUser(mayWrite());
    await using _ = server;
    await admin.post(roles, { metadata: { name: 'r' }, rules: [rule('secrets', 'get')] });
    const patch = (metadata: object) => vera.patch(`${roles}/r`, 'merge', { metadata });
    expect((await patch({ finalizers: ['x.io/y'] })).code).toBe(200);
    expect((await patch({ labels: { a: 'b' } })).code).toBe(403);
  });
});

describe('a binding', () => {
  test('a binding to a role with more permissions than its writer is rejected', async () => {
    const [server, admin, vera] = await withUser(mayWrite());
    await using _ = server;
    const role = { metadata: { name: 'r' }, rules: [rule('secrets', 'get', 'list')] };
    await admin.post(roles, role);
    await admin.post(`${rbac}/clusterroles`, role);
    for (const [path, kind] of [
      [bindings, 'Role'],
      [bindings, 'ClusterRole'],
      [`${rbac}/clusterrolebindings`, 'ClusterRole'],
    ] as const) {
      const { body } = await vera.post(path, binding(kind, 'r'));
      expect([body.code, body.message]).toEqual([403, expect.stringContaining(missingSecrets)]);
    }
  });

  test('a binding to a role whose permissions its writer holds, or which it may bind, is accepted', async () => {
    const mayBind = { ...mayWrite('bind'), resourceNames: ['r'], verbs: ['bind'] };
    const [server, admin, vera] = await withUser(mayWrite(), mayBind, rule('pods', 'get'));
    await using _ = server;
    await admin.post(roles, { metadata: { name: 'r' }, rules: [rule('secrets', 'get')] });
    await admin.post(roles, { metadata: { name: 'pods' }, rules: [rule('pods', 'get')] });
    expect((await vera.post(bindings, binding('Role', 'r'))).code).toBe(201);
    expect((await vera.post(bindings, binding('Role', 'pods'))).code).toBe(201);
  });

  test('a binding to an unknown role is rejected with 404', async () => {
    const [server, , vera] = await withUser(mayWrite());
    await using _ = server;
    const { body } = await vera.post(bindings, binding('Role', 'absent'));
    expect(body.message).toBe('rolebindings.rbac.authorization.k8s.io "absent" not found');
  });

  test.each(['constructos', 'constructor', '__proto__'])(
    'a binding to a role of the unknown kind %s is rejected with 500',
    async (kind) => {
      const [server, , vera] = await withUser(mayWrite('bind'));
      await using _ = server;
      const { body } = await vera.post(bindings, binding(kind, 'r'));
      const message = `unsupported role reference kind: ${JSON.stringify(kind)}`;
      expect(body).toMatchObject({ code: 500, message });
      const { accesses = [] } = server.observedAccesses('vera') ?? {};
      expect(accesses.filter(({ cause }) => cause === 'grant')).toEqual([]);
    },
  );
});

describe('a write that creates', () => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } };
  const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const rules = [
    rule('configmaps', 'patch'),
    { ...rule('leases', 'update'), apiGroups: ['coordination.k8s.io'] },
  ];

  test('a write that creates by apply requires the permission to create', async () => {
    const [server, admin, vera] = await withUser(...rules);
    await using _ = server;
    const apply = () => vera.patch(`${maps}/new?fieldManager=m`, 'apply', map);
    expect((await apply()).body).toMatchObject({
      code: 403,
      message:
        'configmaps "new" is forbidden: User "vera" cannot create resource "configmaps" in API group "" in the namespace "default"',
    });
    expect((await admin.get(`${maps}/new`)).code).toBe(404);
    await admin.post(maps, map);
    expect((await apply()).code).toBe(200);
  });

  test('a write that creates by PUT requires the permission to create', async () => {
    const [server, admin, vera] = await withUser(...rules);
    await using _ = server;
    const put = (resourceVersion = '') =>
      vera.put(`${leases}/new`, { metadata: { name: 'new', resourceVersion }, spec: {} });
    expect((await put()).body).toMatchObject({
      code: 403,
      message: expect.stringContaining('cannot create resource "leases"'),
    });
    const { body } = await admin.post(leases, { metadata: { name: 'new' } });
    expect((await put(body.metadata.resourceVersion)).code).toBe(200);
  });
});

describe('a rule with resourceNames', () => {
  const named = { ...rule('configmaps', 'get', 'list', 'watch'), resourceNames: ['x'] };

  test('allows lists and watches of only that name', async () => {
    const [server, , vera] = await withUser(named);
    await using _ = server;
    const code = async (query: string) => (await vera.get(`${maps}?${query}`)).code;
    expect(await code('fieldSelector=metadata.name=x')).toBe(200);
    expect(await code('fieldSelector=metadata.namespace=default,metadata.name=x')).toBe(200);
    expect(await code('fieldSelector=metadata.name=x&watch=1&timeoutSeconds=1')).toBe(200);
    expect(await code('fieldSelector=metadata.name!=x')).toBe(403);
    expect(await code('fieldSelector=metadata.name=y')).toBe(403);
    expect(await code('')).toBe(403);
    expect(await code('fieldSelector=metadata.name=x&limit=many')).toBe(403);
  });

  test('does not allow the deletion of a collection', async () => {
    const [server, , vera] = await withUser({ ...named, verbs: ['deletecollection'] });
    await using _ = server;
    const { code } = await vera.delete(`${maps}?fieldSelector=metadata.name=x`);
    expect(code).toBe(403);
  });
});

test('a GET of one object counts as get, even with watch=1', async () => {
  const [server, admin, vera] = await withUser(rule('configmaps', 'get'));
  await using _ = server;
  await admin.post(maps, { metadata: { name: 'x' } });
  const { code, body } = await vera.get(`${maps}/x?watch=1`);
  expect([code, body.kind]).toEqual([200, 'ConfigMap']);
  expect((await vera.get(`${maps}?watch=1`)).code).toBe(403);
});
