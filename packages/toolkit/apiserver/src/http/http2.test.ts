import { once } from 'node:events';
import { constants, type Settings } from 'node:http2';
import { connect } from 'node:tls';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { Http2Client } from './http2-client.test-support.ts';
import { MAX_BODY_BYTES } from './request-body.ts';

const { ConfigMap, Secret } = builtin;
const maps = '/api/v1/namespaces/default/configmaps';
const secrets = '/api/v1/namespaces/default/secrets';

let server: ApiServer;
let client: Http2Client;

beforeEach(async () => {
  server = await createApiServer({ tls: true });
  client = new Http2Client(server);
});

afterEach(async () => {
  await client[Symbol.asyncDispose]();
  await server.close();
});

describe('a connection over TLS', () => {
  test.each([
    [['h2', 'http/1.1'], 'h2'],
    [['http/1.1'], 'http/1.1'],
    [[], false],
  ])('of a client that supports %j negotiates %j', async (ALPNProtocols, protocol) => {
    const ca = server.cluster.tls?.ca ?? '';
    const socket = connect({ port: server.port, host: '127.0.0.1', ca, ALPNProtocols });
    await once(socket, 'secureConnect');
    expect(socket.alpnProtocol).toBe(protocol);
    socket.destroy();
  });

  test('allows 100 requests at once, as kube-apiserver does', async () => {
    const [settings] = (await once(client.session, 'remoteSettings')) as [Settings];
    expect(settings.maxConcurrentStreams).toBe(100);
  });
});

describe('requests over HTTP/2', () => {
  test('read and write objects, and errors are Status objects', async () => {
    const body = { metadata: { name: 'a' } };
    expect((await client.send('POST', maps, { body })).code).toBe(201);
    expect((await client.send('POST', maps, { body })).body).toMatchObject({
      reason: 'AlreadyExists',
    });
    const { items } = (await client.send('GET', maps)).body;
    expect(items).toMatchObject([body]);
    expect((await client.send('GET', '/healthz')).body).toBe('ok');
    expect((await client.send('DELETE', `${maps}/a`)).code).toBe(200);
  });

  test('a header of several values keeps each of them', async () => {
    const headers = {
      authorization: `Bearer ${server.cluster.token}`,
      'impersonate-user': 'vera',
      'impersonate-group': ['a', 'b, c'],
    };
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const { body } = await client.send('POST', path, { body: {}, headers });
    expect(body.status.userInfo.groups).toEqual(['a', 'b, c', 'system:authenticated']);
  });

  test.each(['constructor', '__proto__'])(
    'a header named %s is any unknown header, also of an impersonated user',
    async (name) => {
      const headers = {
        authorization: `Bearer ${server.cluster.token}`,
        'impersonate-user': 'vera',
        [name]: ['a', 'b'],
      };
      const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
      const { code, body } = await client.send('POST', path, { body: {}, headers });
      expect([code, body.status.userInfo.username]).toEqual([201, 'vera']);
    },
  );

  test('a body that is too large is refused, and the connection serves other requests', async () => {
    const body = { metadata: { name: 'a' }, data: { a: 'x'.repeat(MAX_BODY_BYTES) } };
    expect((await client.send('POST', maps, { body })).code).toBe(413);
    expect((await client.send('GET', maps)).code).toBe(200);
  });

  test('a list of many pieces is complete', async () => {
    const data = { a: 'x'.repeat(500_000) };
    for (let n = 0; n < 5; n++) {
      await client.send('POST', maps, { body: { metadata: { name: `m${n}` }, data } });
    }
    expect((await client.send('GET', maps)).body.items).toHaveLength(5);
  });

  test('count as any other request', async () => {
    server.stats.reset();
    await client.send('GET', maps);
    await client.watch(`${secrets}?watch=1`);
    expect([server.stats.lists(ConfigMap), server.stats.openWatches(Secret)]).toEqual([1, 1]);
    await server.idle();
  });
});

describe('watches over HTTP/2', () => {
  test('share a connection, and each receives its own events', async () => {
    const [first, second] = [
      await client.watch(`${maps}?watch=1`),
      await client.watch(`${secrets}?watch=1`),
    ];
    await client.send('POST', secrets, { body: { metadata: { name: 's' } } });
    await client.send('POST', maps, { body: { metadata: { name: 'm' } } });
    expect([await first.title(), await second.title()]).toEqual(['ADDED m', 'ADDED s']);
  });

  test('a client that does not read one watch receives the events of the others', async () => {
    const slow = await client.watch(`${maps}?watch=1`);
    const other = await client.watch(`${secrets}?watch=1`);
    const data = { a: 'x'.repeat(500_000) };
    for (let n = 0; n < 5; n++) {
      await client.send('POST', maps, { body: { metadata: { name: `m${n}` }, data } });
    }
    await client.send('POST', secrets, { body: { metadata: { name: 's' } } });
    expect(await other.title()).toBe('ADDED s');
    for (let n = 0; n < 5; n++) expect(await slow.title()).toBe(`ADDED m${n}`);
  });

  test('end when the client resets their stream, and no other one', async () => {
    const stopped = await client.watch(`${maps}?watch=1`);
    const other = await client.watch(`${secrets}?watch=1`);
    stopped.stream.close(constants.NGHTTP2_CANCEL);
    await server.unwatched(ConfigMap);
    await client.send('POST', secrets, { body: { metadata: { name: 's' } } });
    expect(await other.title()).toBe('ADDED s');
  });

  test('end with the server', async () => {
    const watch = await client.watch(`${maps}?watch=1`);
    const { closed } = client;
    await server.close();
    expect(await watch.ended).not.toBe(0);
    await closed;
  });
});

describe('faults over HTTP/2', () => {
  test('cutWatches: `end` ends normally, `reset` breaks one stream', async () => {
    const ended = await client.watch(`${maps}?watch=1`);
    const other = await client.watch(`${secrets}?watch=1`);
    expect(server.faults.cutWatches({ resource: ConfigMap })).toBe(1);
    ended.stream.resume();
    expect(await ended.ended).toBe(constants.NGHTTP2_NO_ERROR);
    const reset = await client.watch(`${maps}?watch=1`);
    expect(server.faults.cutWatches({ resource: ConfigMap, how: 'reset' })).toBe(1);
    expect(await reset.ended).toBe(constants.NGHTTP2_INTERNAL_ERROR);
    await client.send('POST', secrets, { body: { metadata: { name: 's' } } });
    expect(await other.title()).toBe('ADDED s');
  });

  test('breakConnections: breaks every watch, and a new connection works', async () => {
    const watches = [
      await client.watch(`${maps}?watch=1`),
      await client.watch(`${secrets}?watch=1`),
    ];
    expect(server.faults.breakConnections()).toBe(1);
    for (const watch of watches) expect(await watch.ended).toBe(constants.NGHTTP2_CANCEL);
    await using another = new Http2Client(server);
    expect((await another.send('GET', maps)).code).toBe(200);
    await server.unwatched(Secret);
  });

  test('reset: breaks the stream of the request and no other one', async () => {
    const watch = await client.watch(`${maps}?watch=1`);
    using _ = server.faults.reset({ verb: 'list' });
    await expect(client.send('GET', maps)).rejects.toMatchObject({
      code: 'ERR_HTTP2_STREAM_ERROR',
    });
    await client.send('POST', maps, { body: { metadata: { name: 'm' } } });
    expect(await watch.title()).toBe('ADDED m');
  });

  test('stallWatches: sends nothing while the connection answers PINGs', async () => {
    const watch = await client.watch(`${maps}?watch=1`);
    const stall = server.faults.stallWatches();
    await client.send('POST', maps, { body: { metadata: { name: 'm' } } });
    await client.ping();
    expect(watch.stream.readableLength).toBe(0);
    stall.end();
    expect(await watch.title()).toBe('ADDED m');
  });

  test('silenceConnections: no PING is acknowledged, a new connection works, the end closes the old one', async () => {
    const watch = await client.watch(`${maps}?watch=1`);
    const fault = server.faults.silenceConnections();
    expect(fault.hits).toBe(1);
    await using another = new Http2Client(server);
    const made = another.send('POST', maps, { body: { metadata: { name: 'm' } } });
    expect((await made).code).toBe(201);
    let acknowledged = false;
    client.ping().then(
      () => (acknowledged = true),
      () => undefined,
    );
    for (let n = 0; n < 3; n++) await another.ping();
    expect([acknowledged, watch.stream.readableLength, client.session.destroyed]).toEqual([
      false,
      0,
      false,
    ]);
    const { closed } = client;
    fault.end();
    await closed;
    await server.unwatched(ConfigMap);
  });
});
