import { describe, expect, test } from '@jest/globals';
import type { ClusterTls } from '../cluster/cluster.ts';
import { Http2Server } from '../testing/http2-server.test-support.ts';
import { json, startServer } from '../testing/recording-server.test-support.ts';
import type { OpenResponse, SentRequest } from './body/exchange.ts';
import { ConnectionPools } from './connection-pools.ts';
import type { CurrentCredentials } from './credential-cache.ts';

function credentials(tls: ClusterTls, tlsFingerprint: string): CurrentCredentials {
  return { headers: {}, tls, fingerprint: tlsFingerprint, tlsFingerprint, secrets: [] };
}

function requestTo({ origin }: URL): SentRequest {
  const limits = { headersTimeout: 60_000, bodyTimeout: 60_000 };
  return { origin, path: '/', method: 'GET', headers: {}, body: null, signal: null, ...limits };
}

async function read({ body }: OpenResponse): Promise<void> {
  await body.passTo(() => undefined);
}

describe('connection pools', () => {
  test.each([
    ['the first request', false],
    ['a request after a watch', true],
  ])(
    'that retire while %s waits for undici close its connection after the response',
    async (_which, isLater) => {
      await using server = await startServer((_request, response) => json(response, {}));
      const url = new URL(server.url);
      const pools = new ConnectionPools({ url, proxy: undefined, http2: true });
      const held = credentials({}, '');
      if (isLater) await read(await pools.send(held, { pool: 'watches' }, requestTo(url)));
      const response = pools.send(held, {}, requestTo(url));
      const retired = pools.retire();
      await read(await response);
      await retired;
      // The server notices the end of a connection some turns later.
      for (let turn = 0; turn < 1000 && server.sockets.size > 0; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect(server.sockets.size).toBe(0);
      await pools.close(new Error('end'));
    },
  );

  test('use new TLS material although a request before a watch is sent with the former one', async () => {
    // Without streams the request before a watch is sent over HTTP/1.1 after the handshake.
    await using server = await Http2Server.open({ maxConcurrentStreams: 0 });
    server.respond = ({ response }) => void response.end('{}');
    const { tls = {}, server: address } = server.cluster;
    const url = new URL(address);
    const pools = new ConnectionPools({ url, proxy: undefined, http2: true });
    const [former, present] = [credentials(tls, 'former'), credentials(tls, 'present')];
    const before = pools.send(former, { pool: 'beforeWatch' }, requestTo(url));
    await read(await pools.send(present, {}, requestTo(url)));
    await read(await before);
    const { connections } = server;
    await read(await pools.send(present, {}, requestTo(url)));
    expect(server.connections).toBe(connections);
    await pools.close(new Error('end'));
  });
});
