import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, jest, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import type { FrameBatch } from '@keelson/wire';
import type { Client } from '../../verbs/client.ts';
import { createClient } from '../../verbs/create-client.ts';
import { rejection } from '../../testing/recording-server.test-support.ts';

const head =
  'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
const end = '0\r\n\r\n';

function chunkOf(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

function eventOf(name: string, padding = ''): string {
  const object = { kind: 'Node', metadata: { name, padding } };
  return chunkOf(`${JSON.stringify({ type: 'ADDED', object })}\n`);
}

function namesIn({ frames }: FrameBatch): string[] {
  return frames.map(({ buffer, from, to }) => {
    const text = Buffer.from(buffer.subarray(from, to)).toString();
    return (JSON.parse(text) as { metadata: { name: string } }).metadata.name;
  });
}

/** Resolves when a socket has closed, with or without an error. */
async function closeOf(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.resume().once('close', () => resolve());
  });
}

interface Setup extends AsyncDisposable {
  readonly client: Client;
  /** Resolves with the socket of the next request, and its text. */
  request(): Promise<{ readonly socket: Socket; readonly text: string }>;
  /** Passes the batches of a watch to the consumer; aborted by `stop`. */
  watch(consume?: (names: string[]) => Promise<void> | undefined): Promise<void>;
  readonly stop: AbortController;
}

/** A server of raw bytes, and a client that watches Nodes from it. */
async function start(): Promise<Setup> {
  const stop = new AbortController();
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    // Some tests reset connections on purpose.
    socket.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const cluster = { server: `http://127.0.0.1:${port}` };
  const client = createClient({ cluster, protobuf: false });
  return {
    client,
    stop,
    async request() {
      const [socket] = (await once(server, 'connection')) as [Socket];
      const [text] = (await once(socket, 'data')) as [Buffer];
      return { socket, text: text.toString('latin1') };
    },
    async watch(consume = () => undefined) {
      const batches = client.listerWatcher({ resource: builtin.Node }).watch(stop);
      await batches.passTo?.((batch) => consume(namesIn(batch)));
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('a watch over HTTP/1.1', () => {
  test('sends one request on a connection that closes with the response', async () => {
    await using setup = await start();
    const names: string[] = [];
    const watching = setup.watch((batch) => void names.push(...batch));
    const { socket, text } = await setup.request();
    expect(text.split('\r\n').slice(0, 3)).toEqual([
      'GET /api/v1/nodes?watch=1 HTTP/1.1',
      `host: 127.0.0.1:${socket.localPort}`,
      'connection: close',
    ]);
    expect(text).toMatch(/\r\n\r\n$/);
    socket.write(head + eventOf('a') + eventOf('b') + end);
    await watching;
    expect(names).toEqual(['a', 'b']);
    await closeOf(socket);
  });

  test('passes the events of one read as one batch', async () => {
    await using setup = await start();
    const batches: string[][] = [];
    const opened = Promise.withResolvers<void>();
    const watching = setup.watch((names) => {
      batches.push(names);
      return opened.resolve() as undefined;
    });
    const { socket } = await setup.request();
    socket.write(head);
    await opened.promise;
    socket.write(eventOf('a') + eventOf('b') + eventOf('c') + end);
    await watching;
    expect(batches).toEqual([[], ['a', 'b', 'c']]);
  });

  test('reads events that are longer than its buffers, cut anywhere', async () => {
    await using setup = await start();
    const names: string[] = [];
    const watching = setup.watch((batch) => void names.push(...batch));
    const { socket } = await setup.request();
    const expected = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const sizes = [0, 10, 7000, 9000, 140_000, 300_000];
    const texts = expected.map((name, index) => {
      return eventOf(name, 'x'.repeat(sizes[index % sizes.length] ?? 0));
    });
    const bytes = head + texts.join('') + end;
    for (let at = 0; at < bytes.length; at += 61_003) {
      if (!socket.write(bytes.slice(at, at + 61_003))) await once(socket, 'drain');
    }
    await watching;
    expect(names).toEqual(expected);
  });

  test('stops reading while the consumer is busy, and continues with the same bytes', async () => {
    await using setup = await start();
    const gate = Promise.withResolvers<void>();
    const names: string[] = [];
    const busy = Promise.withResolvers<void>();
    const watching = setup.watch(async (batch) => {
      if (batch.length === 0) return;
      busy.resolve();
      await gate.promise;
      names.push(...batch);
    });
    const { socket } = await setup.request();
    socket.write(head + eventOf('first'));
    await busy.promise;
    // More than the kernel buffers for a connection on the loopback.
    const large = eventOf('large', 'x'.repeat(1024 * 1024));
    for (let count = 0; count < 32; count++) socket.write(large);
    socket.write(end);
    for (let turns = 0; turns < 50; turns++) await new Promise((turn) => setImmediate(turn));
    expect(socket.writableLength).toBeGreaterThan(1024 * 1024);
    gate.resolve();
    await watching;
    expect(names).toEqual(['first', ...Array.from({ length: 32 }, () => 'large')]);
  });

  test.each([
    ['the connection ends', (socket: Socket) => socket.end(head + eventOf('a')), 'UND_ERR_SOCKET'],
    ['the connection is reset', (socket: Socket) => socket.resetAndDestroy(), 'ECONNRESET'],
    [
      'the response is no HTTP',
      (socket: Socket) => socket.write('SSH-2.0\r\n\r\n'),
      'HPE_INVALID_CONSTANT',
    ],
    [
      'a chunk is invalid',
      (socket: Socket) => socket.write(`${head}x\r\n`),
      'HPE_INVALID_CHUNK_SIZE',
    ],
    [
      'the server upgrades the connection',
      (socket: Socket) => socket.write('HTTP/1.1 101 X\r\nupgrade: h2c\r\n\r\n'),
      'HPE_INVALID',
    ],
    [
      'the headers are endless',
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\na: ${'b'.repeat(40_000)}`),
      'UND_ERR_HEADERS_OVERFLOW',
    ],
  ])('throws CONNECTION_LOST and closes its socket if %s', async (_what, respond, reason) => {
    await using setup = await start();
    const failed = rejection(setup.watch());
    const { socket } = await setup.request();
    const closed = closeOf(socket);
    respond(socket);
    expect(await failed).toMatchObject({ code: 'CONNECTION_LOST', facts: { reason } });
    await closed;
  });

  test.each([
    ['before the response', ''],
    ['within the headers', head.slice(0, 30)],
    ['within the body', head + eventOf('a')],
  ])('rejects with the reason of an abort %s, and closes its socket', async (_when, sent) => {
    await using setup = await start();
    const failed = rejection(setup.watch());
    const { socket } = await setup.request();
    const closed = closeOf(socket);
    socket.write(sent);
    await new Promise((turn) => setImmediate(turn));
    setup.stop.abort(new Error('enough'));
    expect(await failed).toMatchObject({ message: 'enough' });
    await closed;
  });

  test('throws SERVER_UNREACHABLE if no connection can be opened', async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as AddressInfo;
    free.close();
    await once(free, 'close');
    const server = `http://127.0.0.1:${port}`;
    await using client = createClient({ cluster: { server }, protobuf: false });
    const { signal } = new AbortController();
    const watching = client.listerWatcher({ resource: builtin.Node }).watch({ signal });
    expect(await rejection(watching.passTo?.(() => undefined) ?? Promise.resolve())).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      facts: { server, step: 'connect', reason: 'ECONNREFUSED' },
    });
  });

  test('ends with the client, which waits until the sockets are closed', async () => {
    await using setup = await start();
    const failed = rejection(setup.watch());
    const { socket } = await setup.request();
    const closed = closeOf(socket);
    socket.write(head);
    await setup.client.close();
    expect(await failed).toMatchObject({ code: 'CLIENT_CLOSED' });
    await closed;
  });

  test('throws CONNECTION_LOST if the response does not start within 65 s', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    try {
      await using setup = await start();
      const failed = rejection(setup.watch());
      await setup.request();
      await jest.advanceTimersByTimeAsync(66_000);
      const facts = { reason: 'UND_ERR_HEADERS_TIMEOUT' };
      expect(await failed).toMatchObject({ code: 'CONNECTION_LOST', facts });
    } finally {
      jest.useRealTimers();
    }
  });
});
