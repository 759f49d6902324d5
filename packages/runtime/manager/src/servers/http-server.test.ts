import { once } from 'node:events';
import { request, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { eventually, useFakeTime } from '../testing/fixtures.test-support.ts';
import { HttpServer, type PlainResponse, type Responder } from './http-server.ts';

let server: HttpServer;
let slowAsked: PromiseWithResolvers<void>;
let slowResponse: PromiseWithResolvers<PlainResponse>;
let signals: AbortSignal[];

beforeEach(async () => {
  slowAsked = Promise.withResolvers();
  slowResponse = Promise.withResolvers();
  signals = [];
  const responder: Responder = ({ pathname }, signal) => {
    signals.push(signal);
    if (pathname === '/throws') throw new Error('a secret');
    if (pathname === '/slow') {
      slowAsked.resolve();
      return slowResponse.promise;
    }
    return pathname === '/there' ? { status: 200, body: 'here' } : undefined;
  };
  server = new HttpServer({ name: 'test', address: { port: 0, host: '127.0.0.1' }, responder });
  await server.listen();
});

afterEach(async () => {
  jest.useRealTimers();
  await server.close();
});

async function ask(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number | undefined; body: string; headers: IncomingHttpHeaders }> {
  const { method = 'GET', headers = {}, body } = options;
  const sent = request({
    port: server.port,
    host: '127.0.0.1',
    path,
    method,
    headers,
    agent: false,
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  response.setEncoding('utf8');
  const chunks: string[] = [];
  for await (const chunk of response) chunks.push(String(chunk));
  const { statusCode: status, headers: received } = response;
  return { status, body: chunks.join(''), headers: received };
}

describe('an HTTP server', () => {
  test('responds to GET and HEAD, and with 404 to unknown paths', async () => {
    expect(await ask('/there')).toMatchObject({ status: 200, body: 'here' });
    expect(await ask('/there', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
    expect((await ask('/elsewhere')).status).toBe(404);
    expect((await ask('/there', { method: 'POST' })).status).toBe(405);
    expect((await ask('//', {})).status).toBe(400);
  });

  test('aborts the signal of the responder if the client goes away, and not after a response', async () => {
    await ask('/there');
    const sent = request({ port: server.port, host: '127.0.0.1', path: '/slow', agent: false });
    sent.on('error', () => undefined).end();
    await slowAsked.promise;
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
    sent.destroy();
    await eventually(() => signals[1]?.aborted === true);
    expect(signals[0]?.aborted).toBe(false);
    slowResponse.resolve({ status: 200, body: 'late' });
  });

  test('responds with 500 and no reason to an error of the responder', async () => {
    expect(await ask('/throws')).toMatchObject({ status: 500, body: 'internal error\n' });
  });

  test('names the type and length of a body, and forbids to guess another type', async () => {
    const { headers } = await ask('/there', { method: 'HEAD' });
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '4',
      'x-content-type-options': 'nosniff',
    });
  });

  test('rejects a request with a body without reading it, and closes its connection', async () => {
    const keepAlive = { connection: 'keep-alive' };
    expect((await ask('/there', { headers: keepAlive })).headers.connection).toBe('keep-alive');
    const sized = await ask('/there', {
      headers: { ...keepAlive, 'content-length': '5' },
      body: 'hello',
    });
    expect([sized.status, sized.headers.connection]).toEqual([413, 'close']);
    const chunked = await ask('/there', { headers: { 'transfer-encoding': 'chunked' }, body: 'x' });
    expect(chunked.status).toBe(413);
  });

  test('rejects long headers', async () => {
    const socket = connect(server.port ?? 0, '127.0.0.1');
    socket.write(`GET /there HTTP/1.1\r\nhost: a\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`);
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(response.toString()).toContain('431 Request Header Fields Too Large');
    socket.destroy();
  });

  test('rejects several Host headers', async () => {
    const socket = connect(server.port ?? 0, '127.0.0.1');
    socket.write('GET /there HTTP/1.1\r\nHost: localhost\r\nhOST: other.example\r\n\r\n');
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(response.toString()).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
  });

  test('rejects a path of more than 2048 characters', async () => {
    expect((await ask(`/there?${'x'.repeat(2041)}`)).status).toBe(200);
    expect((await ask(`/there?${'x'.repeat(2042)}`)).status).toBe(414);
  });

  test.each([
    ['', 'G'],
    ['GET /there HTTP/1.1\r\nx-slow: ', 'x'],
    ['GET /there HTTP/1.1\r\nhost: a\r\n\r\nG', 'E'],
  ])('closes a connection 10 s after it sent %j and no complete head', async (sent, more) => {
    useFakeTime({ setImmediate: true });
    const socket = connect(server.port ?? 0, '127.0.0.1');
    const closed = once(socket.resume(), 'close');
    socket.write(sent);
    // The bytes sent before this request have arrived when it has its response.
    await ask('/there');
    await jest.advanceTimersByTimeAsync(9000);
    // More bytes of the same head do not extend the time.
    socket.write(more);
    await ask('/there');
    expect(socket.closed).toBe(false);
    await jest.advanceTimersByTimeAsync(1000);
    await closed;
  });

  test('does not close a connection while its response is being made', async () => {
    useFakeTime({ setImmediate: true });
    const response = ask('/slow');
    await slowAsked.promise;
    await jest.advanceTimersByTimeAsync(60_000);
    slowResponse.resolve({ status: 200, body: 'at last' });
    expect(await response).toMatchObject({ status: 200 });
  });

  test('closes a connection whose client does not read its response for 10 s', async () => {
    useFakeTime({ setImmediate: true });
    const socket = connect(server.port ?? 0, '127.0.0.1').pause();
    const closed = once(socket, 'close');
    socket.write('GET /slow HTTP/1.1\r\nhost: a\r\n\r\n');
    await slowAsked.promise;
    slowResponse.resolve({ status: 200, body: Buffer.alloc(64 * 1024 * 1024) });
    await eventually(() => jest.getTimerCount() > 0);
    await jest.advanceTimersByTimeAsync(10_000);
    let received = 0;
    socket.on('data', (chunk: Buffer) => (received += chunk.length)).on('error', () => undefined);
    socket.resume();
    await closed;
    expect(received).toBeLessThan(64 * 1024 * 1024);
  });

  test.each(['', 'GET /there HTTP/1.1\r\n', 'GET /there HTTP/1.1\r\nhost: a\r\n\r\n'])(
    'MG21 a connection that sent %j does not delay close, and is closed by it',
    async (sent) => {
      const accepted = Promise.withResolvers<void>();
      const socket = connect(server.port ?? 0, '127.0.0.1', accepted.resolve);
      const closed = once(socket.resume(), 'close');
      await accepted.promise;
      socket.write(sent);
      // The bytes sent before this request have arrived when it has its response.
      await ask('/there');
      await server.close();
      await closed;
    },
    1000,
  );

  test('MG21 close waits for a pending response', async () => {
    const response = ask('/slow');
    await slowAsked.promise;
    const closed = server.close();
    slowResponse.resolve({ status: 200, body: 'at last' });
    expect(await response).toMatchObject({ status: 200, body: 'at last' });
    await closed;
  });

  test('a connection that breaks with several pending requests does not delay close', async () => {
    const socket = connect({ port: server.port as number, host: '127.0.0.1' });
    const asking = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    socket.write(asking('/slow') + asking('/there') + asking('/slow'));
    await slowAsked.promise;
    // The three requests arrived together and have been read when this one has its response.
    await ask('/there');
    // With fake time the close timeout of the server never expires.
    useFakeTime({ setImmediate: true });
    const closed = server.close();
    socket.destroy();
    await closed;
    expect(server.port).toBeUndefined();
  });

  test('MG06 a foreign address is an error with server, address and reason', async () => {
    const address = { port: 0, host: '192.0.2.1' };
    const second = new HttpServer({ name: 'second', address, responder: () => undefined });
    await expect(second.listen()).rejects.toMatchObject({
      code: 'LISTEN_FAILED',
      facts: { server: 'second', ...address, reason: 'EADDRNOTAVAIL' },
      cause: { code: 'EADDRNOTAVAIL' },
    });
    await second.close();
  });

  test('MG06 a port in use is an error with server and port', async () => {
    const { port = 0 } = server;
    const second = new HttpServer({
      name: 'second',
      address: { port, host: '127.0.0.1' },
      responder: () => undefined,
    });
    await expect(second.listen()).rejects.toMatchObject({
      code: 'PORT_IN_USE',
      facts: { server: 'second', port, host: '127.0.0.1' },
    });
    await second.close();
  });
});
