import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const watchList =
  'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const endOfInitial = { 'k8s.io/initial-events-end': 'true' };

function map(name: string, labels: Record<string, string> = {}): Json {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default', labels } };
}

describe('watch', () => {
  test('sends every change in order, with kind and apiVersion', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await using watch = await client.watch(
      `${maps}?watch=1&resourceVersion=${server.resourceVersion}`,
    );
    const { body: created } = await client.post(maps, map('a'));
    const { body: changed } = await client.patch(`${maps}/a`, 'merge', { data: { x: '1' } });
    await client.delete(`${maps}/a`);
    expect(await watch.next()).toEqual({ type: 'ADDED', object: created });
    expect(await watch.next()).toEqual({ type: 'MODIFIED', object: changed });
    const gone = await watch.next();
    expect(gone).toMatchObject({ type: 'DELETED', object: { data: { x: '1' } } });
    expect(gone.object.metadata.resourceVersion).toBe(server.resourceVersion);
  });

  test('resumes after any version that the log holds', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body } = await client.post(maps, map('a'));
    await client.post(maps, map('b'));
    await client.post(maps, map('c'));
    const { resourceVersion } = body.metadata;
    await using watch = await client.watch(`${maps}?watch=1&resourceVersion=${resourceVersion}`);
    expect(await watch.titles(2)).toEqual(['ADDED b', 'ADDED c']);
  });

  test.each(['', '&resourceVersion=0'])(
    'starts with the existing objects (%j)',
    async (version) => {
      await using server = await createApiServer();
      server.seed([map('b'), map('a')]);
      const client = new RawClient(server);
      await using watch = await client.watch(`${maps}?watch=1${version}`);
      expect(await watch.titles(2)).toEqual(['ADDED a', 'ADDED b']);
    },
  );

  test.each(['', '0', '00'])(
    'starts with the next change if no initial events are requested (%j)',
    async (version) => {
      await using server = await createApiServer();
      const client = new RawClient(server);
      await client.post(maps, map('a'));
      const query = `watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=${version}`;
      await using watch = await client.watch(`${maps}?${query}`);
      await client.post(maps, map('b'));
      expect(await watch.titles(1)).toEqual(['ADDED b']);
    },
  );

  test('ends the initial events of a WatchList with an annotated bookmark and continues', async () => {
    await using server = await createApiServer();
    server.seed([map('a')]);
    const client = new RawClient(server);
    await using watch = await client.watch(`${maps}?${watchList}`);
    expect(await watch.titles(1)).toEqual(['ADDED a']);
    expect(await watch.next()).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { resourceVersion: server.resourceVersion, annotations: endOfInitial },
      },
    });
    await client.post(maps, map('b'));
    expect(await watch.titles(1)).toEqual(['ADDED b']);
  });

  test('sends no bookmark about the revision at which it began', async () => {
    await using server = await createApiServer({ bookmarkInterval: 1 });
    const client = new RawClient(server);
    await using watch = await client.watch(
      `${maps}?watch=1&allowWatchBookmarks=true&resourceVersion=${server.resourceVersion}`,
    );
    for (let at = 0; at < 5; at++) await client.get(maps);
    await client.post('/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
    const { type, object } = await watch.next();
    expect([type, object.metadata.resourceVersion]).toEqual(['BOOKMARK', server.resourceVersion]);
  });

  test('sends bookmarks that a client can resume from', async () => {
    await using server = await createApiServer({ bookmarkInterval: 5 });
    const client = new RawClient(server);
    const from = server.resourceVersion;
    await client.post('/api/v1/namespaces/default/secrets', { metadata: { name: 's' } });
    await using watch = await client.watch(
      `${maps}?watch=1&allowWatchBookmarks=true&resourceVersion=${from}`,
    );
    const bookmark = await watch.next();
    expect(bookmark.type).toBe('BOOKMARK');
    expect(bookmark.object.metadata).toEqual({ resourceVersion: server.resourceVersion });
  });

  test('ends without an error after timeoutSeconds', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await using watch = await client.watch(`${maps}?watch=1&timeoutSeconds=1`);
    expect(await watch.next()).toBeUndefined();
    await server.unwatched(builtin.ConfigMap);
  });

  test('a watch from an expired version sends one ERROR event, 410 Expired', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body } = await client.post(maps, map('a'));
    const { resourceVersion } = body.metadata;
    await client.delete(`${maps}/a`);
    server.compact();
    await using watch = await client.watch(`${maps}?watch=1&resourceVersion=${resourceVersion}`);
    expect(watch.code).toBe(200);
    expect(await watch.next()).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', reason: 'Expired', code: 410 },
    });
    expect(await watch.next()).toBeUndefined();
  });

  test('a watch from a future version sends no changes before that version', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const future = Number(server.resourceVersion) + 2;
    await using watch = await client.watch(`${maps}?watch=1&resourceVersion=${future}`);
    for (const name of ['a', 'b', 'c']) {
      await client.post(maps, map(name));
    }
    expect(await watch.titles(1)).toEqual(['ADDED c']);
  });

  test('a watch of a WatchList from a future version sends an ERROR event with 504', async () => {
    await using server = await createApiServer({ freshnessTimeout: 20 });
    const client = new RawClient(server);
    await using watch = await client.watch(`${maps}?${watchList}&resourceVersion=99999`);
    expect(watch.code).toBe(200);
    expect(await watch.next()).toMatchObject({
      type: 'ERROR',
      object: { code: 504, details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } },
    });
  });

  test('sends an object that leaves a selector as DELETED in its last matching state', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, map('a', { tier: 'front' }));
    await client.post(maps, map('b', { tier: 'back' }));
    await using watch = await client.watch(
      `${maps}?watch=1&labelSelector=tier%3Dfront&resourceVersion=${server.resourceVersion}`,
    );
    const back = { metadata: { labels: { tier: 'back' } } };
    const left = await client.patch(`${maps}/a`, 'merge', back);
    const front = { metadata: { labels: { tier: 'front' } } };
    await client.patch(`${maps}/b`, 'merge', front);
    await client.delete(`${maps}/a`);
    await client.delete(`${maps}/b`);
    const event = await watch.next();
    expect(event).toMatchObject({
      type: 'DELETED',
      object: { metadata: { labels: { tier: 'front' } } },
    });
    expect(event.object.metadata.resourceVersion).toBe(left.body.metadata.resourceVersion);
    expect(await watch.titles(2)).toEqual(['ADDED b', 'DELETED b']);
  });

  test('a watch of one name sends events of that object only', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await using watch = await client.watch(
      `/api/v1/watch/namespaces/default/configmaps/b?resourceVersion=${server.resourceVersion}`,
    );
    await client.post(maps, map('a'));
    await client.post(maps, map('b'));
    expect(await watch.titles(1)).toEqual(['ADDED b']);
  });

  test('converts objects to metadata or Tables', async () => {
    await using server = await createApiServer();
    server.seed([map('a')]);
    const client = new RawClient(server);
    const as = (kind: string): { accept: string } => ({
      accept: `application/json;as=${kind};g=meta.k8s.io;v=v1`,
    });
    await using partial = await client.watch(`${maps}?watch=1`, as('PartialObjectMetadata'));
    expect((await partial.next()).object).toMatchObject({
      kind: 'PartialObjectMetadata',
      metadata: { name: 'a' },
    });
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1';
    await using former = await client.watch(`${maps}?watch=1`, { accept });
    expect((await former.next()).object).toMatchObject({ apiVersion: 'meta.k8s.io/v1beta1' });
    await using table = await client.watch(`${maps}?watch=1`, as('Table'));
    const { object } = await table.next();
    expect([object.kind, object.rows[0].cells[0]]).toEqual(['Table', 'a']);
    expect(object.columnDefinitions.length).toBeGreaterThan(0);
    await client.post(maps, map('b'));
    expect((await table.next()).object.columnDefinitions).toBeNull();
  });

  test.each([
    ['sendInitialEvents=true', 422],
    ['resourceVersionMatch=NotOlderThan&resourceVersion=1', 422],
    ['resourceVersion=abc', 500],
    ['labelSelector=a+b', 400],
  ])('refuses ?%s', async (query, code) => {
    await using server = await createApiServer();
    expect((await new RawClient(server).get(`${maps}?watch=1&${query}`)).code).toBe(code);
  });

  test('ends with 410 if the log drops changes before the client has read them', async () => {
    await using server = await createApiServer({ historyLimit: 2 });
    const client = new RawClient(server);
    const stall = server.faults.stallWatches();
    await using watch = await client.watch(
      `${maps}?watch=1&resourceVersion=${server.resourceVersion}`,
    );
    server.seed(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => map(name)));
    stall.end();
    expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });

  test.each(['0', '2147484', '9223372036'])(
    'stays open with timeoutSeconds=%s',
    async (seconds) => {
      await using server = await createApiServer();
      const client = new RawClient(server);
      await using watch = await client.watch(`${maps}?watch=1&timeoutSeconds=${seconds}`);
      await client.post(maps, map('a'));
      await client.post(maps, map('b'));
      expect(await watch.titles(2)).toEqual(['ADDED a', 'ADDED b']);
      expect(server.stats.openWatches()).toBe(1);
    },
  );

  test.each(['-1', '9223372037'])('ends immediately with timeoutSeconds=%s', async (seconds) => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    server.seed([map('a')]);
    await using watch = await client.watch(`${maps}?watch=1&timeoutSeconds=${seconds}`);
    expect(await watch.next()).toMatchObject({
      type: 'ERROR',
      object: { code: 500, message: 'context deadline exceeded' },
    });
    expect(await watch.next()).toBeUndefined();
  });

  test.each([
    ['9223372036854775808', 'value out of range'],
    ['1.5', 'invalid syntax'],
    ['', 'invalid syntax'],
  ])('refuses timeoutSeconds=%s', async (seconds, why) => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    for (const path of [`${maps}?watch=1&timeoutSeconds=`, `${maps}?timeoutSeconds=`]) {
      const { code, body } = await client.get(path + seconds);
      const message = `strconv.ParseInt: parsing "${seconds}": ${why}`;
      expect([code, body.message]).toEqual([400, message]);
    }
  });
});
