import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { issueCertificate } from '@keelson/x509';
import { Http2Client } from '../http/http2-client.test-support.ts';
import { type ApiServer, createApiServer } from '../server/api-server.ts';

interface Pair {
  readonly cert: string;
  readonly key: string;
}

const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const agents: Agent[] = [];
let authority: Pair;

async function issue(attributes: [name: string, value: string][], signer?: Pair): Promise<Pair> {
  const valuesOf = (wanted: string): string[] =>
    attributes.flatMap(([name, value]) => (name === wanted ? [value] : []));
  const now = Date.now();
  return issueCertificate({
    commonName: valuesOf('commonName')[0] ?? '',
    organizations: valuesOf('organizationName'),
    notBefore: now - 1000,
    notAfter: now + 86_400_000,
    ...(signer === undefined ? { use: 'authority' } : { use: 'client', authority: signer }),
  });
}

beforeAll(async () => {
  authority = await issue([['commonName', 'the authority']]);
});

afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy();
});

/** Requests the identity of the caller on a new connection, with or without a certificate. */
async function ask(server: ApiServer, pair?: Pair, token?: string): Promise<[number, unknown]> {
  const agent = new Agent({ ca: server.cluster.tls?.ca, ...pair });
  agents.push(agent);
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const asking = request(`${server.url}${whoami}`, { agent, method: 'POST', headers });
  asking.end('{}');
  const [message] = (await once(asking, 'response')) as [IncomingMessage];
  const { status } = JSON.parse(await text(message)) as { status: { userInfo?: object } };
  return [message.statusCode ?? 0, status.userInfo];
}

// The expectations are recorded from kube-apiserver 1.36.3.
describe('client certificates', () => {
  test('identify the user by CN and the groups by O', async () => {
    await using server = await createApiServer({ tls: true, clientCa: authority.cert });
    const attributes: [string, string][] = [
      ['commonName', 'ada'],
      ['organizationName', 'devs'],
      ['organizationName', 'ops'],
    ];
    const ada = await issue(attributes, authority);
    const groups = ['devs', 'ops', 'system:authenticated'];
    const digest = new X509Certificate(ada.cert).fingerprint256.replaceAll(':', '').toLowerCase();
    const extra = { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${digest}`] };
    expect(await ask(server, ada)).toEqual([201, { username: 'ada', groups, extra }]);
    const bob = await issue([['commonName', 'bob']], authority);
    expect(await ask(server, bob)).toMatchObject([201, { username: 'bob' }]);
  });

  test('identify the user over HTTP/2', async () => {
    await using server = await createApiServer({ tls: true, clientCa: authority.cert });
    const ada = await issue([['commonName', 'ada']], authority);
    await using client = new Http2Client(server, ada);
    const { code, body } = await client.send('POST', whoami, { body: {} });
    expect([code, body.status.userInfo.username]).toEqual([201, 'ada']);
  });

  test('an unknown signer or a missing name is rejected; no certificate means anonymous', async () => {
    await using server = await createApiServer({ tls: true, clientCa: authority.cert });
    const stranger = await issue([['commonName', 'another authority']]);
    expect(await ask(server, await issue([['commonName', 'ada']], stranger))).toEqual([
      401,
      undefined,
    ]);
    const nameless = await issue([['organizationName', 'devs']], authority);
    expect(await ask(server, nameless)).toEqual([401, undefined]);
    expect(await ask(server)).toMatchObject([201, { username: 'system:anonymous' }]);
  });

  test('a rejected certificate does not prevent authentication by token', async () => {
    await using server = await createApiServer({ tls: true, clientCa: authority.cert });
    const stranger = await issue([['commonName', 'another authority']]);
    const seen = await ask(server, stranger, server.cluster.token);
    expect(seen).toMatchObject([201, { username: 'kubernetes-admin' }]);
  });

  test('are ignored without an authority', async () => {
    await using server = await createApiServer({ tls: true });
    const ada = await issue([['commonName', 'ada']], authority);
    expect(await ask(server, ada)).toMatchObject([201, { username: 'system:anonymous' }]);
  });

  test('require TLS', async () => {
    await expect(createApiServer({ clientCa: authority.cert })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringContaining('clientCa'),
    });
  });
});
