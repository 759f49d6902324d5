import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '../verbs/create-client.ts';
import { OpenSockets } from './open-sockets.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const name = { namespace: 'default', name: 'a' };

/** A server that closes the connection after each response. */
async function closingServer(): Promise<{ url: string; port: number } & AsyncDisposable> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: name }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('a client keeps nothing of connections that have closed', async () => {
  await using server = await closingServer();
  await using client = createClient({ cluster: { server: server.url } });
  const opened: WeakRef<object>[] = [];
  const note = (message: unknown): void => {
    opened.push(new WeakRef((message as { socket: Socket }).socket));
  };
  subscribe('net.client.socket', note);
  for (let count = 0; count < 30; count += 1) await client.get(builtin.ConfigMap, name);
  unsubscribe('net.client.socket', note);
  collectGarbage();
  expect(opened).toHaveLength(30);
  // The last connections may not have closed yet.
  expect(opened.filter((socket) => socket.deref() !== undefined).length).toBeLessThan(10);
});

test('sockets are forgotten when they close, and destroyed with the set, also later ones', async () => {
  await using server = await closingServer();
  const sockets = new OpenSockets();
  const open = (): Socket => {
    const connector = sockets.tracked(() => connect(server.port, '127.0.0.1'));
    const opened: unknown = connector({ hostname: '', host: '', protocol: '', port: '' }, () => {});
    return opened as Socket;
  };
  const [closed, connected] = [open(), open()];
  const failed = once(connected, 'error');
  await Promise.all([once(closed, 'connect'), once(connected, 'connect')]);
  expect(sockets.size).toBe(2);
  closed.destroy();
  await once(closed, 'close');
  expect(sockets.size).toBe(1);
  const reason = new Error('closed');
  sockets.destroy(reason);
  expect(await failed).toEqual([reason]);
  const late = open();
  expect(await once(late, 'error')).toEqual([reason]);
  expect(late.destroyed).toBe(true);
  await once(connected, 'close').catch(() => undefined);
});
