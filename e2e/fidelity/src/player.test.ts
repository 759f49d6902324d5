import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { expand } from './conversation.ts';
import { Player, type StepResponse } from './player.ts';
import type { Step } from './step.ts';

const compact = (): Promise<void> => Promise.resolve();

/** A player for a server with this behaviour. */
async function playOn(handler: RequestListener, steps: readonly Step[]): Promise<StepResponse[]> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const admin = { server: `http://127.0.0.1:${port}` };
  const player = new Player({ name: 'test', users: { admin }, compact });
  try {
    return await player.play({ name: 'c', steps });
  } finally {
    await player.close();
    server.close();
    await once(server, 'close');
  }
}

test('records status 0 if the server closes the connection without a response', async () => {
  const responses = await playOn(
    (request, response) => {
      if (request.method === 'PUT') response.destroy();
      else response.setHeader('content-type', 'application/json').end('{}');
    },
    [
      { name: '1', request: 'PUT /x', body: {} },
      { name: '2', request: 'GET /x' },
    ],
  );
  expect(responses.map(({ status }) => status).slice(-2)).toEqual([0, 200]);
});

test('repeats a request until its status is that of a variable', async () => {
  let count = 0;
  const chapter = [{ name: '1', request: 'GET /x', until: '${code}', each: [{ code: '404' }] }];
  const responses = await playOn(
    (request, response) => {
      if (request.method === 'GET') count += 1;
      response.writeHead(count === 2 ? 404 : 200).end();
    },
    chapter.flatMap((step) => expand(step)),
  );
  expect([count, responses.at(-1)]).toMatchObject([2, { status: 404 }]);
  expect(responses.at(-1)).not.toHaveProperty('isLate');
});
