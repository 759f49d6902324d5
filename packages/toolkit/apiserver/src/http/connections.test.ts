import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';

/** Sends bytes and returns all that the server sends until it closes the connection. */
async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('utf8').write(text);
  let received = '';
  socket.on('data', (chunk: string) => (received += chunk));
  await once(socket, 'close');
  return received;
}

describe('connections', () => {
  let server: ApiServer;

  beforeAll(async () => {
    server = await createApiServer();
  });

  afterAll(() => server.close());

  test('accepts a chunked body', async () => {
    const body = JSON.stringify({ metadata: { name: 'chunked' } });
    const chunks = [body.slice(0, 5), body.slice(5)].map(
      (part) => `${part.length.toString(16)}\r\n${part}\r\n`,
    );
    const received = await exchange(
      server.port,
      `POST ${maps} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`,
    );
    expect(received).toMatch(/^HTTP\/1\.1 201 /);
  });

  test('sends 100 Continue to a client that expects it', async () => {
    const body = JSON.stringify({ metadata: { name: 'expected' } });
    const headers = {
      expect: '100-continue',
      'content-type': 'application/json',
      'content-length': body.length,
    };
    const sent = request({ port: server.port, path: maps, method: 'POST', headers });
    sent.flushHeaders();
    await once(sent, 'continue');
    sent.end(body);
    const [response] = await once(sent, 'response');
    response.resume();
    expect(response.statusCode).toBe(201);
  });

  test('serves several requests on one connection, also after errors', async () => {
    const ask = (path: string, last = ''): string =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${last}\r\n`;
    const all = ask('/healthz') + ask(`${maps}/nothing`) + ask('/version', 'Connection: close\r\n');
    const received = await exchange(server.port, all);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 200',
      'HTTP/1.1 404',
      'HTTP/1.1 200',
    ]);
  });

  test('invalid HTTP closes only its own connection', async () => {
    expect(await exchange(server.port, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await exchange(server.port, 'GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/ok$/);
  });

  test('silenceConnections: a connection over HTTP/1.1 stays open without a byte until the fault ends', async () => {
    await using fresh = await createApiServer();
    const socket = connect(fresh.port, '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    const ask = 'GET /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\n\r\n';
    socket.write(ask);
    await once(socket, 'data');
    const fault = fresh.faults.silenceConnections();
    fresh.stats.reset();
    socket.write(ask);
    await fresh.requested({}, 1);
    await exchange(fresh.port, ask.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect([fault.hits, socket.readableLength, socket.destroyed]).toEqual([1, 0, false]);
    fault.end();
    await closed;
  });
});
