import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { createClient, type Client } from '@keelson/client';
import { serverCheck } from './cluster.ts';

const { signal } = new AbortController();

describe('the check of the server', () => {
  test.each([
    ['1', '22', 'ok'],
    ['1', '28+', 'ok'],
    ['1', '21', 'failed'],
    ['1', '9+', 'failed'],
    ['2', '0', 'ok'],
  ])('of version %s.%s is %s', async (major, minor, status) => {
    const version = async (): Promise<object> => ({ major, minor, gitVersion: 'v1' });
    const client = { discovery: { version } } as unknown as Client;
    const { outcomes, value } = await serverCheck(client, { server: 'a' }).run(signal);
    expect({ outcomes, value }).toMatchObject({ outcomes: [{ status }], value: true });
  });

  test('ends when it is aborted while the server does not respond', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const cluster = { server: `http://127.0.0.1:${port}` };
    await using client = createClient({ cluster });
    const abort = new AbortController();
    const connected = once(silent, 'connection');
    const checked = serverCheck(client, cluster).run(abort.signal);
    const [socket] = (await connected) as [Socket];
    abort.abort();
    await expect(checked).rejects.toThrow(/abort/);
    socket.destroy();
    silent.close();
  });
});
