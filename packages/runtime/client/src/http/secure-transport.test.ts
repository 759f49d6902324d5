import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import {
  clientCertificate,
  leafCertificate,
  otherCertificate,
  serverCertificate,
} from '../testing/certificates.test-support.ts';
import type { Cluster, ClusterTls } from '../cluster/cluster.ts';
import { createClient } from '../verbs/create-client.ts';
import { failureOf } from './failure.ts';
import {
  json,
  rejection,
  startServer,
  status,
  type Responder,
} from '../testing/recording-server.test-support.ts';

const node = { name: 'a' };
const ok: Responder = (_request, response) => json(response, { metadata: node });
const trusted: ClusterTls = { ca: serverCertificate.cert };

/** Sends one request to a TLS server with the test certificate and returns the result. */
async function outcome(tls: ClusterTls, host = '127.0.0.1'): Promise<unknown> {
  await using server = await startServer(ok, serverCertificate);
  const cluster = { server: `https://${host}:${server.port}`, tls };
  await using client = createClient({ cluster, retry: { base: 0 } });
  const got = await client.get(builtin.Node, node).catch((error: unknown) => error);
  return server.requests.length > 1 ? new Error('retried') : got;
}

describe('TLS', () => {
  test('trusts a server whose authority is given, in any form of PEM', async () => {
    const bytes = new TextEncoder().encode(serverCertificate.cert);
    for (const ca of [serverCertificate.cert, bytes, [otherCertificate.cert, bytes]]) {
      expect(await outcome({ ca })).toEqual({ metadata: node });
    }
  });

  test('trusts a given certificate that is not an authority, as Go does', async () => {
    await using server = await startServer(ok, leafCertificate);
    const cluster = {
      server: `https://127.0.0.1:${server.port}`,
      tls: { ca: leafCertificate.cert },
    };
    await using client = createClient({ cluster });
    expect(await client.get(builtin.Node, node)).toEqual({ metadata: node });
  });

  test('throws CERTIFICATE_NOT_TRUSTED with the server, the reason and the cure', async () => {
    expect(await outcome({})).toMatchObject({
      code: 'CERTIFICATE_NOT_TRUSTED',
      facts: {
        server: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
        reason: 'DEPTH_ZERO_SELF_SIGNED_CERT',
        hint: expect.stringContaining('certificate-authority-data'),
      },
    });
    expect(await outcome({ ca: otherCertificate.cert })).toMatchObject({
      code: 'CERTIFICATE_NOT_TRUSTED',
    });
  });

  test('throws CERTIFICATE_NOT_TRUSTED for a wrong name unless tls-server-name gives it', async () => {
    expect(await outcome(trusted, 'localhost')).toMatchObject({
      code: 'CERTIFICATE_NOT_TRUSTED',
      facts: {
        reason: 'ERR_TLS_CERT_ALTNAME_INVALID',
        hint: expect.stringContaining('tls-server-name'),
      },
    });
    const named = { ...trusted, servername: 'server.example' };
    expect(await outcome(named, 'localhost')).toEqual({ metadata: node });
  });

  test.each<[option: string, tls: ClusterTls]>([
    ['tls.cert', { cert: 'rubbish', key: clientCertificate.key }],
    ['tls.key', { cert: clientCertificate.cert, key: 'rubbish' }],
    ['tls.key', { cert: clientCertificate.cert, key: otherCertificate.key }],
    ['tls.pfx', { pfx: new Uint8Array(8), passphrase: 'x' }],
  ])('throws INVALID_CLUSTER with the name of the invalid material: %s', async (option, tls) => {
    const refused = await outcome({ ...trusted, ...tls });
    expect(refused).toMatchObject({ code: 'INVALID_CLUSTER', facts: { option } });
    expect(refused).toHaveProperty('cause');
  });

  test.each(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'SELF_SIGNED_CERT_IN_CHAIN'])(
    'throws CERTIFICATE_NOT_TRUSTED for %s',
    (code) => {
      const request = { server: 'https://x', method: 'GET', path: '/' };
      expect(failureOf(Object.assign(new Error(code), { code }), request)).toMatchObject({
        code: 'CERTIFICATE_NOT_TRUSTED',
        facts: { server: 'https://x', reason: code },
      });
    },
  );

  test('trusts any certificate only with rejectUnauthorized: false', async () => {
    expect(await outcome({ rejectUnauthorized: false })).toEqual({ metadata: node });
  });

  test('throws SERVER_UNREACHABLE with the step tls for a server without TLS', async () => {
    await using server = await startServer(ok);
    const cluster = { server: `https://127.0.0.1:${server.port}` };
    await using client = createClient({ cluster, retry: false });
    expect(await rejection(client.get(builtin.Node, node))).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      facts: { step: 'tls' },
    });
  });

  test('opens new connections only when the bytes of the certificate change', async () => {
    const peers: unknown[] = [];
    let refuse = false;
    await using server = await startServer(
      ({ socket }, response) => {
        peers.push((socket as TLSSocket).getPeerCertificate().subject.CN);
        if (refuse) status(response, 401, 'Unauthorized');
        else json(response, { metadata: {} });
        refuse = false;
      },
      { ...serverCertificate, requestCert: true, rejectUnauthorized: false },
    );
    let pair = clientCertificate;
    let fetches = 0;
    const cluster: Cluster = {
      server: server.url,
      tls: trusted,
      // Equal bytes in a new Buffer are not a change. The header makes every set of credentials different.
      credentials: async () => ({
        headers: { 'x-fetch': String(fetches++) },
        tls: { cert: Buffer.from(pair.cert), key: pair.key },
      }),
    };
    await using client = createClient({ cluster });
    const getRefusedFirst = async (): Promise<void> => {
      refuse = true;
      await client.get(builtin.Node, node);
    };
    for (let round = 0; round < 5; round++) await getRefusedFirst();
    const accepted = server.accepted();
    await getRefusedFirst();
    expect(fetches).toBe(7);
    expect(server.accepted()).toBe(accepted);
    pair = otherCertificate;
    await getRefusedFirst();
    expect(server.accepted()).toBe(accepted + 1);
    expect(peers.slice(-2)).toEqual(['keelson-test-client', 'keelson-test-other']);
  });
});

test('keeps a watch on its old certificate until the client closes', async () => {
  const responses: ServerResponse[] = [];
  await using server = await startServer(
    ({ url, headers }, response) => {
      if (url.searchParams.has('watch')) {
        response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
        responses.push(response);
      } else if (headers['x-pair'] === 'client') status(response, 401, 'Unauthorized');
      else json(response, { metadata: {} });
    },
    { ...serverCertificate, requestCert: true, rejectUnauthorized: false },
  );
  const pairs = { client: clientCertificate, other: otherCertificate };
  const cluster: Cluster = {
    server: server.url,
    tls: trusted,
    credentials: async ({ force }) => {
      const pair = force ? 'other' : 'client';
      return { headers: { 'x-pair': pair }, tls: pairs[pair] };
    },
  };
  const client = createClient({ cluster });
  const { signal } = new AbortController();
  const source = client.listerWatcher({ resource: builtin.Node });
  const batches = source.watch({ signal })[Symbol.asyncIterator]();
  await batches.next();
  await client.get(builtin.Node, node);
  responses[0]?.write('{"type":"ADDED","object":{"metadata":{"name":"late"}}}\n');
  expect((await batches.next()).value?.frames).toHaveLength(1);
  const next = rejection(batches.next());
  await client.close();
  expect(await next).toMatchObject({ code: 'CLIENT_CLOSED' });
  while (server.sockets.size > 0) await once([...server.sockets][0] as Socket, 'close');
});

/** An HTTP proxy that opens tunnels and records the requested hosts. */
async function startProxy(
  refusal?: number,
): Promise<
  AsyncDisposable & { url: string; asked: string[]; authorizations: (string | undefined)[] }
> {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const open = new Set<Socket>();
  const server: Server = createServer();
  server.on('connection', (socket: Socket) => open.add(socket));
  server.on('connect', (request, socket: Socket, head: Buffer) => {
    asked.push(`${request.method} ${request.url}`);
    authorizations.push(request.headers['proxy-authorization']);
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
      return;
    }
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    open.add(upstream);
    for (const each of [socket, upstream]) each.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    authorizations,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('proxy', () => {
  test('requests and watches use the tunnel of an HTTP proxy, with its password', async () => {
    await using proxy = await startProxy();
    await using server = await startServer(ok, serverCertificate);
    const cluster = { server: server.url, tls: trusted, proxy: `http://eve:hunter2@${proxy.url}` };
    await using client = createClient({ cluster });
    await expect(client.get(builtin.Node, node)).resolves.toEqual({ metadata: node });
    await rejection(client.watch(builtin.Node).next());
    expect(proxy.asked).toEqual(Array(2).fill(`CONNECT 127.0.0.1:${server.port}`));
    expect(proxy.authorizations[0]).toBe(`Basic ${Buffer.from('eve:hunter2').toString('base64')}`);
    expect(server.requests).toHaveLength(2);
  });

  test('a refusal of the proxy throws SERVER_UNREACHABLE with the step proxy and without its password', async () => {
    await using proxy = await startProxy(403);
    await using server = await startServer(ok, serverCertificate);
    const cluster = { server: server.url, tls: trusted, proxy: `http://eve:hunter2@${proxy.url}` };
    await using client = createClient({ cluster, retry: false });
    const error = await rejection(client.get(builtin.Node, node));
    expect(error).toMatchObject({ code: 'SERVER_UNREACHABLE', facts: { step: 'proxy' } });
    expect(`${error.message} ${String(error.stack)} ${String(error.cause)}`).not.toContain(
      'hunter2',
    );
    expect(server.requests).toHaveLength(0);
  });

  test('a missing proxy throws SERVER_UNREACHABLE', async () => {
    const proxy = await startProxy();
    await proxy[Symbol.asyncDispose]();
    const cluster = { server: 'https://127.0.0.1:1', proxy: `http://${proxy.url}` };
    await using client = createClient({ cluster, retry: false });
    expect(await rejection(client.get(builtin.Node, node))).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      facts: { reason: 'ECONNREFUSED' },
    });
  });

  test('requests use a SOCKS5 proxy, also over TLS', async () => {
    await using proxy = await startSocksProxy();
    await using server = await startServer(ok, serverCertificate);
    const cluster = {
      server: `https://localhost:${server.port}`,
      tls: { ...trusted, servername: 'server.example' },
      proxy: `socks5://${proxy.url}`,
    };
    await using client = createClient({ cluster });
    await expect(client.get(builtin.Node, node)).resolves.toEqual({ metadata: node });
    // The proxy resolves the name.
    expect(proxy.asked).toEqual([`localhost:${server.port}`]);
  });
});

describe('a frozen server, which accepts connections and never responds', () => {
  test('an abort and a timeout immediately end a request that is still connecting', async () => {
    const sockets = new Set<Socket>();
    const silent = createTcpServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    await using client = createClient({ cluster: { server: `https://127.0.0.1:${port}` } });
    const stop = new AbortController();
    const accepted = once(silent, 'connection');
    const aborted = client.get(builtin.Node, node, { signal: stop.signal });
    await accepted;
    const late = client.get(builtin.Node, node, { timeout: 10 });
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    await expect(late).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' });
    await client.close();
    const closed = once(silent, 'close');
    for (const socket of sockets) socket.destroy();
    silent.close();
    await closed;
  });
});

/** The part of RFC 1928 that a client without authentication needs. */
async function startSocksProxy(): Promise<AsyncDisposable & { url: string; asked: string[] }> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  const server = createTcpServer(async (socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    await once(socket, 'data');
    socket.write(Buffer.from([5, 0]));
    const [request] = (await once(socket, 'data')) as [Buffer];
    const isName = request[3] === 3;
    const host = isName
      ? request.subarray(5, 5 + (request[4] as number)).toString()
      : [...request.subarray(4, 8)].join('.');
    const port = request.readUInt16BE(request.length - 2);
    asked.push(`${host}:${port}`);
    const upstream = connect(port, host, () => {
      socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => undefined);
    open.add(upstream);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
