import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { Player } from './player.ts';

test('records status 0 if the server closes the connection without a response', async () => {
  const server = createServer((request, response) => {
    if (request.method === 'PUT') response.destroy();
    else response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const admin = { server: `http://127.0.0.1:${port}` };
  const compact = (): Promise<void> => Promise.resolve();
  const player = new Player({ name: 'test', users: { admin }, compact });
  try {
    const steps = [
      { name: '1', request: 'PUT /x', body: {} },
      { name: '2', request: 'GET /x' },
    ];
    const responses = await player.play({ name: 'c', steps });
    expect(responses.map(({ status }) => status).slice(-2)).toEqual([0, 200]);
  } finally {
    await player.close();
    server.close();
    await once(server, 'close');
  }
});
