import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '../verbs/create-client.ts';
import { everyRead, everyWrite } from '../testing/every-call.test-support.ts';
import { rejection } from '../testing/recording-server.test-support.ts';

/** A server that responds to every request with this status line, and closes the connection after it if asked to. */
async function startStatusServer(
  code: number,
  closes: boolean,
): Promise<{ url: string; requests: () => number } & AsyncDisposable> {
  const open = new Set<Socket>();
  let requests = 0;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      requests++;
      socket.write(`HTTP/1.1 ${code} X\r\n\r\n`);
      if (closes) socket.end();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const calls = Object.entries({ ...everyRead, ...everyWrite });

describe('an informational response that is the last one', () => {
  test.each(calls)('is CONNECTION_LOST for %s, if it is a 101', async (_call, run) => {
    await using server = await startStatusServer(101, false);
    await using client = createClient({ cluster: { server: server.url }, retry: { attempts: 1 } });
    expect(await rejection(run(client, 'a'))).toMatchObject({
      name: 'ClientError',
      code: 'CONNECTION_LOST',
      facts: { reason: 'HPE_INVALID' },
    });
  });

  test.each([100, 101, 102, 103, 199])(
    'is CONNECTION_LOST, if it is a %i and the connection ends',
    async (code) => {
      await using server = await startStatusServer(code, true);
      await using client = createClient({ cluster: { server: server.url }, retry: false });
      const get = client.get(builtin.ConfigMap, { namespace: 'a', name: 'b' });
      expect(await rejection(get)).toMatchObject({ code: 'CONNECTION_LOST' });
    },
  );

  test('is not a reason to send a create again', async () => {
    await using server = await startStatusServer(101, false);
    const retry = { attempts: 3, base: 0 };
    await using client = createClient({ cluster: { server: server.url }, retry });
    await rejection(client.create(builtin.ConfigMap, { metadata: { namespace: 'a', name: 'b' } }));
    expect(server.requests()).toBe(1);
  });
});
