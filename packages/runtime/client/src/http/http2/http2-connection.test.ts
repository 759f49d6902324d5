import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { describe, expect, test } from '@jest/globals';
import { otherCertificate, serverCertificate } from '../../testing/certificates.test-support.ts';
import { Http2Server } from '../../testing/http2-server.test-support.ts';
import { endOf, Watch } from '../../testing/watch-reader.test-support.ts';
import { createClient } from '../../verbs/create-client.ts';

describe('opening a connection over HTTP/2', () => {
  test('a handshake that is cut throws SERVER_UNREACHABLE', async () => {
    await using server = await Http2Server.open();
    server.onConnection = () => server.hangUp();
    await using client = createClient({ cluster: server.cluster });
    expect(await endOf(new Watch(client))).toMatchObject({
      code: 'SERVER_UNREACHABLE',
      facts: { step: 'tls' },
    });
  });

  test('a connection that ends before its first frame throws SERVER_UNREACHABLE', async () => {
    const server = createServer({ ...serverCertificate, ALPNProtocols: ['h2'] }, (socket) => {
      socket.end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const cluster = {
      server: `https://127.0.0.1:${port}`,
      tls: { ca: serverCertificate.cert },
    };
    await using client = createClient({ cluster });
    expect(await endOf(new Watch(client))).toMatchObject({ code: 'SERVER_UNREACHABLE' });
    await once(server.close(), 'close');
  });

  test('a server whose certificate is not trusted is refused with the same error as over HTTP/1.1', async () => {
    await using server = await Http2Server.open();
    const cluster = { ...server.cluster, tls: { ca: otherCertificate.cert } };
    for (const http2 of [true, false]) {
      await using client = createClient({ cluster, http2, retry: false });
      expect(await endOf(new Watch(client))).toMatchObject({
        code: 'CERTIFICATE_NOT_TRUSTED',
      });
    }
  });
});
