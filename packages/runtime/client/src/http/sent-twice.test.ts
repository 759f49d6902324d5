import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '../verbs/create-client.ts';
import { everyRead, everyWrite, succeed } from '../testing/every-call.test-support.ts';
import { openClient } from '../testing/open-client.test-support.ts';
import {
  rejection,
  startServer,
  status,
  type Responder,
  type RecordingServer,
} from '../testing/recording-server.test-support.ts';

const eachWrite = Object.entries(everyWrite);
const eachRead = Object.entries(everyRead);

/** Error codes of an open connection that a failed connect has too. */
const socketCodes = ['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ECONNRESET', 'EPIPE'];

/** Destroys the client's socket with `code` as soon as the server has received its request. */
class Breaker implements Disposable {
  readonly #sockets = new Set<Socket>();
  readonly #listener = (message: unknown): void => {
    this.#sockets.add((message as { socket: Socket }).socket);
  };

  constructor() {
    // Also the sockets of watches over HTTP/1.1, which undici does not open.
    subscribe('net.client.socket', this.#listener);
  }

  break(port: number, code: string): void {
    const error = Object.assign(new Error(`read ${code}`), { code, syscall: 'read', errno: -110 });
    for (const socket of this.#sockets) {
      if (socket.remotePort === port) socket.destroy(error);
    }
  }

  [Symbol.dispose](): void {
    unsubscribe('net.client.socket', this.#listener);
  }
}

/** A port on which nothing listens. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Ways in which a server can break a TLS handshake. */
const tlsFailures: Readonly<Record<string, (socket: Socket) => void>> = {
  'other bytes': (socket) => void socket.end('not TLS'),
  'the end of the connection': (socket) => void socket.end(),
  'a reset': (socket) => void socket.once('data', () => socket.resetAndDestroy()),
};

describe('a write', () => {
  const lost: [string, Responder][] = [
    ['no response', ({ socket }) => void socket.destroy()],
    ['a reset connection', ({ socket }) => void socket.resetAndDestroy()],
    [
      'half a response',
      ({ socket }, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"metadata":', () => socket.destroy());
      },
    ],
    ['503', (_request, response) => status(response, 503, 'ServiceUnavailable')],
    ['504', (_request, response) => status(response, 504, 'Timeout')],
    ['500', (_request, response) => status(response, 500, 'InternalError')],
  ];
  test.each(
    eachWrite.flatMap(([verb, run]) =>
      lost.map(([how, respond]) => [verb, how, run, respond] as const),
    ),
  )('%s is not retried after %s', async (_verb, _how, run, respond) => {
    await using setup = await openClient(respond);
    const error = await rejection(run(setup.client, 'a'));
    expect(String(Reflect.get(error, 'code'))).toMatch(/CONNECTION_LOST|API_STATUS|50[034]/);
    expect(setup.server.requests).toHaveLength(1);
  });

  test.each(
    eachWrite.flatMap(([verb, run]) => socketCodes.map((code) => [verb, code, run] as const)),
  )('%s is not retried after %s on the open connection', async (_verb, code, run) => {
    using breaker = new Breaker();
    await using setup = await openClient(({ socket }) =>
      breaker.break(socket.localPort ?? 0, code),
    );
    const error = await rejection(run(setup.client, 'a'));
    expect(error).toMatchObject({ code: 'CONNECTION_LOST', facts: { reason: code } });
    expect(setup.server.requests).toHaveLength(1);
  });

  test.each(eachWrite)(
    '%s is retried after 429, because the server did nothing',
    async (_verb, run) => {
      await using setup = await openClient((request, response, index) => {
        if (index === 0) status(response, 429, 'TooManyRequests');
        else succeed(request, response);
      });
      await run(setup.client, 'a');
      expect(setup.server.requests).toHaveLength(2);
    },
  );

  test.each(eachWrite)('%s is retried if no connection was opened', async (_verb, run) => {
    const port = await freePort();
    let late: Promise<RecordingServer> | undefined;
    const start = (): Promise<RecordingServer> =>
      startServer((request, response) => succeed(request, response), undefined, port);
    await using client = createClient({
      cluster: { server: `http://127.0.0.1:${port}` },
      retry: { base: 10, max: 10, attempts: 1000 },
      observer: { requestRetried: () => void (late ??= start()) },
    });
    await run(client, 'a');
    await using server = await late;
    expect(server?.requests).toHaveLength(1);
  });

  test.each(Object.entries(tlsFailures))(
    'is retried after a TLS handshake that failed by %s',
    async (_how, fail) => {
      let connections = 0;
      const server = createServer((socket) => {
        connections++;
        socket.on('error', () => undefined);
        fail(socket.resume());
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const cluster = { server: `https://127.0.0.1:${port}` };
      await using client = createClient({ cluster, retry: { base: 0, max: 0 } });
      const error = await rejection(
        client.create(builtin.ConfigMap, { metadata: { namespace: 'a', name: 'b' } }),
      );
      expect(error).toMatchObject({ code: 'SERVER_UNREACHABLE', facts: { step: 'tls' } });
      expect(connections).toBe(4);
      server.close();
    },
  );
});

describe('a read', () => {
  test.each(
    eachRead.flatMap(([verb, run]) => socketCodes.map((code) => [verb, code, run] as const)),
  )('%s is retried after %s on the open connection', async (_verb, code, run) => {
    using breaker = new Breaker();
    await using setup = await openClient((request, response, index) => {
      if (index === 0) breaker.break(request.socket.localPort ?? 0, code);
      else succeed(request, response);
    });
    await run(setup.client, 'a');
    expect(setup.server.requests).toHaveLength(2);
  });
});
