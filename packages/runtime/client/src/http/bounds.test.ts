import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '../verbs/create-client.ts';
import { loadClientNode } from '../cluster/kubeconfig/client-node.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import { json, rejection, type Responder } from '../testing/recording-server.test-support.ts';

const { CoreV1Api, CustomObjectsApi } = await loadClientNode();

const name = { namespace: 'a', name: 'b' };
const long = 'x'.repeat(400_000);

/** 2 GB of spaces, which gzip compresses to 2 MB. */
const hugeBody = Buffer.concat(
  Array.from({ length: 2000 }).fill(gzipSync(Buffer.alloc(1_000_000, ' '))) as Buffer[],
);

function respondWithHugeBody(code: number): Responder {
  return (_request, response) => {
    response.writeHead(code, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(hugeBody);
  };
}

async function exhaust(iterable: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of iterable);
}

describe('the size of an error response', () => {
  test('is bounded after decompression', async () => {
    await using setup = await openClient(respondWithHugeBody(500));
    const error = await rejection(setup.client.list(builtin.ConfigMap));
    expect(error).toMatchObject({ statusCode: 500 });
    expect(setup.server.requests).toHaveLength(1);
  });
});

describe('the text of an error', () => {
  const status = { kind: 'Status', code: 422, reason: long, message: long };
  const responders: [string, Responder][] = [
    ['a Status', (_request, response) => json(response, status, 422)],
    ['401', (_request, response) => json(response, status, 401)],
    ['other JSON', (_request, response) => json(response, { message: long }, 500)],
    [
      'plain text',
      (_request, response) => {
        response.writeHead(500, { 'content-type': 'text/plain' }).end(long);
      },
    ],
    [
      'the title of a page',
      (_request, response) => {
        response.writeHead(502, { 'content-type': 'text/html' });
        response.end(`<title>${long}</title>`);
      },
    ],
    [
      'a compressed Status',
      (_request, response) => {
        const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
        response.writeHead(409, headers).end(gzipSync(JSON.stringify(status)));
      },
    ],
  ];
  test.each(responders)('the text of %s is bounded', async (_what, respond) => {
    await using setup = await openClient(respond);
    const error = await rejection(setup.client.get(builtin.ConfigMap, name));
    expect(error.message.length).toBeLessThan(5000);
    expect(inspect(error, { depth: 9 }).length).toBeLessThan(50_000);
    const api = await setup.client.apiClient(CoreV1Api);
    const typed = await rejection(api.readNamespacedConfigMap(name));
    expect(typed.message.length).toBeLessThan(15_000);
  });

  test('the text of an ERROR event is bounded', async () => {
    await using setup = await openClient((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
    });
    const error = await rejection(setup.client.watch(builtin.ConfigMap).next());
    expect(error).toMatchObject({ statusCode: 422 });
    expect(error.message.length).toBeLessThan(5000);
  });

  test('the text of an ERROR event after other events is bounded and a text', async () => {
    const sent = [status, { ...status, message: { toString: 1 }, reason: [long] }];
    await using setup = await openClient((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const object = { kind: 'ConfigMap', metadata: name };
      const errors = sent.map((error) => ({ type: 'ERROR', object: error }));
      const events = [{ type: 'ADDED', object }, ...errors];
      response.end(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    });
    const { signal } = new AbortController();
    const received: unknown[] = [];
    const lister = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    for await (const { frames } of lister.watch({ signal })) {
      const errors = frames.filter(({ type }) => type === 'ERROR');
      received.push(...errors.map(({ object }) => object));
    }
    expect(received).toHaveLength(2);
    expect(inspect(received[0]).length).toBeLessThan(5000);
    expect(received[1]).toEqual({ kind: 'Status', code: 422 });
  });

  test.each([long, { long }])('the kind in an UNEXPECTED_RESPONSE is bounded', async (kind) => {
    await using setup = await openClient((_request, response) => {
      json(response, { kind, metadata: {}, items: [] });
    });
    const lister = setup.client.listerWatcher({ resource: builtin.ConfigMap });
    const { signal } = new AbortController();
    const errors = [
      await rejection(setup.client.list(builtin.ConfigMap)),
      await rejection(exhaust(lister.list({ signal }))),
    ];
    for (const error of errors) expect(inspect(error, { depth: 9 }).length).toBeLessThan(50_000);
  });

  test('is cut without splitting a character', async () => {
    await using setup = await openClient((_request, response) => {
      json(response, { kind: 'Status', message: `x${'😀'.repeat(5000)}` }, 422);
    });
    const { message } = await rejection(setup.client.get(builtin.ConfigMap, name));
    expect(message.isWellFormed()).toBe(true);
    expect(message).toContain('…');
  });
});

describe('a name in a path of apiClient', () => {
  const wrong = ['..', '.', '', '../../secrets/x', 'a/b', 'a%2fb', '%2e%2e', '\n', 'x'.repeat(300)];

  test.each(wrong)('%j is refused before a request is sent', async (bad) => {
    await using setup = await openClient((_request, response) => json(response, { metadata: {} }));
    const core = await setup.client.apiClient(CoreV1Api);
    const custom = await setup.client.apiClient(CustomObjectsApi);
    const widget = {
      group: 'x.example',
      version: 'v1',
      namespace: 'a',
      plural: 'widgets',
      name: 'b',
    };
    const calls = [
      core.deleteNamespacedPod({ namespace: 'a', name: bad }),
      core.deleteNamespacedPod({ namespace: bad, name: 'b' }),
      core.deleteNamespacedPod({ namespace: 'proxy', name: bad }),
      core.readNamespacedPod({ namespace: 'a', name: bad }),
      core.deleteNamespace({ name: bad }),
      core.readNamespacedPodLog({ namespace: 'a', name: bad }),
      custom.deleteNamespacedCustomObject({ ...widget, name: bad }),
      custom.deleteNamespacedCustomObject({ ...widget, plural: bad }),
      custom.deleteNamespacedCustomObject({ ...widget, group: bad }),
    ];
    for (const call of calls) {
      expect(await rejection(call)).toMatchObject({ code: 'INVALID_NAME' });
    }
    expect(setup.server.requests).toHaveLength(0);
  });

  test('is sent if it is valid, and a proxied path keeps its slashes', async () => {
    await using setup = await openClient((_request, response) => json(response, { metadata: {} }));
    const core = await setup.client.apiClient(CoreV1Api);
    await core.getAPIResources();
    await core.deleteNamespacedPod({ namespace: 'a', name: 'proxy' });
    const proxied = { namespace: 'a', name: 'b' };
    await core.connectGetNamespacedPodProxyWithPath({ ...proxied, path: 'x/y%z' });
    const climbing = core.connectGetNamespacedPodProxyWithPath({ ...proxied, path: 'x/../../y' });
    expect(await rejection(climbing)).toMatchObject({ code: 'INVALID_NAME' });
    expect(setup.server.requests.map(({ url }) => url.pathname)).toEqual([
      '/api/v1',
      '/api/v1/namespaces/a/pods/proxy',
      '/api/v1/namespaces/a/pods/b/proxy/x%2Fy%25z',
    ]);
  });
});

describe('a raw path', () => {
  test.each([
    '/api/v1/../x',
    '/..',
    '/a/./b',
    '/a/%2e%2e/b',
    '/a/%2E/b',
    'a',
    '/a b',
    '/ä\n',
    '/日',
  ])('%j is refused with UNSAFE_PATH', async (path) => {
    await using setup = await openClient((_request, response) => json(response, { metadata: {} }));
    expect(await rejection(setup.client.request({ path }))).toMatchObject({ code: 'UNSAFE_PATH' });
    expect(setup.server.requests).toHaveLength(0);
  });

  test('may contain dots in its query and in its names', async () => {
    await using setup = await openClient((_request, response) => json(response, { metadata: {} }));
    await setup.client.request({ path: '/a..b/...?x=/../' });
    expect(setup.server.requests).toHaveLength(1);
  });
});

const TLS_HANDSHAKE = 22;

/** Returns the response of a proxy to the bytes of a client that requests a tunnel. */
function tunnelling(bytes: Buffer): string | Buffer {
  if (bytes.toString('latin1').startsWith('CONNECT ')) return 'HTTP/1.1 200 OK\r\n\r\n';
  const isGreeting = bytes.length === 2 + (bytes[1] ?? 0);
  return Buffer.from(isGreeting ? [5, 0] : [5, 0, 0, 1, 127, 0, 0, 1, 0, 80]);
}

describe('close()', () => {
  /** Opens a tunnel for a client that uses it as a proxy, and never responds to a TLS handshake. */
  async function silentServer(): Promise<{
    port: number;
    sockets: Set<Socket>;
    close(): void;
    accepted: Promise<void>;
  }> {
    const sockets = new Set<Socket>();
    const accepted = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      socket.on('data', (bytes) => {
        if (bytes[0] === TLS_HANDSHAKE) accepted.resolve();
        else socket.write(tunnelling(bytes));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { port, sockets, close: () => server.close(), accepted: accepted.promise };
  }

  test.each(['directly', 'through a proxy', 'through a SOCKS proxy'])(
    'ends connections in a TLS handshake, %s',
    async (route) => {
      const silent = await silentServer();
      const address = `127.0.0.1:${silent.port}`;
      const cluster = {
        directly: { server: `https://${address}` },
        'through a proxy': { server: 'https://cluster.example', proxy: `http://${address}` },
        'through a SOCKS proxy': {
          server: 'https://cluster.example',
          proxy: `socks5://${address}`,
        },
      }[route] as { server: string };
      const client = createClient({ cluster, retry: false });
      const failures = [
        rejection(client.get(builtin.ConfigMap, name)),
        rejection(client.watch(builtin.ConfigMap).next()),
      ];
      await silent.accepted;
      const closed = [...silent.sockets].map(
        (socket) => new Promise((resolve) => socket.once('close', resolve)),
      );
      await client.close();
      await Promise.all(closed);
      for (const failure of failures)
        expect(await failure).toMatchObject({ code: 'CLIENT_CLOSED' });
      silent.close();
    },
  );
});
