import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { useFakeTime } from '../testing/fixtures.test-support.ts';
import { reviewLimits } from './connections.ts';
import { HttpServer, type PlainResponse } from './http-server.ts';

const PER_ADDRESS = 100;
const ALL = 200;

describe('the connections of a server', () => {
  let server: HttpServer;
  let sockets: Socket[];
  let slow: PromiseWithResolvers<PlainResponse>;
  let requests: number;
  const asked = (): number => requests;

  beforeEach(async () => {
    sockets = [];
    requests = 0;
    slow = Promise.withResolvers();
    server = new HttpServer({
      name: 'test',
      address: { port: 0, host: '127.0.0.1' },
      responder({ pathname }) {
        if (pathname !== '/slow') return { status: 200, body: 'ok' };
        requests += 1;
        return slow.promise;
      },
    });
    await server.listen();
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    slow.resolve({ status: 200, body: 'late' });
    await server.close();
  });

  /** Opens a connection; the whole network 127.0.0.0/8 belongs to this machine. */
  async function open(address: string, text = ''): Promise<Socket> {
    const socket = connect({ port: server.port ?? 0, host: '127.0.0.1', localAddress: address });
    sockets.push(socket.on('error', () => undefined).resume());
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  }

  async function fill(address: string, count: number, text = ''): Promise<Socket[]> {
    const made: Socket[] = [];
    for (let at = 0; at < count; at += 1) made.push(await open(address, text));
    return made;
  }

  async function probe(address: string): Promise<string> {
    const socket = await open(address);
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    await once(socket, 'close');
    return received.split('\r\n')[0] ?? '';
  }

  test.each([
    ['no byte', ''],
    ['a part of a head', 'GET /healthz HTTP/1.1\r\n'],
    ['requests, and stay open', 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'],
  ])(
    'of one client that send %s cannot fill it, and the oldest one closes',
    async (_what, text) => {
      const [first, ...others] = await fill('127.0.0.2', PER_ADDRESS, text);
      const closed = once(first as Socket, 'close');
      expect(await probe('127.0.0.2')).toBe('HTTP/1.1 200 OK');
      await closed;
      await fill('127.0.0.2', ALL, text);
      expect(await probe('127.0.0.2')).toBe('HTTP/1.1 200 OK');
      expect(await probe('127.0.0.1')).toBe('HTTP/1.1 200 OK');
      expect(others.filter(({ closed: isClosed }) => !isClosed)).toEqual([]);
    },
  );

  test('of one client close none of another client', async () => {
    const other = await open('127.0.0.3');
    await fill('127.0.0.2', ALL);
    other.write('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n');
    const [response] = await once(other, 'data');
    expect(String(response)).toContain('200 OK');
  });

  test('of many clients cannot fill it: the client with most connections loses one', async () => {
    const quiet = await open('127.0.0.9');
    for (const last of [2, 3]) await fill(`127.0.0.${last}`, PER_ADDRESS);
    expect(await probe('127.0.0.8')).toBe('HTTP/1.1 200 OK');
    expect(quiet.closed).toBe(false);
  });

  test('that are in use stay, and the next one of the client closes', async () => {
    const busy = await fill('127.0.0.2', PER_ADDRESS, 'GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
    for (let tries = 0; asked() < PER_ADDRESS && tries < 1000; tries += 1) await probe('127.0.0.1');
    const refused = await open('127.0.0.2');
    await once(refused, 'close');
    expect(await probe('127.0.0.1')).toBe('HTTP/1.1 200 OK');
    const responses = busy.map((socket) => once(socket, 'data'));
    slow.resolve({ status: 200, body: 'late' });
    for (const response of responses) expect(String(await response)).toContain('200 OK');
  });
});

describe('the connections of API servers', () => {
  test('stay open while a client may use them, and are closed after it would have closed them', async () => {
    useFakeTime();
    const server = new HttpServer({
      name: 'test',
      address: { port: 0, host: '127.0.0.1' },
      limits: reviewLimits,
      receiver: async () => ({ status: 200, body: 'ok' }),
    });
    await server.listen();
    const socket = connect(server.port ?? 0, '127.0.0.1');
    const isOpen = (): boolean => socket.readyState === 'open';
    for (let request = 0; request < 150; request += 1) {
      socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n');
      await once(socket, 'data');
    }
    // Go closes its idle connections after 90 seconds.
    await jest.advanceTimersByTimeAsync(100_000);
    expect(isOpen()).toBe(true);
    const closed = once(socket, 'close');
    await jest.advanceTimersByTimeAsync(20_001);
    await closed;
    jest.useRealTimers();
    await server.close();
  });
});
