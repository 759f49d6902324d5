import { describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type RawResponse, RawClient } from '../server/raw-client.test-support.ts';

const core = '/api/v1/namespaces/default';
const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const secret = { apiVersion: 'v1', kind: 'Secret', name: 's' };

async function serverWithRobot(): Promise<ApiServer> {
  const server = await createApiServer({ anonymousAuth: false });
  const admin = administrator(server);
  await admin.post(`${core}/serviceaccounts`, { metadata: { name: 'robot' } });
  return server;
}

function administrator(server: ApiServer): RawClient {
  return new RawClient(server, { authorization: `Bearer ${server.cluster.token}` });
}

function requestToken(server: ApiServer, spec: object): Promise<RawResponse> {
  return administrator(server).post(`${core}/serviceaccounts/robot/token`, { spec });
}

function robot(server: ApiServer, token: string): Promise<RawResponse> {
  return new RawClient(server, { authorization: `Bearer ${token}` }).post(whoami, {});
}

// Messages recorded from kube-apiserver 1.36.3.
describe('TokenRequest', () => {
  test.each([
    ['another name', { metadata: { name: 'other' }, spec: {} }, 422],
    ['another namespace', { metadata: { namespace: 'other' }, spec: {} }, 400],
    ['another uid', { metadata: { uid: 'other' }, spec: {} }, 409],
    ['another kind', { kind: 'Pod', apiVersion: 'v1', spec: {} }, 400],
    ['a spec that is a text', { spec: 'x' }, 400],
  ])('refuses %s', async (_what, body, code) => {
    await using server = await serverWithRobot();
    const path = `${core}/serviceaccounts/robot/token`;
    expect((await administrator(server).post(path, body)).code).toBe(code);
  });

  test('returns the labels of the request and the owner of its fields', async () => {
    await using server = await serverWithRobot();
    const path = `${core}/serviceaccounts/robot/token?fieldManager=m`;
    const sent = { metadata: { name: 'robot', labels: { a: 'b' } } };
    const { body } = await administrator(server).post(path, sent);
    expect(body.metadata).toMatchObject({
      name: 'robot',
      labels: { a: 'b' },
      managedFields: [
        {
          manager: 'm',
          subresource: 'token',
          fieldsV1: {
            'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
            'f:spec': { 'f:expirationSeconds': {} },
          },
        },
      ],
    });
  });

  test.each([
    [599, 'may not specify a duration less than 10 minutes'],
    [5_000_000_000, 'may not specify a duration larger than 2^32 seconds'],
  ])('refuses a lifetime of %i seconds', async (expirationSeconds, why) => {
    await using server = await serverWithRobot();
    const message = `Invalid value: ${expirationSeconds}: ${why}`;
    const field = 'spec.expirationSeconds';
    expect((await requestToken(server, { expirationSeconds })).body).toMatchObject({
      message: `TokenRequest.authentication.k8s.io "" is invalid: ${field}: ${message}`,
      details: {
        group: 'authentication.k8s.io',
        kind: 'TokenRequest',
        causes: [{ reason: 'FieldValueInvalid', message, field }],
      },
      code: 422,
    });
  });

  test.each([
    [{ ...secret, name: 'none' }, 404, 'secrets "none" not found'],
    [
      { ...secret, uid: 'x' },
      409,
      'Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (x) does not match the UID in record. The object might have been deleted and then recreated',
    ],
    [
      { ...secret, kind: 'ConfigMap' },
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
    [
      { ...secret, kind: 'Pod', name: 'p' },
      400,
      'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.',
    ],
  ])('refuses the bound object %j', async (boundObjectRef, code, message) => {
    await using server = await serverWithRobot();
    await administrator(server).post(`${core}/secrets`, { metadata: { name: 's' } });
    const spec = { containers: [{ name: 'c', image: 'i' }], serviceAccountName: 'other' };
    await administrator(server).post(`${core}/pods`, { metadata: { name: 'p' }, spec });
    expect((await requestToken(server, { boundObjectRef })).body).toMatchObject({ code, message });
  });
});

describe('bound token', () => {
  test.each([
    ['Secret', `${core}/secrets`, {}],
    [
      'Pod',
      `${core}/pods`,
      { spec: { containers: [{ name: 'c', image: 'i' }], serviceAccountName: 'robot' } },
    ],
    ['Node', '/api/v1/nodes', {}],
  ])(
    'is invalid after its %s is deleted, even if one of the same name is created',
    async (kind, path, rest) => {
      await using server = await serverWithRobot();
      const admin = administrator(server);
      const object = { metadata: { name: 'b' }, ...rest };
      await admin.post(path, object);
      const boundObjectRef = { apiVersion: 'v1', kind, name: 'b' };
      const { body } = await requestToken(server, { boundObjectRef });
      expect(body.spec.boundObjectRef).toEqual(boundObjectRef);
      expect((await robot(server, body.status.token)).code).toBe(201);
      await admin.delete(`${path}/b?gracePeriodSeconds=0`);
      expect((await robot(server, body.status.token)).code).toBe(401);
      await admin.post(path, object);
      expect((await robot(server, body.status.token)).code).toBe(401);
    },
  );

  test.each([
    ['and an unscheduled pod', undefined],
    ['a pod and its node', 'n'],
    ['a pod and a deleted node', 'gone'],
  ])('identifies its service account, %s', async (_, nodeName) => {
    await using server = await serverWithRobot();
    const admin = administrator(server);
    const spec = { containers: [{ name: 'c', image: 'i' }], serviceAccountName: 'robot', nodeName };
    const node = await admin.post('/api/v1/nodes', { metadata: { name: 'n' } });
    const pod = await admin.post(`${core}/pods`, { metadata: { name: 'p' }, spec });
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'p' };
    const { body } = await requestToken(server, { boundObjectRef });
    expect((await robot(server, body.status.token)).body.status.userInfo).toEqual({
      username: 'system:serviceaccount:default:robot',
      uid: body.metadata.uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: {
        'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)],
        ...(nodeName && { 'authentication.kubernetes.io/node-name': [nodeName] }),
        ...(nodeName === 'n' && {
          'authentication.kubernetes.io/node-uid': [node.body.metadata.uid],
        }),
        'authentication.kubernetes.io/pod-name': ['p'],
        'authentication.kubernetes.io/pod-uid': [pod.body.metadata.uid],
      },
    });
  });
});

describe('ApiServer.issueToken', () => {
  test('issues tokens with a lifetime below the limit of a TokenRequest', async () => {
    let now = Date.UTC(2030, 0, 1);
    await using server = await createApiServer({ now: () => now, anonymousAuth: false });
    await administrator(server).post(`${core}/serviceaccounts`, { metadata: { name: 'robot' } });
    const token = server.issueToken({ namespace: 'default', name: 'robot', expiresIn: '2s' });
    now += 1999;
    expect((await robot(server, token)).code).toBe(201);
    now += 1;
    expect((await robot(server, token)).code).toBe(401);
  });

  test('throws 404 for an unknown account', async () => {
    await using server = await createApiServer();
    const order = { namespace: 'default', name: 'nobody', expiresIn: '2s' } as const;
    expect(() => server.issueToken(order)).toThrow('serviceaccounts "nobody" not found');
  });
});
