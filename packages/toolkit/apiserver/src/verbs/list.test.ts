import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps';

function configMaps(count: number, labels: Record<string, string> = {}): Json[] {
  return Array.from({ length: count }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `m-${String(at).padStart(3, '0')}`, namespace: 'default', labels },
  }));
}

async function seeded(count: number): Promise<ApiServer> {
  const server = await createApiServer({ freshnessTimeout: 20 });
  server.seed(configMaps(count));
  return server;
}

function names(list: Json): string[] {
  return list.items.map(({ metadata }: Json) => metadata.name);
}

describe('list', () => {
  test('orders items by key and omits their kind and apiVersion', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    for (const name of ['c', 'a', 'b']) {
      await client.post(maps, { metadata: { name } });
    }
    const { body } = await client.get(maps);
    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(body.metadata).toEqual({ resourceVersion: server.resourceVersion });
    expect(names(body)).toEqual(['a', 'b', 'c']);
    expect(Object.keys(body.items[0])).toEqual(['metadata']);
  });

  test('a list of one namespace excludes namespaces with the same prefix', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    for (const name of ['team', 'team-a', 'team0']) {
      await client.post('/api/v1/namespaces', { metadata: { name } });
      await client.post(`/api/v1/namespaces/${name}/configmaps`, {
        metadata: { name: `in-${name}` },
      });
    }
    expect(names((await client.get('/api/v1/namespaces/team/configmaps')).body)).toEqual([
      'in-team',
    ]);
    expect(names((await client.get('/api/v1/configmaps')).body)).toHaveLength(3);
  });

  test('continues in pages that all show the state of the first one', async () => {
    await using server = await seeded(5);
    const client = new RawClient(server);
    const first = (await client.get(`${maps}?limit=2`)).body;
    expect(first.metadata.remainingItemCount).toBe(3);
    await client.delete(`${maps}/m-003`);
    await client.post(maps, { metadata: { name: 'm-0025' } });
    await client.patch(`${maps}/m-004`, 'merge', { data: { changed: 'yes' } });
    const second = (await client.get(`${maps}?limit=2&continue=${first.metadata.continue}`)).body;
    const third = (await client.get(`${maps}?limit=2&continue=${second.metadata.continue}`)).body;
    expect([first, second, third].flatMap(names)).toEqual(
      configMaps(5).map(({ metadata }) => metadata.name),
    );
    expect(third.items[0].data).toBeUndefined();
    const versions = [first, second, third].map(({ metadata }) => metadata.resourceVersion);
    expect(new Set(versions).size).toBe(1);
    expect(third.metadata.continue).toBeUndefined();
  });

  test('responds to an expired continue token with 410 and a new token', async () => {
    await using server = await seeded(3);
    const client = new RawClient(server);
    const { metadata } = (await client.get(`${maps}?limit=1`)).body;
    await client.delete(`${maps}/m-001`);
    server.compact();
    const expired = await client.get(`${maps}?limit=1&continue=${metadata.continue}`);
    expect([expired.code, expired.body.reason]).toEqual([410, 'Expired']);
    const rest = await client.get(`${maps}?continue=${expired.body.metadata.continue}`);
    expect(names(rest.body)).toEqual(['m-002']);
  });

  test('ignores the limit at resourceVersion 0', async () => {
    await using server = await seeded(3);
    const { body } = await new RawClient(server).get(`${maps}?limit=1&resourceVersion=0`);
    expect([names(body).length, body.metadata.continue]).toEqual([3, undefined]);
  });

  test('shows the state at an exact resourceVersion until it expires', async () => {
    await using server = await seeded(2);
    const client = new RawClient(server);
    const then = server.resourceVersion;
    await client.delete(`${maps}/m-000`);
    const exact = `${maps}?resourceVersionMatch=Exact&resourceVersion=${then}`;
    const { body } = await client.get(exact);
    expect([names(body), body.metadata.resourceVersion]).toEqual([['m-000', 'm-001'], then]);
    expect(names((await client.get(maps)).body)).toEqual(['m-001']);
    server.compact();
    expect((await client.get(exact)).body).toMatchObject({ code: 410, reason: 'Expired' });
  });

  test('a list at a future resourceVersion waits for it, then gets 504 with Retry-After', async () => {
    await using server = await createApiServer({ freshnessTimeout: 20 });
    const client = new RawClient(server);
    const { code, body, headers } = await client.get(`${maps}?resourceVersion=99999`);
    expect([code, body.reason, headers.get('retry-after')]).toEqual([504, 'Timeout', '1']);
    expect(body.details.causes[0].reason).toBe('ResourceVersionTooLarge');
    await using patient = await createApiServer({ freshnessTimeout: '1m' });
    const waiting = new RawClient(patient);
    const next = Number(patient.resourceVersion) + 1;
    const list = waiting.get(`${maps}?resourceVersion=${next}`);
    await patient.requested({ resource: builtin.ConfigMap, verb: 'list' }, 1);
    await waiting.post(maps, { metadata: { name: 'a' } });
    expect(names((await list).body)).toEqual(['a']);
  });

  test.each([
    ['resourceVersion=abc', 400],
    ['resourceVersionMatch=Exact', 422],
    ['resourceVersionMatch=Exact&resourceVersion=0', 422],
    ['resourceVersionMatch=Other&resourceVersion=1', 422],
    ['sendInitialEvents=true', 422],
    ['limit=abc', 400],
    ['continue=abc', 400],
    ['labelSelector=a+b', 400],
    ['fieldSelector=spec.foo%3Dbar', 400],
    ['fieldSelector=foo', 400],
  ])('refuses ?%s', async (query, code) => {
    await using server = await createApiServer();
    const response = await new RawClient(server).get(`${maps}?${query}`);
    expect([response.code, response.body.kind]).toEqual([code, 'Status']);
  });

  test('selects by labels and by the fields of the kind', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    server.seed([
      ...configMaps(2, { app: 'web' }),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default' } },
    ]);
    const byLabel = (await client.get(`${maps}?labelSelector=app%20in%20(web)&limit=1`)).body;
    expect([names(byLabel), byLabel.metadata.remainingItemCount]).toEqual([['m-000'], undefined]);
    expect(names((await client.get(`${maps}?labelSelector=!app`)).body)).toEqual(['x']);
    const byName = await client.get(`${maps}?fieldSelector=metadata.name%3Dx`);
    expect(names(byName.body)).toEqual(['x']);
    const pods = '/api/v1/namespaces/default/pods';
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await client.post(pods, { metadata: { name: 'a' }, spec: { ...spec, nodeName: 'n' } });
    await client.post(pods, { metadata: { name: 'b' }, spec });
    expect(names((await client.get(`${pods}?fieldSelector=spec.nodeName%3Dn`)).body)).toEqual([
      'a',
    ]);
    const running = await client.get(`${pods}?fieldSelector=status.phase!%3DRunning`);
    expect(names(running.body)).toEqual(['a', 'b']);
  });

  test.each<[string, Record<string, string>, string, boolean]>([
    ['curl', { 'user-agent': 'curl/8.5.0' }, '', true],
    ['a browser', { 'user-agent': 'Mozilla/5.0 (X11)' }, '', true],
    ['curl that declines', { 'user-agent': 'curl/8.5.0' }, '?pretty=false', false],
    ['a client', {}, '', false],
    ['a client that asks', {}, '?pretty=true', true],
  ])('indents the JSON for %s: %j%s → %s', async (_, headers, query, isIndented) => {
    await using server = await seeded(1);
    const client = new RawClient(server, headers);
    for (const path of [maps, `${maps}/m-000`]) {
      const { text, body } = await client.get(`${path}${query}`);
      expect(text.startsWith('{\n  "kind": ')).toBe(isIndented);
      expect(body.apiVersion).toBe('v1');
    }
  });

  test('converts to metadata, to a Table and to YAML', async () => {
    await using server = await seeded(1);
    const client = new RawClient(server);
    const accept = (as: string): { accept: string } => ({
      accept: `application/json;as=${as};g=meta.k8s.io;v=v1,application/json`,
    });
    const partial = (await client.get(maps, accept('PartialObjectMetadataList'))).body;
    expect(partial).toMatchObject({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      items: [{ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }],
    });
    const former = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1';
    expect((await client.get(maps, { accept: former })).body).toMatchObject({
      apiVersion: 'meta.k8s.io/v1beta1',
      items: [{ apiVersion: 'meta.k8s.io/v1beta1', metadata: { name: 'm-000' } }],
    });
    const table = (await client.get(maps, accept('Table'))).body;
    expect([table.kind, table.rows[0].cells[0]]).toEqual(['Table', 'm-000']);
    const yaml = await client.get(maps, { accept: 'application/yaml' });
    expect(yaml.headers.get('content-type')).toBe('application/yaml');
    expect(yaml.text).toContain('kind: ConfigMapList');
    expect((await client.get(maps, { accept: 'application/xml' })).code).toBe(406);
    expect(
      (
        await client.get(maps, {
          accept: accept('PartialObjectMetadata').accept.split(',')[0] ?? '',
        })
      ).code,
    ).toBe(406);
  });

  test('a list of many objects is complete with and without compression', async () => {
    await using server = await createApiServer();
    const data = { text: 'x'.repeat(2000) };
    server.seed(configMaps(1000).map((map) => ({ ...map, data })));
    const client = new RawClient(server);
    const plain = await client.get(maps, { 'accept-encoding': 'identity' });
    const zipped = await client.get(maps, { 'accept-encoding': 'gzip' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(zipped.headers.get('content-encoding')).toBe('gzip');
    expect(zipped.text).toBe(plain.text);
    expect(plain.body.items).toHaveLength(1000);
  });
});

describe('get', () => {
  test('responds to a missing object with 404 and a Status', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    expect((await client.get(`${maps}/a`)).body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'configmaps "a" not found',
      reason: 'NotFound',
      details: { name: 'a', kind: 'configmaps' },
      code: 404,
    });
    expect((await client.get('/apis/apps/v1/foos')).body.reason).toBe('NotFound');
    const group = await client.get('/apis/nothing.example.com/v1/foos');
    expect([group.code, group.text]).toEqual([404, '404 page not found\n']);
    expect(group.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });
});
