import { describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../../server/api-server.ts';
import { type Json, RawClient } from '../../server/raw-client.test-support.ts';
import { AccessRecord } from './access-record.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Runs requests as a user, who is a master unless RBAC grants no permission. */
async function withUser(
  run: (vera: RawClient, server: ApiServer) => Promise<unknown>,
  groups: readonly string[] = ['system:masters'],
): Promise<string[]> {
  await using server = await createApiServer({ authorizationMode: 'RBAC' });
  const { token } = server.addUser({ name: 'vera', groups });
  await run(new RawClient(server, { authorization: `Bearer ${token}` }), server);
  return printed(server, 'vera');
}

/** Each access as `VERB RESOURCE.GROUP/SUBRESOURCE in NAMESPACE of NAMES (CAUSE)`. */
function printed(server: ApiServer, user: string): string[] {
  const { accesses = [] } = server.observedAccesses(user) ?? {};
  return accesses.map((access) => {
    const { kind, verb, isRefused, cause } = access;
    const notes = [...(cause === 'request' ? [] : [cause]), ...(isRefused ? ['refused'] : [])];
    const note = notes.length > 0 ? ` (${notes.join(', ')})` : '';
    if (kind === 'path') return `${verb} ${access.path}${note}`;
    const { group, resource, subresource, namespace, names, isNamespaced } = access;
    const scope = namespace === '' ? (isNamespaced ? 'everywhere' : 'cluster') : namespace;
    return `${verb} ${[resource, group, subresource].join('/')} ${scope} ${names?.join()}${note}`;
  });
}

describe('the record of accesses', () => {
  test('has each distinct access once, with verb, resource, scope and names', async () => {
    const seen = await withUser(async (vera) => {
      for (const name of ['b', 'a', 'b']) await vera.get(`${maps}/${name}`);
      await vera.get(
        '/api/v1/configmaps?watch=true&resourceVersion=x&fieldSelector=metadata.name=a',
      );
      await vera.get(maps);
      await vera.post('/api/v1/namespaces', { metadata: { name: 'n' } });
      await vera.send('DELETE', maps);
      await vera.get('/apis/apps/v1/namespaces/default/deployments/web/scale');
      await vera.get('/metrics');
      await vera.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: 'x' } });
    });
    expect(seen).toEqual([
      'get configmaps// default a,b',
      'watch configmaps// everywhere a',
      'list configmaps// default ',
      'create namespaces// cluster ',
      'deletecollection configmaps// default ',
      'get deployments/apps/scale default web',
      'get /metrics',
      'create tokenreviews/authentication.k8s.io/ cluster ',
    ]);
  });

  test('has refused requests, those of kinds that are not served, and those that a fault fails', async () => {
    const seen = await withUser(async (vera, server) => {
      await vera.get(maps);
      await vera.get('/apis/example.com/v1/things');
      using _ = server.faults.fail({ code: 500 });
      await vera.get('/api/v1/nodes');
    }, []);
    expect(seen).toEqual([
      'list configmaps// default  (refused)',
      'list things/example.com/ cluster  (refused)',
      'list nodes// cluster ',
    ]);
  });

  test('an access is not refused once it was allowed', () => {
    const record = new AccessRecord(() => undefined);
    const user = { name: 'vera', groups: [] };
    const path = { kind: 'path', user, verb: 'get', path: '/metrics' } as const;
    record.add(path)(false);
    expect(record.of('vera')?.accesses).toMatchObject([{ isRefused: true }]);
    record.add(path)(true);
    record.add(path)(false);
    expect(record.of('vera')?.accesses).toMatchObject([{ isRefused: false }]);
  });

  test('keeps impersonated requests for their user, and the impersonation for its caller', async () => {
    await using server = await createApiServer({ authorizationMode: 'RBAC' });
    const admin = new RawClient(server, {
      authorization: `Bearer ${server.cluster.token}`,
      'impersonate-user': 'system:serviceaccount:ops:robot',
      'impersonate-group': 'g',
    });
    await admin.get(maps);
    expect(printed(server, 'kubernetes-admin')).toEqual([
      'impersonate serviceaccounts// ops robot',
      'impersonate groups// cluster g',
    ]);
    expect(printed(server, 'system:serviceaccount:ops:robot')).toEqual([
      'list configmaps// default  (refused)',
    ]);
  });

  test('an apply that creates needs patch and create, and one that updates only patch', async () => {
    const apply = (vera: RawClient): Promise<Json> =>
      vera.patch(`${maps}/a?fieldManager=m`, 'apply', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
      });
    const seen = await withUser(async (vera, server) => {
      const admin = new RawClient(server, { authorization: `Bearer ${server.cluster.token}` });
      await apply(admin);
      await apply(vera);
    });
    expect(seen).toEqual(['patch configmaps// default a']);
    expect(await withUser(apply)).toEqual([
      'patch configmaps// default a',
      'create configmaps// default a',
    ]);
  });

  test('the writer of a role or a binding needs the rules, unless it has escalate or bind', async () => {
    const role = {
      metadata: { name: 'r' },
      rules: [{ apiGroups: [''], resources: ['pods/log'], verbs: ['get'], resourceNames: ['p'] }],
    };
    const binding = {
      metadata: { name: 'b' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'monitor' },
    };
    const write = async (vera: RawClient, server: ApiServer): Promise<void> => {
      server.seed([
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRole',
          metadata: { name: 'monitor' },
          rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
        } as object,
      ]);
      await vera.post(`${rbac}/namespaces/default/roles`, role);
      await vera.post(`${rbac}/namespaces/default/rolebindings`, binding);
    };
    const group = 'rbac.authorization.k8s.io';
    expect(await withUser(write)).toEqual([
      `create roles/${group}/ default `,
      'get pods//log default p (grant)',
      `create rolebindings/${group}/ default `,
      'get /metrics (grant)',
    ]);
    const seen = await withUser(async (vera, server) => {
      const admin = new RawClient(server, { authorization: `Bearer ${server.cluster.token}` });
      const rules = [{ apiGroups: [group], resources: ['*'], verbs: ['*'] }];
      await admin.post(`${rbac}/clusterroles`, { metadata: { name: 'own' }, rules });
      await admin.post(`${rbac}/clusterrolebindings`, {
        metadata: { name: 'own' },
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'own' },
        subjects: [{ apiGroup: group, kind: 'User', name: 'vera' }],
      });
      await write(vera, server);
    }, []);
    expect(seen.filter((line) => line.endsWith('(grant)'))).toEqual([
      `escalate roles/${group}/ default r (grant)`,
      `bind clusterroles/${group}/ default monitor (grant)`,
    ]);
  });

  test('an invalid role is refused as before', async () => {
    await withUser(async (vera) => {
      const made = await vera.post(`${rbac}/clusterroles`, { metadata: { name: 'r' }, rules: [] });
      expect(made.code).toBe(201);
      const rules = [{ resources: ['pods'] }];
      const { code } = await vera.patch(`${rbac}/clusterroles/r`, 'merge', { rules });
      expect(code).toBe(422);
    });
  });

  test('an object that blocks the deletion of its owner needs its finalizers, once', async () => {
    const seen = await withUser(async (vera) => {
      const { body } = await vera.post('/api/v1/namespaces', { metadata: { name: 'n' } });
      const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'n', uid: body.metadata.uid };
      const ownerReferences = [{ ...owner, blockOwnerDeletion: true }];
      await vera.post(maps, { metadata: { name: 'free', ownerReferences: [owner] } });
      await vera.post(maps, { metadata: { name: 'owned', ownerReferences } });
      await vera.patch(`${maps}/owned`, 'merge', { data: { a: 'b' } });
    });
    expect(seen.filter((line) => line.includes('finalizers'))).toEqual([
      'update namespaces//finalizers cluster n (ownerReference)',
    ]);
  });

  test('stops at its limit, and the user knows that accesses are missing', () => {
    const record = new AccessRecord(() => undefined);
    const add = (name: string, path: string): unknown =>
      record.add({ kind: 'path', user: { name, groups: [] }, verb: 'get', path });
    add('vera', '/first');
    for (let index = 0; index < 10_000; index += 1) add('loud', `/${index}`);
    add('vera', '/first');
    expect(record.of('loud')).toMatchObject({ isComplete: false });
    expect(record.of('loud')?.accesses).toHaveLength(9999);
    expect(record.of('vera')).toMatchObject({ isComplete: true });
    add('vera', '/second');
    expect(record.of('vera')).toMatchObject({ isComplete: false });
    expect(record.of('stranger')).toBeUndefined();
  });
});
