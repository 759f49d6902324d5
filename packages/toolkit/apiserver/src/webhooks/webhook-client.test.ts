import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { issueCertificate } from '@keelson/x509';
import { WebhookClient } from './webhook-client.ts';
import { WebhookServer } from './webhook-server.test-support.ts';

describe('the client of webhooks', () => {
  test('trusts a certificate in caBundle that is not an authority, as Go does: envtest gives that of the server', async () => {
    const now = Date.now();
    const validity = { notBefore: now - 1000, notAfter: now + 60_000 };
    const authority = await issueCertificate({ commonName: 'authority', ...validity });
    const pair = await issueCertificate({
      commonName: 'server',
      hosts: ['127.0.0.1'],
      authority,
      ...validity,
    });
    await using server = createServer(pair, (_request, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"kind":"AdmissionReview"}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const caBundle = Buffer.from(pair.cert).toString('base64');
    const client = new WebhookClient(() => {
      throw new Error('no Service');
    });
    const config = { url: `https://127.0.0.1:${port}/`, caBundle };
    expect(await client.call({ config, review: {}, timeoutSeconds: 5 })).toMatchObject({
      kind: 'AdmissionReview',
    });
    client.close();
  });

  test.each([
    ['/a', '/a'],
    ['//a', '/a'],
    ['/a//b/', '/a/b'],
    ['/a/./../b', '/b'],
    ['/', '/'],
  ])('joins the path %s as client-go does: %s', async (path, expected) => {
    await using hooks = await WebhookServer.start();
    const client = new WebhookClient(() => ({ host: '127.0.0.1', port: hooks.port }));
    const { caBundle, url } = hooks.config(path);
    const service = { namespace: 'default', name: 'hooks', path };
    const review = { request: { uid: 'u' } };
    await client.call({ config: { url, caBundle }, review });
    await client.call({ config: { service, caBundle }, review, timeoutSeconds: 5 });
    expect(hooks.received.map((received) => received.path)).toEqual([
      expected,
      `${expected}?timeout=5s`,
    ]);
    client.close();
  });
});
