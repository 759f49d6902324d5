import { get } from 'node:https';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { breakResponse } from '../http/break-connection.ts';
import { createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const secrets = '/api/v1/namespaces/default/secrets';
const { ConfigMap, Secret } = builtin;

describe('faults on requests', () => {
  test('fail: sends the requested response, within the scope, for the requested number of times', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const fault = server.faults.fail({ resource: ConfigMap, verb: 'list', code: 503, times: 2 });
    expect((await client.get(maps)).body).toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
    });
    expect((await client.get(secrets)).code).toBe(200);
    expect((await client.get(`${maps}/a`)).code).toBe(404);
    expect((await client.get(maps)).code).toBe(503);
    expect((await client.get(maps)).code).toBe(200);
    expect(fault.hits).toBe(2);
  });

  test('a fault lasts until it is disposed', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    {
      using _ = server.faults.fail({ code: 500 });
      expect((await client.get('/version')).code).toBe(500);
    }
    expect((await client.get('/version')).code).toBe(200);
  });

  test('throttle: sends 429 with Retry-After', async () => {
    await using server = await createApiServer();
    server.faults.throttle({ retryAfterSeconds: 7 });
    const { code, headers, body } = await new RawClient(server).get(maps);
    expect([code, headers.get('retry-after'), body.details.retryAfterSeconds]).toEqual([
      429,
      '7',
      7,
    ]);
  });

  test('forbid, expire, unserve: send 403, 410 and 404 with the messages of a real server', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    server.faults.forbid({ times: 1 });
    expect((await client.get(maps)).body.message).toBe(
      'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"',
    );
    server.faults.expire({ times: 1 });
    expect((await client.get(maps)).body).toMatchObject({ code: 410, reason: 'Expired' });
    server.faults.unserve({ times: 1 });
    expect((await client.get(maps)).body).toMatchObject({ code: 404, reason: 'NotFound' });
  });

  test('hang: sends no response until the fault ends', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const fault = server.faults.hang({ resource: ConfigMap });
    let responded = false;
    const pending = client.get(maps).then(({ code }) => {
      responded = true;
      return code;
    });
    await server.requested({ resource: ConfigMap }, 1);
    expect((await client.get(secrets)).code).toBe(200);
    expect(responded).toBe(false);
    fault.end();
    expect(await pending).toBe(200);
  });

  test('hang: ends with clear, also for a fault whose requests have all arrived', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    server.faults.hang({ resource: ConfigMap, times: 1 });
    server.faults.hang({ resource: Secret });
    const pending = [client.get(maps), client.get(secrets)];
    await server.requested({ resource: ConfigMap }, 1);
    await server.requested({ resource: Secret }, 1);
    server.faults.clear();
    expect((await Promise.all(pending)).map(({ code }) => code)).toEqual([200, 200]);
  });

  test('delay: sends the response late', async () => {
    await using server = await createApiServer();
    server.faults.delay({ by: '50ms' });
    const begin = performance.now();
    await new RawClient(server).get(maps);
    expect(performance.now() - begin).toBeGreaterThan(45);
  });

  test('reset: breaks the connection', async () => {
    await using server = await createApiServer();
    server.faults.reset({ times: 1 });
    const client = new RawClient(server);
    await expect(client.get(maps)).rejects.toThrow('fetch failed');
    expect((await client.get(maps)).code).toBe(200);
  });

  test('reset: closes a connection whose end is on its way, so that the process can end', async () => {
    const errors: unknown[] = [];
    const server = createServer(({ socket }, response) => {
      socket.on('error', ({ message }) => errors.push(message));
      response.write('a');
      socket.end();
      breakResponse(response);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
    client.on('error', () => undefined).write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    await once(client, 'close');
    server.close();
    await once(server, 'close');
    // `reset EINVAL` if the connection stays open.
    expect(errors).toEqual([]);
  });

  test('reset: also breaks a TLS connection', async () => {
    await using server = await createApiServer({ tls: true });
    const ca = server.cluster.tls?.ca;
    using fault = server.faults.reset();
    const request = get(`${server.url}${maps}`, { ...(ca && { ca }) });
    await expect(once(request, 'response')).rejects.toThrow('socket hang up');
    expect(fault.hits).toBe(1);
  });

  test('refuseConnections: rejects connections until it ends, then listens on the same port', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.get(maps);
    const { port, url } = server;
    const outage = server.faults.refuseConnections();
    const socket = connect(port, '127.0.0.1');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
    await outage.end();
    expect([server.url, (await client.get(maps)).code]).toEqual([url, 200]);
  });

  test('refuseWatchList: affects only watches with initial events', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    using _ = server.faults.refuseWatchList();
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    expect((await client.get(`${maps}?watch=1&${query}`)).code).toBe(422);
    await using watch = await client.watch(`${maps}?watch=1`);
    expect(watch.code).toBe(200);
  });

  test('slowLists: sends a list in pieces', async () => {
    await using server = await createApiServer();
    server.faults.slowLists({ by: 30 });
    const begin = performance.now();
    expect((await new RawClient(server).get(maps)).body.items).toEqual([]);
    expect(performance.now() - begin).toBeGreaterThan(25);
  });
});

describe('faults on watches', () => {
  test('cutWatches: ends or breaks the open watches, and counts them', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await using ended = await client.watch(`${maps}?watch=1`);
    await using other = await client.watch(`${secrets}?watch=1`);
    await server.watchers(ConfigMap, 1);
    expect(server.faults.cutWatches({ resource: ConfigMap })).toBe(1);
    expect(await ended.next()).toBeUndefined();
    await using broken = await client.watch(`${maps}?watch=1`);
    await server.watchers(ConfigMap, 1);
    expect(server.faults.cutWatches({ resource: ConfigMap, how: 'reset' })).toBe(1);
    await expect(broken.next()).rejects.toThrow('terminated');
    await client.post(secrets, { metadata: { name: 's' } });
    expect(await other.titles(1)).toEqual(['ADDED s']);
  });

  test('expireWatches: sends an ERROR event with 410', async () => {
    await using server = await createApiServer();
    await using watch = await new RawClient(server).watch(`${maps}?watch=1`);
    await server.watchers(ConfigMap, 1);
    server.faults.expireWatches();
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    expect(await watch.next()).toBeUndefined();
  });

  test('truncateWatches: sends half a line, then ends', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await using watch = await client.watch(`${maps}?watch=1`);
    await server.watchers(ConfigMap, 1);
    server.faults.truncateWatches();
    await client.post(maps, { metadata: { name: 'a' } });
    const half = await watch.next();
    expect(half).toMatch(/^\{"type":"ADDED"/);
    expect(half.at(-1)).not.toBe('}');
    expect(await watch.next()).toBeUndefined();
  });

  test('stallWatches: sends nothing, then all missed events', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await using watch = await client.watch(`${maps}?watch=1`);
    await server.watchers(ConfigMap, 1);
    const stall = server.faults.stallWatches();
    let received = false;
    const titles = watch.titles(2).then((found) => {
      received = true;
      return found;
    });
    await client.post(maps, { metadata: { name: 'a' } });
    await client.post(maps, { metadata: { name: 'b' } });
    expect(received).toBe(false);
    stall.end();
    expect(await titles).toEqual(['ADDED a', 'ADDED b']);
  });

  test('stallWatches: delays the initial events of a new WatchList', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a' } });
    const stall = server.faults.stallWatches();
    await using watch = await client.watch(`${maps}?watch=1&allowWatchBookmarks=true`);
    await client.post(maps, { metadata: { name: 'b' } });
    stall.end();
    expect(await watch.titles(3)).toEqual(['ADDED a', 'BOOKMARK', 'ADDED b']);
  });

  test('delayWatches: sends events late', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await using watch = await client.watch(`${maps}?watch=1`);
    await server.watchers(ConfigMap, 1);
    server.faults.delayWatches({ by: 60 });
    const begin = performance.now();
    await client.post(maps, { metadata: { name: 'a' } });
    expect(await watch.titles(1)).toEqual(['ADDED a']);
    expect(performance.now() - begin).toBeGreaterThan(55);
  });

  test('withholdBookmarks: also withholds the bookmark after the initial events', async () => {
    await using server = await createApiServer({ bookmarkInterval: 1 });
    const client = new RawClient(server);
    using _ = server.faults.withholdBookmarks();
    await using watch = await client.watch(`${maps}?watch=1&allowWatchBookmarks=true`);
    await client.post(maps, { metadata: { name: 'a' } });
    await client.post(maps, { metadata: { name: 'b' } });
    expect(await watch.titles(2)).toEqual(['ADDED a', 'ADDED b']);
  });

  test('endWatchesAtOnce and expireWatchesAtOnce: end new watches immediately', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    server.faults.endWatchesAtOnce({ times: 1 });
    await using ended = await client.watch(`${maps}?watch=1`);
    expect([ended.code, await ended.next()]).toEqual([200, undefined]);
    server.faults.expireWatchesAtOnce({ times: 1 });
    await using expired = await client.watch(`${maps}?watch=1`);
    expect([expired.code, (await expired.next()).object.code]).toEqual([200, 410]);
  });

  test('clear: ends every active fault', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    server.faults.fail({ code: 500 });
    server.faults.stallWatches();
    server.faults.clear();
    await using watch = await client.watch(`${maps}?watch=1`);
    await client.post(maps, { metadata: { name: 'a' } });
    expect(await watch.titles(1)).toEqual(['ADDED a']);
  });
});
