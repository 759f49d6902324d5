import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';
import { matchesFlow, type FlowSchema } from './flow-schema.ts';

const group = '/apis/flowcontrol.apiserver.k8s.io/v1';
const schemaHeader = 'x-kubernetes-pf-flowschema-uid';
const levelHeader = 'x-kubernetes-pf-prioritylevel-uid';

/** A schema with one rule for all resources. */
function schemaFor(subject: object, rule: object = {}): FlowSchema {
  const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true };
  return {
    spec: {
      priorityLevelConfiguration: { name: 'workload-low' },
      rules: [
        {
          subjects: [subject] as never,
          resourceRules: [{ ...all, namespaces: ['*'], ...rule }],
          nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/metrics/*'] }],
        },
      ],
    },
  };
}

const vera = { kind: 'User', user: { name: 'vera' } };
const request = {
  kind: 'resource',
  user: { name: 'vera', groups: ['devs'] },
  verb: 'get',
  group: 'apps',
  resource: 'deployments',
  subresource: '',
  namespace: 'default',
  name: 'web',
} as const;
const account = { ...request, user: { name: 'system:serviceaccount:ops:bot', groups: [] } };

describe('a flow schema', () => {
  test.each([
    ['its user', vera, {}, request, true],
    ['another user', { kind: 'User', user: { name: 'olga' } }, {}, request, false],
    ['every user', { kind: 'User', user: { name: '*' } }, {}, request, true],
    ['its group', { kind: 'Group', group: { name: 'devs' } }, {}, request, true],
    ['another group', { kind: 'Group', group: { name: 'ops' } }, {}, request, false],
    [
      'a service account',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'ops', name: 'bot' } },
      {},
      account,
      true,
    ],
    [
      'every account of a namespace',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'ops', name: '*' } },
      {},
      account,
      true,
    ],
    [
      'an account of another namespace',
      { kind: 'ServiceAccount', serviceAccount: { namespace: 'op', name: '*' } },
      {},
      account,
      false,
    ],
    ['its verb', vera, { verbs: ['list', 'get'] }, request, true],
    ['another verb', vera, { verbs: ['list'] }, request, false],
    ['its resource', vera, { apiGroups: ['apps'], resources: ['deployments'] }, request, true],
    ['another group of resources', vera, { apiGroups: [''] }, request, false],
    [
      'a subresource of its resource',
      vera,
      { resources: ['deployments'] },
      { ...request, subresource: 'scale' },
      false,
    ],
    [
      'its subresource',
      vera,
      { resources: ['deployments/scale'] },
      { ...request, subresource: 'scale' },
      true,
    ],
    ['its namespace', vera, { namespaces: ['default'] }, request, true],
    ['another namespace', vera, { namespaces: ['ops'] }, request, false],
    ['all namespaces', vera, { namespaces: [] }, { ...request, namespace: '' }, true],
    [
      'all namespaces, without',
      vera,
      { clusterScope: false },
      { ...request, namespace: '' },
      false,
    ],
  ])('holds by %s', (_, subject, rule, wanted, expected) => {
    expect(matchesFlow(schemaFor(subject, rule), wanted)).toBe(expected);
  });

  test.each([
    ['/healthz', 'get', true],
    ['/healthz/etcd', 'get', false],
    ['/metrics/slis', 'get', true],
    ['/metrics/slis', 'post', false],
    ['/version', 'get', false],
  ])('holds the path %s with %s: %s', (path, verb, expected) => {
    const { user } = request;
    expect(matchesFlow(schemaFor(vera), { kind: 'path', user, verb, path })).toBe(expected);
  });
});

describe('the headers of a response', () => {
  let server: ApiServer;
  let client: RawClient;

  beforeAll(async () => {
    server = await createApiServer();
    client = new RawClient(server);
  });

  afterAll(() => server.close());

  async function uidOf(path: string): Promise<string> {
    return (await client.get(`${group}/${path}`)).body.metadata.uid ?? '';
  }

  test('name the flow schema and the priority level of the request, also of a refused one', async () => {
    const { token } = server.cluster;
    const authorization = `Bearer ${token}`;
    const { headers } = await client.get('/version', { authorization });
    expect([headers.get(schemaHeader), headers.get(levelHeader)]).toEqual([
      await uidOf('flowschemas/exempt'),
      await uidOf('prioritylevelconfigurations/exempt'),
    ]);
    const missing = await client.get('/api/v1/namespaces/default/pods/none');
    expect([missing.code, missing.headers.get(schemaHeader)]).toEqual([
      404,
      await uidOf('flowschemas/global-default'),
    ]);
  });

  test('follow a new flow schema with a lower precedence, and its deletion', async () => {
    const { spec } = schemaFor({ kind: 'Group', group: { name: 'system:unauthenticated' } });
    const schema = { metadata: { name: 'mine' }, spec: { ...spec, matchingPrecedence: 5 } };
    const { body, code } = await client.post(`${group}/flowschemas`, schema);
    expect(code).toBe(201);
    const path = '/api/v1/namespaces/default/pods';
    const marked = await client.get(path);
    expect([marked.headers.get(schemaHeader), marked.headers.get(levelHeader)]).toEqual([
      body.metadata.uid,
      await uidOf('prioritylevelconfigurations/workload-low'),
    ]);
    await client.delete(`${group}/flowschemas/mine`);
    expect((await client.get(path)).headers.get(schemaHeader)).toBe(
      await uidOf('flowschemas/global-default'),
    );
  });

  test('name the next flow schema if a level is missing, until it exists', async () => {
    const { spec } = schemaFor({ kind: 'User', user: { name: '*' } });
    const priorityLevelConfiguration = { name: 'absent' };
    const schema = await client.post(`${group}/flowschemas`, {
      metadata: { name: 'dangling' },
      spec: { ...spec, priorityLevelConfiguration, matchingPrecedence: 3 },
    });
    const path = '/api/v1/namespaces/default/pods';
    const before = await client.get(path);
    expect(before.headers.get(schemaHeader)).toBe(await uidOf('flowschemas/global-default'));
    await client.post(`${group}/prioritylevelconfigurations`, {
      metadata: { name: 'absent' },
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
    });
    expect((await client.get(path)).headers.get(schemaHeader)).toBe(schema.body.metadata.uid);
    await client.delete(`${group}/flowschemas/dangling`);
    await client.delete(`${group}/prioritylevelconfigurations/absent`);
  });
});

describe('the condition Dangling of a flow schema', () => {
  test('follows the existence of its priority level', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { spec } = schemaFor(vera);
    await client.post(`${group}/flowschemas`, {
      metadata: { name: 'mine' },
      spec: { ...spec, priorityLevelConfiguration: { name: 'late' } },
    });
    const condition = async (): Promise<object> => {
      await server.idle();
      const { body } = await client.get(`${group}/flowschemas/mine`);
      expect(body.status.conditions).toHaveLength(1);
      // The order of the members in Go.
      const members = ['type', 'status', 'lastTransitionTime', 'reason', 'message'];
      expect(Object.keys(body.status.conditions[0])).toEqual(members);
      return body.status.conditions[0];
    };
    const reference =
      'This FlowSchema references the PriorityLevelConfiguration object named "late"';
    expect(await condition()).toMatchObject({
      type: 'Dangling',
      status: 'True',
      reason: 'NotFound',
      message: `${reference} but there is no such object`,
    });
    await client.post(`${group}/prioritylevelconfigurations`, {
      metadata: { name: 'late' },
      spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
    });
    expect(await condition()).toMatchObject({
      status: 'False',
      reason: 'Found',
      message: `${reference} and it exists`,
    });
    await client.delete(`${group}/prioritylevelconfigurations/late`);
    expect(await condition()).toMatchObject({ status: 'True' });
  });
});
