import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { otherCertificate, serverCertificate } from '../../testing/certificates.test-support.ts';
import { createClient } from '../../verbs/create-client.ts';
import { loadCluster } from '../kubeconfig/kubeconfig.ts';
import { kubeConfigOf } from '../../testing/kubeconfig.test-support.ts';
import {
  json,
  rejection,
  startServer,
  status,
} from '../../testing/recording-server.test-support.ts';

/** An identity provider that grants a new token per request, and records the requests. */
interface Issuer extends AsyncDisposable {
  readonly url: string;
  readonly grants: string[];
  readonly proofs: (string | undefined)[];
  /** Returns a token of a user that expires after `secondsLeft`. */
  readonly token: (subject: string, secondsLeft?: number) => string;
}

async function startIssuer(extra: object = {}, code = 200): Promise<Issuer> {
  const grants: string[] = [];
  const proofs: (string | undefined)[] = [];
  const server = await startServer(({ url, body, headers }, response) => {
    if (url.pathname !== '/token') {
      json(response, { issuer: server.url, token_endpoint: `${server.url}/token` });
      return;
    }
    grants.push(body);
    proofs.push(headers.authorization);
    json(response, { id_token: token(`new-${grants.length}`), expires_in: 300, ...extra }, code);
  }, serverCertificate);
  const token = (sub: string, secondsLeft = 300): string => {
    const claims = { sub, exp: Math.floor(Date.now() / 1000) + secondsLeft };
    return `${[{ alg: 'none' }, claims].map(encoded).join('.')}.`;
  };
  const close = async (): Promise<void> => server[Symbol.asyncDispose]();
  return { url: server.url, grants, proofs, token, [Symbol.asyncDispose]: close };
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}

function subjectOf(authorization: unknown): string {
  const [, claims = ''] = String(authorization).split('.');
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string }).sub;
}

/** Loads a cluster whose user has a token of that provider. */
function load(
  issuer: Issuer,
  settings: object,
  server = 'https://127.0.0.1:6443',
  pluginTimeout?: number,
) {
  const config = {
    'idp-issuer-url': issuer.url,
    'idp-certificate-authority-data': Buffer.from(serverCertificate.cert).toString('base64'),
    'client-id': 'keelson',
    'id-token': issuer.token('old'),
    'refresh-token': 'refresh',
    ...settings,
  };
  const kubeConfig = kubeConfigOf({ 'auth-provider': { name: 'oidc', config } }, { server });
  return loadCluster({ kubeConfig, pluginTimeout });
}

/** Returns the subjects of the tokens of successive fetches. */
async function subjects(issuer: Issuer, settings: object, forces: boolean[]): Promise<string[]> {
  const cluster = await load(issuer, settings);
  const found: string[] = [];
  for (const force of forces) {
    const { headers } = (await cluster.credentials?.({ force })) ?? {};
    found.push(subjectOf(headers?.['authorization']));
  }
  return found;
}

describe('OIDC', () => {
  test('a token is used until it is refused, then refreshed; the refresh token is kept', async () => {
    await using issuer = await startIssuer();
    const found = await subjects(issuer, {}, [false, true, false, true, false]);
    expect(found).toEqual(['old', 'new-1', 'new-1', 'new-2', 'new-2']);
    const grant = 'grant_type=refresh_token&refresh_token=refresh&client_id=keelson';
    expect(issuer.grants).toEqual([grant, grant]);
    expect(issuer.proofs).toEqual([undefined, undefined]);
  });

  test('an expired token is refreshed without a 401, and a new refresh token replaces the old one', async () => {
    await using issuer = await startIssuer({ refresh_token: 'next' });
    const settings = { 'id-token': issuer.token('old', -1), 'client-secret': 'p:w' };
    expect(await subjects(issuer, settings, [false, false, true])).toEqual([
      'new-1',
      'new-1',
      'new-2',
    ]);
    expect(issuer.grants.map((grant) => new URLSearchParams(grant).get('refresh_token'))).toEqual([
      'refresh',
      'next',
    ]);
    expect(issuer.proofs[0]).toBe(`Basic ${Buffer.from('keelson:p%3Aw').toString('base64')}`);
  });

  test('RF45 requests use the new token after a 401', async () => {
    await using issuer = await startIssuer();
    await using server = await startServer(({ headers }, response) => {
      if (subjectOf(headers.authorization) === 'new-1') json(response, { metadata: {} });
      else status(response, 401, 'Unauthorized');
    });
    await using client = createClient({ cluster: await load(issuer, {}, server.url) });
    const gets = Array.from({ length: 5 }, () => client.get(builtin.Node, { name: 'a' }));
    await expect(Promise.all(gets)).resolves.toHaveLength(5);
    expect(issuer.grants).toHaveLength(1);
  });

  test.each([
    ['a provider that refuses', {}, 400, 'HTTP status 400'],
    [
      'an issuer without TLS',
      { 'idp-issuer-url': 'http://10.0.0.1' },
      200,
      'idp-issuer-url is not an https URL',
    ],
    [
      'an issuer that is not a URL',
      { 'idp-issuer-url': 'login' },
      200,
      'idp-issuer-url is not a URL',
    ],
    ['no refresh token', { 'refresh-token': undefined }, 200, 'refresh-token is missing'],
    [
      'a provider that is not trusted',
      { 'idp-certificate-authority-data': Buffer.from(otherCertificate.cert).toString('base64') },
      200,
      'DEPTH_ZERO_SELF_SIGNED_CERT',
    ],
  ])('CREDENTIALS_FAILED for %s', async (_what, settings, code, reason) => {
    await using issuer = await startIssuer({}, code);
    const expired = { 'id-token': issuer.token('old', -1), ...settings };
    const cluster = await load(issuer, expired);
    expect(await rejection(Promise.resolve(cluster.credentials?.({ force: false })))).toMatchObject(
      {
        code: 'CREDENTIALS_FAILED',
        facts: { kind: 'oidc', reason: expect.stringContaining(reason) },
      },
    );
  });

  test('CREDENTIALS_FAILED contains the HTTP status if a gateway responds with a page', async () => {
    await using issuer = await startIssuer();
    await using gateway = await startServer((_request, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html>Bad Gateway</html>');
    }, serverCertificate);
    const settings = { 'id-token': issuer.token('old', -1), 'idp-issuer-url': gateway.url };
    const cluster = await load(issuer, settings);
    expect(await rejection(Promise.resolve(cluster.credentials?.({ force: false })))).toMatchObject(
      { facts: { reason: expect.stringContaining('HTTP status 502') } },
    );
  });

  /**
   * Returns the error for a provider whose document names this token endpoint, and the requests that it
   * received.
   */
  async function failureWith(endpoint: (own: string) => unknown): Promise<unknown[]> {
    await using issuer = await startIssuer();
    await using other = await startServer((_request, response) => json(response, {}));
    const named = endpoint(other.url);
    await using provider = await startServer(
      (_request, response) => json(response, { token_endpoint: named }),
      serverCertificate,
    );
    const secret = { 'client-secret': 'hunter2hunter2', 'id-token': issuer.token('old', -1) };
    const cluster = await load(issuer, { ...secret, 'idp-issuer-url': provider.url });
    const error = await rejection(Promise.resolve(cluster.credentials?.({ force: false })));
    expect(other.requests).toEqual([]);
    expect(provider.requests.map(({ method }) => method)).toEqual(['GET']);
    return [Reflect.get(error, 'code'), Reflect.get(Reflect.get(error, 'facts'), 'reason')];
  }

  test.each([
    [
      'on another host',
      () => 'https://login.example/token',
      'token_endpoint is not on the host of idp-issuer-url',
    ],
    [
      'on another port',
      (own: string) => own.replace('http:', 'https:'),
      'token_endpoint is not on the host of idp-issuer-url',
    ],
    ['without TLS', () => 'http://login.example/token', 'token_endpoint is not an https URL'],
    [
      'without TLS on this machine, where the issuer has TLS',
      (own: string) => own,
      'token_endpoint is not on the host of idp-issuer-url',
    ],
    ['that is missing', () => undefined, 'token_endpoint is not a URL'],
    ['of another scheme', () => 'file:///etc/passwd', 'token_endpoint is not an https URL'],
  ])(
    'sends neither secret nor refresh token to an endpoint %s',
    async (_what, endpoint, reason) => {
      expect(await failureWith(endpoint)).toEqual(['CREDENTIALS_FAILED', reason]);
    },
  );

  test('does not follow a redirect of a provider with its secrets', async () => {
    await using issuer = await startIssuer();
    await using other = await startServer((_request, response) => json(response, {}));
    await using provider = await startServer(({ method }, response) => {
      if (method === 'GET') json(response, { token_endpoint: `${provider.url}/token` });
      else response.writeHead(307, { location: other.url }).end();
    }, serverCertificate);
    const expired = { 'id-token': issuer.token('old', -1), 'idp-issuer-url': provider.url };
    const cluster = await load(issuer, expired);
    expect(await rejection(Promise.resolve(cluster.credentials?.({ force: false })))).toMatchObject(
      { facts: { reason: expect.stringContaining('HTTP status 307') } },
    );
    expect(other.requests).toEqual([]);
  });

  test('accepts http on the loopback interface', async () => {
    await using issuer = await startIssuer();
    await using plain = await startServer(({ method }, response) => {
      if (method === 'GET') json(response, { token_endpoint: `${plain.url}/token` });
      else json(response, { id_token: issuer.token('plain') });
    });
    const settings = { 'idp-issuer-url': plain.url };
    expect(await subjects(issuer, settings, [true])).toEqual(['plain']);
  });

  test('keeps the token if a refresh fails, and ends the refresh at its time limit', async () => {
    await using issuer = await startIssuer();
    await using silent = await startServer(() => undefined, serverCertificate);
    const cluster = await load(issuer, { 'idp-issuer-url': silent.url }, undefined, 200);
    const subject = async (force: boolean): Promise<string> =>
      subjectOf((await cluster.credentials?.({ force }))?.headers?.['authorization']);
    expect(await subject(false)).toBe('old');
    expect(await rejection(subject(true))).toMatchObject({
      code: 'CREDENTIALS_FAILED',
      facts: { reason: 'the identity provider did not respond in time', timeout: 200 },
    });
    expect(await subject(false)).toBe('old');
  });

  test('refuses a response that is endless, not JSON or without a token', async () => {
    const responses = [
      ['x'.repeat(2 * 1024 * 1024), 'the response of the identity provider is too long'],
      ['<html>', 'the response of the identity provider is not a JSON object'],
      ['{}', 'the identity provider gave no id_token'],
      ['{"id_token":"a\\nb"}', 'the identity provider gave no id_token'],
    ] as const;
    for (const [text, reason] of responses) {
      await using issuer = await startIssuer();
      await using provider = await startServer(({ method }, response) => {
        if (method === 'GET') json(response, { token_endpoint: `${provider.url}/token` });
        else response.end(text);
      }, serverCertificate);
      const expired = { 'id-token': issuer.token('old', -1), 'idp-issuer-url': provider.url };
      const cluster = await load(issuer, expired);
      const fetched = Promise.resolve(cluster.credentials?.({ force: false }));
      expect(await rejection(fetched)).toMatchObject({ facts: { reason } });
    }
  });
});
