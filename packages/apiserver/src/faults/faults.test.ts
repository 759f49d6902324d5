import { get } from 'node:https';
import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const secrets = '/api/v1/namespaces/default/secrets';
const { ConfigMap } = builtin;

describe('faults on requests', () => {
  test('fail: the answer asked for, within the scope, as often as asked', async () => {
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

  test('a fault lasts until it is disposed of', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    {
      using _ = server.faults.fail({ code: 500 });
      expect((await client.get('/version')).code).toBe(500);
    }
    expect((await client.get('/version')).code).toBe(200);
  });

  test('throttle: 429 with Retry-After', async () => {
    await using server = await createApiServer();
    server.faults.throttle({ retryAfterSeconds: 7 });
    const { code, headers, body } = await new RawClient(server).get(maps);
    expect([code, headers.get('retry-after'), body.details.retryAfterSeconds]).toEqual([
      429,
      '7',
      7,
    ]);
  });

  test('forbid, expire, unserve: 403, 410 and 404 in their words', async () => {
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

  test('hang: nothing is answered until the fault ends', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const fault = server.faults.hang({ resource: ConfigMap });
    let answered = false;
    const answer = client.get(maps).then(({ code }) => {
      answered = true;
      return code;
    });
    await server.requested({ resource: ConfigMap }, 1);
    expect((await client.get(secrets)).code).toBe(200);
    expect(answered).toBe(false);
    fault.end();
    expect(await answer).toBe(200);
  });

  test('delay: the answer comes late', async () => {
    await using server = await createApiServer();
    server.faults.delay({ by: '50ms' });
    const begin = performance.now();
    await new RawClient(server).get(maps);
    expect(performance.now() - begin).toBeGreaterThan(45);
  });

  test('reset: the connection breaks', async () => {
    await using server = await createApiServer();
    server.faults.reset({ times: 1 });
    const client = new RawClient(server);
    await expect(client.get(maps)).rejects.toThrow('fetch failed');
    expect((await client.get(maps)).code).toBe(200);
  });

  test('reset: a connection with TLS breaks too', async () => {
    await using server = await createApiServer({ tls: true });
    const ca = server.cluster.tls?.ca;
    using fault = server.faults.reset();
    const request = get(`${server.url}${maps}`, { ...(ca && { ca }) });
    await expect(once(request, 'response')).rejects.toThrow('socket hang up');
    expect(fault.hits).toBe(1);
  });

  test('refuseConnections: nobody gets in until it ends, on the same port', async () => {
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

  test('refuseWatchList: only watches that ask for initial events', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    using _ = server.faults.refuseWatchList();
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    expect((await client.get(`${maps}?watch=1&${query}`)).code).toBe(422);
    await using watch = await client.watch(`${maps}?watch=1`);
    expect(watch.code).toBe(200);
  });

  test('slowLists: a list arrives in pieces', async () => {
    await using server = await createApiServer();
    server.faults.slowLists({ by: 30 });
    const begin = performance.now();
    expect((await new RawClient(server).get(maps)).body.items).toEqual([]);
    expect(performance.now() - begin).toBeGreaterThan(25);
  });
});

describe('faults on watches', () => {
  test('cutWatches: ends or breaks the watches that are open, and counts them', async () => {
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

  test('expireWatches: an ERROR event, 410', async () => {
    await using server = await createApiServer();
    await using watch = await new RawClient(server).watch(`${maps}?watch=1`);
    await server.watchers(ConfigMap, 1);
    server.faults.expireWatches();
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    expect(await watch.next()).toBeUndefined();
  });

  test('truncateWatches: half a line, then the end', async () => {
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

  test('stallWatches: silence, then everything that was missed', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await using watch = await client.watch(`${maps}?watch=1`);
    await server.watchers(ConfigMap, 1);
    const stall = server.faults.stallWatches();
    let heard = false;
    const titles = watch.titles(2).then((found) => {
      heard = true;
      return found;
    });
    await client.post(maps, { metadata: { name: 'a' } });
    await client.post(maps, { metadata: { name: 'b' } });
    expect(heard).toBe(false);
    stall.end();
    expect(await titles).toEqual(['ADDED a', 'ADDED b']);
  });

  test('stallWatches: a WatchList that begins in silence gets its initial events later', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a' } });
    const stall = server.faults.stallWatches();
    await using watch = await client.watch(`${maps}?watch=1&allowWatchBookmarks=true`);
    await client.post(maps, { metadata: { name: 'b' } });
    stall.end();
    expect(await watch.titles(3)).toEqual(['ADDED a', 'BOOKMARK', 'ADDED b']);
  });

  test('delayWatches: events come late', async () => {
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

  test('withholdBookmarks: not even the one that ends the initial events', async () => {
    await using server = await createApiServer({ bookmarkInterval: 1 });
    const client = new RawClient(server);
    using _ = server.faults.withholdBookmarks();
    await using watch = await client.watch(`${maps}?watch=1&allowWatchBookmarks=true`);
    await client.post(maps, { metadata: { name: 'a' } });
    await client.post(maps, { metadata: { name: 'b' } });
    expect(await watch.titles(2)).toEqual(['ADDED a', 'ADDED b']);
  });

  test('endWatchesAtOnce and expireWatchesAtOnce: new watches end as they begin', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    server.faults.endWatchesAtOnce({ times: 1 });
    await using ended = await client.watch(`${maps}?watch=1`);
    expect([ended.code, await ended.next()]).toEqual([200, undefined]);
    server.faults.expireWatchesAtOnce({ times: 1 });
    await using expired = await client.watch(`${maps}?watch=1`);
    expect([expired.code, (await expired.next()).object.code]).toEqual([200, 410]);
  });

  test('clear: every standing fault ends', async () => {
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
