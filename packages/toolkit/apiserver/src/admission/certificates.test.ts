import { describe, expect, test } from '@jest/globals';
import { readFixture } from '../kinds/recorded.test-support.ts';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { causesOf, RawClient, type RawResponse } from '../server/raw-client.test-support.ts';

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const pems = readFixture('certificate-requests.json') as Record<string, string>;

function base64Of(name: string): string {
  return Buffer.from(pems[name] ?? '').toString('base64');
}

function makeRequest(client: RawClient, name: string, spec: object = {}): Promise<RawResponse> {
  return client.post(requests, {
    metadata: { name },
    spec: {
      request: base64Of('ecdsa'),
      signerName: 'example.com/signer',
      usages: ['client auth'],
      ...spec,
    },
  });
}

function clientOf(server: ApiServer, name: string): RawClient {
  const { token } = server.addUser({ name, uid: '7', groups: ['people'], extra: { a: ['b'] } });
  return new RawClient(server, { authorization: `Bearer ${token}` });
}

const approved = { type: 'Approved', status: 'True', reason: 'Tested' };

describe('CertificateSigningRequests', () => {
  test('a request names its sender, and no update changes what it asks for', async () => {
    await using server = await createApiServer();
    const client = clientOf(server, 'jane');
    const { body } = await makeRequest(client, 'a', { username: 'root', groups: ['masters'] });
    const sender = {
      username: 'jane',
      uid: '7',
      groups: ['people', 'system:authenticated'],
      extra: { a: ['b'] },
    };
    expect(body.spec).toMatchObject(sender);
    const changed = await client.patch(`${requests}/a`, 'merge', {
      metadata: { labels: { a: 'b' } },
      spec: { username: 'root', signerName: 'example.com/other' },
      status: { conditions: [approved] },
    });
    expect(changed.body.spec).toMatchObject({ ...sender, signerName: 'example.com/signer' });
    expect([changed.body.status, changed.body.metadata.labels]).toEqual([{}, { a: 'b' }]);
  });

  test('only /approval decides, and only /status stores a certificate', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await makeRequest(client, 'a');
    const conditions = [approved];
    const early = await client.patch(`${requests}/a/status`, 'merge', { status: { conditions } });
    expect(causesOf(early)).toEqual([
      'status.conditions: Forbidden: updates may not add a condition of type "Approved"',
    ]);
    const certificate = base64Of('certificate');
    const status = { conditions, certificate };
    const decided = await client.patch(`${requests}/a/approval`, 'merge', { status });
    expect(decided.body.status).toEqual({
      conditions: [
        {
          ...approved,
          lastUpdateTime: expect.any(String),
          lastTransitionTime: expect.any(String),
        },
      ],
    });
    const signed = await client.patch(`${requests}/a/status`, 'merge', { status: { certificate } });
    expect(signed.body.status).toEqual({ ...decided.body.status, certificate });
    const denied = { type: 'Denied', status: 'True' };
    const both = await client.patch(`${requests}/a/approval`, 'merge', {
      status: { conditions: [approved, denied] },
    });
    expect(causesOf(both)).toEqual([
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ]);
  });

  test('approving and signing need their verbs on the signer', async () => {
    await using server = await createApiServer({ authorizationMode: 'RBAC' });
    const admin = new RawClient(server, { authorization: `Bearer ${server.cluster.token}` });
    const client = clientOf(server, 'jane');
    const writes = {
      apiGroups: ['certificates.k8s.io'],
      resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
      verbs: ['patch'],
    };
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    await admin.post(roles, { metadata: { name: 'r' }, rules: [writes] });
    await admin.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'r' },
      roleRef: { kind: 'ClusterRole', name: 'r' },
      subjects: [{ kind: 'User', name: 'jane' }],
    });
    await makeRequest(admin, 'a');
    const decide = (): Promise<RawResponse> =>
      client.patch(`${requests}/a/approval`, 'merge', { status: { conditions: [approved] } });
    const fail = (): Promise<RawResponse> =>
      client.patch(`${requests}/a/status`, 'merge', {
        status: { certificate: base64Of('certificate') },
      });
    const prefix = 'certificatesigningrequests.certificates.k8s.io "a" is forbidden: user not';
    expect((await decide()).body.message).toBe(
      `${prefix} permitted to approve requests with signerName "example.com/signer"`,
    );
    expect((await fail()).body.message).toBe(
      `${prefix} permitted to sign requests with signerName "example.com/signer"`,
    );
    const signers = (name: string, verbs: string[]): object => ({
      apiGroups: ['certificates.k8s.io'],
      resources: ['signers'],
      resourceNames: [name],
      verbs,
    });
    await admin.patch(`${roles}/r`, 'merge', {
      rules: [
        writes,
        signers('example.com/signer', ['approve']),
        signers('example.com/*', ['sign']),
      ],
    });
    expect([(await decide()).code, (await fail()).code]).toEqual([200, 200]);
    const { accesses = [] } = server.observedAccesses('jane') ?? {};
    expect(accesses).toContainEqual(expect.objectContaining({ resource: 'signers', verb: 'sign' }));
  });

  test('a client certificate of the group system:masters is refused', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const request = base64Of('rsaOfMasters');
    const signerName = 'kubernetes.io/kube-apiserver-client';
    const refused = await makeRequest(client, 'a', { request, signerName });
    expect([refused.code, refused.body.message]).toEqual([
      403,
      `certificatesigningrequests.certificates.k8s.io "a" is forbidden: use of ${signerName} signer with system:masters group is not allowed`,
    ]);
    expect((await makeRequest(client, 'b', { request })).code).toBe(201);
  });

  test('an invalid request is rejected with every cause', async () => {
    await using server = await createApiServer();
    const rejected = await makeRequest(new RawClient(server), 'a', {
      request: 'YQ==',
      usages: ['any', 'any', 'flying'],
      signerName: 'a/b/c',
      expirationSeconds: 5,
    });
    expect(causesOf(rejected).map((cause) => cause.slice(0, 60))).toEqual(
      [
        'spec.request: Invalid value: "YQ==": PEM block type must be ',
        'spec.usages[2]: Unsupported value: "flying": supported value',
        'spec.usages[1]: Duplicate value: "any"',
        'spec.signerName: Invalid value: "a/b/c": must be a fully qual',
        'spec.expirationSeconds: Invalid value: 5: may not specify a d',
      ].map((cause) => cause.slice(0, 60)),
    );
  });
});
