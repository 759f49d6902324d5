import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../../server/api-server.ts';
import { type Json, RawClient } from '../../server/raw-client.test-support.ts';

const reviews = '/apis/authorization.k8s.io/v1';
const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';

describe('invalid reviews', () => {
  let server: ApiServer;
  let client: RawClient;

  beforeAll(async () => {
    server = await createApiServer({ authorizationMode: 'RBAC' });
    client = new RawClient(server, { authorization: `Bearer ${server.cluster.token}` });
  });

  afterAll(() => server.close());

  test('a resource together with a path is refused', async () => {
    const spec = { resourceAttributes: { verb: 'get' }, nonResourceAttributes: { verb: 'get' } };
    const { code, body } = await client.post(`${reviews}/selfsubjectaccessreviews`, { spec });
    expect([code, body.details.causes[0].field]).toEqual([422, 'spec.nonResourceAttributes']);
  });

  test('another namespace than that of the URL is refused', async () => {
    const resourceAttributes = { namespace: 'other', verb: 'get', resource: 'pods' };
    const path = `${reviews}/namespaces/default/localsubjectaccessreviews`;
    const { code, body } = await client.post(path, { spec: { user: 'vera', resourceAttributes } });
    expect([code, body.details.causes[0].field]).toEqual([
      422,
      'spec.resourceAttributes.namespace',
    ]);
  });

  test('a local review takes its namespace from the URL', async () => {
    const path = `${reviews}/namespaces/default/localsubjectaccessreviews`;
    const review = (attributes: object) =>
      client.post(path, { spec: { user: 'vera', resourceAttributes: attributes } });
    expect((await review({ verb: 'get', namespace: 'default' })).code).toBe(201);
    expect((await review({ verb: 'get' })).code).toBe(422);
    const elsewhere = { metadata: { namespace: 'other' }, spec: { user: 'vera' } };
    expect((await client.post(path, elsewhere)).code).toBe(400);
  });

  test('all causes of a local review with a path are reported', async () => {
    const path = `${reviews}/namespaces/default/localsubjectaccessreviews`;
    const nonResourceAttributes = { path: '/x', verb: 'get' };
    const { body } = await client.post(path, { spec: { nonResourceAttributes } });
    expect(body.details.causes).toMatchObject([
      { field: 'spec.user' },
      { message: 'Invalid value: {"Path":"/x","Verb":"get"}: disallowed on this kind of request' },
    ]);
  });

  test('a TokenReview keeps the members of a status that it does not set', async () => {
    const { body } = await client.post('/apis/authentication.k8s.io/v1/tokenreviews', {
      spec: { token: 'none' },
      status: { authenticated: true, error: 'x', user: { username: 'root' }, audiences: ['a'] },
    });
    expect(body.status).toEqual({
      error: 'invalid bearer token',
      user: { username: 'root' },
      audiences: ['a'],
    });
  });

  test('a SelfSubjectRulesReview without a namespace is refused', async () => {
    const { code, body } = await client.post(`${reviews}/selfsubjectrulesreviews`, { spec: {} });
    expect([code, body.message]).toEqual([400, 'no namespace on request']);
  });

  test.each<[string, object, string]>([
    ['no groups', { resources: ['pods'], verbs: ['get'] }, 'rules[0].apiGroups'],
    ['no resources', { apiGroups: [''], verbs: ['get'] }, 'rules[0].resources'],
    ['no verbs', { apiGroups: [''], resources: ['pods'] }, 'rules[0].verbs'],
    ['paths', { nonResourceURLs: ['/x'], verbs: ['get'] }, 'rules[0].nonResourceURLs'],
  ])('a role with %s is refused', async (_, rule, field) => {
    const role = { metadata: { name: 'r' }, rules: [rule] };
    const { code, body } = await client.post(`${rbac}/roles`, role);
    expect([code, body.details.causes[0].field]).toEqual([422, field]);
  });

  test.each<[object, object[], string]>([
    [{ apiGroup: 'x', kind: 'Role', name: 'r' }, [], 'roleRef.apiGroup'],
    [{ kind: 'Rule', name: 'r' }, [], 'roleRef.kind'],
    [{ kind: 'Role', name: 'r' }, [{ kind: 'Robot', name: 'x' }], 'subjects[0].kind'],
    [
      { kind: 'Role', name: 'r' },
      [{ kind: 'User', name: 'x', apiGroup: 'x' }],
      'subjects[0].apiGroup',
    ],
  ])('a binding with %j and %j is refused', async (roleRef, subjects, field) => {
    const { code, body } = await client.post(`${rbac}/rolebindings`, {
      metadata: { name: 'b' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...roleRef },
      subjects,
    });
    expect([code, body.details.causes[0].field]).toEqual([422, field]);
  });
});

describe('SelfSubjectRulesReview', () => {
  let server: ApiServer;
  let admin: RawClient;

  beforeAll(async () => {
    server = await createApiServer({ authorizationMode: 'RBAC' });
    admin = new RawClient(server, { authorization: `Bearer ${server.cluster.token}` });
  });

  afterAll(() => server.close());

  const path = `${reviews}/selfsubjectrulesreviews`;
  const review = { metadata: { labels: { a: 'b' } }, spec: { namespace: 'default' } };

  test('returns no metadata and no spec of the request, and each rule of an administrator once', async () => {
    const { body } = await admin.post(path, review);
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    expect([body.metadata, body.spec]).toEqual([{}, {}]);
    expect(body.status.resourceRules.filter((rule: Json) => rule.verbs[0] === '*')).toEqual([
      everything,
    ]);
    expect(body.status).not.toHaveProperty('evaluationError');
  });

  test('names the role that a binding refers to and that does not exist', async () => {
    const { token } = server.addUser({ name: 'vera', groups: [] });
    await admin.post(`${rbac}/rolebindings`, {
      metadata: { name: 'missing' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'missing' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'vera' }],
    });
    const vera = new RawClient(server, { authorization: `Bearer ${token}` });
    expect((await vera.post(path, review)).body.status).toMatchObject({
      incomplete: false,
      evaluationError: 'role.rbac.authorization.k8s.io "missing" not found',
    });
  });
});
