import { once } from 'node:events';
import { request, type IncomingHttpHeaders } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';

const secrets = '/api/v1/namespaces/default/secrets';
const secret = JSON.stringify({ metadata: { name: 'planted' }, stringData: { a: 'b' } });

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

interface Received {
  readonly code: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request with exactly these headers, as an HTTP library would not. */
async function send(port: number, { headers, body, ...given }: Sent): Promise<Received> {
  const length = body !== undefined && { 'content-length': String(body.length) };
  const sent = request({
    port,
    host: '127.0.0.1',
    path: '/api',
    agent: false,
    headers: { ...headers, ...length },
    ...given,
  });
  sent.end(body);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { code: response.statusCode, headers: response.headers, text };
}

const code = async (port: number, sent: Sent): Promise<number | undefined> =>
  (await send(port, sent)).code;

describe('the Host of a request', () => {
  let server: ApiServer;

  beforeAll(async () => {
    server = await createApiServer({ tokens: new Map([['t', { name: 'u', groups: [] }]]) });
  });

  afterAll(() => server.close());

  test.each(['localhost', 'LOCALHOST:1', 'localhost.', '127.0.0.1', '127.1.2.3:80', '[::1]:8080'])(
    'may be %s',
    async (host) => {
      expect(await code(server.port, { headers: { host } })).toBe(200);
    },
  );

  test.each([
    'evil.example',
    'evil.example:6443',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '[2001:db8::1]',
    'localhost, evil.example',
    'user@localhost',
    'kubernetes',
  ])('may not be %s, also with the token of a user', async (host) => {
    const headers = { host, authorization: 'Bearer t' };
    const { code: status, text } = await send(server.port, { headers });
    expect([status, JSON.parse(text)]).toEqual([
      403,
      expect.objectContaining({
        kind: 'Status',
        reason: 'Forbidden',
        message: 'the Host of the request is not a host of this server',
      }),
    ]);
  });

  test('is one header: several get 400', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /version HTTP/1.1\r\nHost: localhost\r\nHOST: evil.example\r\n\r\n');
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(String(response)).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
  });

  test('may be absent over HTTP/1.0, which no browser sends', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.setEncoding('utf8').write('GET /healthz HTTP/1.0\r\n\r\n');
    const [received] = await once(socket, 'data');
    expect(received).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test('counts for every path and changes nothing', async () => {
    const before = server.resourceVersion;
    const headers = { host: 'evil.example', 'content-type': 'application/json' };
    const write = { method: 'POST', path: secrets, body: secret, headers };
    expect(await code(server.port, write)).toBe(403);
    for (const path of ['/healthz', '/version', '/openapi/v2', '/nothing', `${secrets}?watch=true`])
      expect(await code(server.port, { path, headers })).toBe(403);
    expect(server.resourceVersion).toBe(before);
  });

  test('may be a name of the option allowedHosts', async () => {
    await using named = await createApiServer({ allowedHosts: ['Cluster.test'] });
    expect(await code(named.port, { headers: { host: 'cluster.TEST:6443' } })).toBe(200);
    expect(await code(named.port, { headers: { host: 'a.cluster.test' } })).toBe(403);
  });

  test.each([[['']], [['a:80']], ['cluster.test'], [[7]]])('allowedHosts refuses %j', (given) =>
    expect(createApiServer({ allowedHosts: given as never })).rejects.toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining('createApiServer.allowedHosts'),
      }),
    ),
  );

  test('may be any address, but no other name, if the server listens beyond loopback', async () => {
    await using open = await createApiServer({ host: '0.0.0.0' });
    const { token } = open.cluster;
    const authorization = `Bearer ${token}`;
    for (const host of ['10.0.0.1:6443', '[2001:db8::1]', 'localhost', '0.0.0.0'])
      expect(await code(open.port, { headers: { host, authorization } })).toBe(200);
    for (const host of ['evil.example', '10.0.0.1.evil.example'])
      expect(await code(open.port, { headers: { host, authorization } })).toBe(403);
  });

  test('is the authority over HTTP/2', async () => {
    await using secure = await createApiServer({ tls: true });
    const session = connectHttp2(secure.url, { ca: secure.cluster.tls?.ca ?? '' });
    const status = async (headers: Record<string, string>): Promise<unknown> => {
      const stream = session.request({ ':path': '/api', ...headers });
      const [received] = await once(stream.resume(), 'response');
      return received[':status'];
    };
    expect(await status({})).toBe(200);
    expect(await status({ ':authority': 'evil.example' })).toBe(403);
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ origin: secure.url })).toBe(200);
    expect(await status({ origin: secure.url.replace('https', 'http') })).toBe(403);
    session.close();
  });
});

describe('the Origin of a request', () => {
  let server: ApiServer;

  beforeAll(async () => {
    server = await createApiServer();
  });

  afterAll(() => server.close());

  test.each([
    'https://evil.example',
    'null',
    'http://localhost:1',
    'http://127.0.0.1',
    'file://',
    'chrome-extension://abc',
    '',
  ])('may not be another site: "%s"', async (origin) => {
    const before = server.resourceVersion;
    for (const type of ['application/json', 'text/plain', undefined]) {
      const headers = { origin, ...(type && { 'content-type': type }) };
      const sent = { method: 'POST', path: secrets, body: secret, headers };
      expect(await code(server.port, sent)).toBe(403);
    }
    expect(await code(server.port, { headers: { origin } })).toBe(403);
    const preflight = { origin, 'access-control-request-method': 'DELETE' };
    const { headers } = await send(server.port, { method: 'OPTIONS', headers: preflight });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    expect(server.resourceVersion).toBe(before);
  });

  test('may be the server itself', async () => {
    expect(await code(server.port, { headers: { origin: server.url } })).toBe(200);
  });

  test.each([
    ['cross-site', 403],
    ['same-site', 403],
    ['same-origin', 200],
    ['none', 200],
  ])('with Sec-Fetch-Site %s gets %i', async (site, expected) => {
    expect(await code(server.port, { headers: { 'sec-fetch-site': site } })).toBe(expected);
  });
});

describe('the Content-Type of a request', () => {
  let server: ApiServer;

  beforeAll(async () => {
    server = await createApiServer();
  });

  afterAll(() => server.close());

  const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

  test.each([
    ['POST', secrets, secret],
    ['PATCH', `${secrets}/planted`, '{}'],
    ['DELETE', `${secrets}/planted`, '{}'],
    ['DELETE', secrets, '{}'],
    ['POST', '/api/v1/namespaces/default/pods/p/eviction', '{}'],
    ['POST', '/api/v1/namespaces/default/pods/p/binding', '{}'],
    ['POST', '/api/v1/namespaces/default/serviceaccounts/s/token', '{}'],
    ['POST', review, '{}'],
  ])('is required for the body of %s %s', async (method, path, body) => {
    const before = server.resourceVersion;
    for (const headers of [{}, { 'content-type': '' }, { 'content-type': ';' }]) {
      expect(await code(server.port, { method, path, body, headers })).toBe(415);
    }
    expect(server.resourceVersion).toBe(before);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a'])(
    'may not be %s, which a form of another site sends',
    async (type) => {
      const headers = { 'content-type': type };
      const sent = { method: 'POST', path: secrets, body: secret, headers };
      expect(await code(server.port, sent)).toBe(415);
    },
  );

  test('is JSON if a PUT has none, as from client-go for a scale', async () => {
    const path = `${secrets}/planted`;
    const body = JSON.stringify({ metadata: { name: 'planted' } });
    expect(await code(server.port, { method: 'PUT', path, body })).toBe(404);
    const origin = { origin: 'https://site.example' };
    expect(await code(server.port, { method: 'PUT', path, body, headers: origin })).toBe(403);
  });

  test('is JSON if a request with credentials has none and the server accepts that, as for raw bytes of client-go', async () => {
    await using accepting = await createApiServer({ acceptsUntypedBodies: true });
    const { port, cluster } = accepting;
    const { token } = cluster;
    const sent = { method: 'POST', path: secrets, body: secret };
    const headers = { authorization: `Bearer ${token}` };
    expect(await code(port, { ...sent, headers })).toBe(201);
    expect(await code(port, sent)).toBe(415);
    expect(
      await code(server.port, {
        ...sent,
        headers: { authorization: `Bearer ${server.cluster.token}` },
      }),
    ).toBe(415);
    const foreign = { ...headers, origin: 'https://site.example' };
    expect(await code(port, { ...sent, headers: foreign })).toBe(403);
  });

  test('is not required without a body', async () => {
    const path = `${secrets}/nothing`;
    expect(await code(server.port, { method: 'DELETE', path })).toBe(404);
  });
});
