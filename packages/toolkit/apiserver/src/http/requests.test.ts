import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps';

describe('requests', () => {
  let server: ApiServer;
  let client: RawClient;

  beforeAll(async () => {
    server = await createApiServer();
    client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a' } });
  });

  afterAll(() => server.close());

  test.each([
    [`/${maps}/a`, 404],
    ['/api/v1//namespaces/default/configmaps/a', 404],
    [`${maps}/a/`, 200],
    [`${maps}/a%2Fb`, 404],
    ['/healthz/', 404],
    ['/healthz/ping', 200],
  ])('the path %s returns %i', async (path, code) => {
    expect((await client.get(path)).code).toBe(code);
  });

  test.each([
    ['POST', '/healthz', 200],
    ['POST', '/apis', 200],
    ['POST', '/version', 405],
    ['PUT', '/apis/apps/v1', 405],
    ['HEAD', '/healthz', 200],
    ['HEAD', `${maps}/a`, 405],
    ['GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 405],
  ])('the method %s of %s returns %i', async (method, path, code) => {
    expect((await client.send(method, path)).code).toBe(code);
  });

  test('the deprecated watch path opens a watch', async () => {
    const { text } = await client.get(
      '/api/v1/watch/namespaces/default/configmaps/a?timeoutSeconds=1',
    );
    expect(JSON.parse(text)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  });

  test('an unsupported media type is rejected before the write', async () => {
    const accept = { accept: 'image/png' };
    expect((await client.get(`${maps}/nothing`, accept)).code).toBe(406);
    expect((await client.post(maps, { metadata: { name: 'b' } }, accept)).code).toBe(406);
    expect((await client.get(`${maps}/b`)).code).toBe(404);
    expect((await client.get(`${maps}?watch=1`, { accept: 'application/yaml' })).code).toBe(406);
  });

  test('a 406 lists the supported media types', async () => {
    const messageOf = async (path: string, accept: string): Promise<string> =>
      (await client.get(path, { accept })).body.message;
    const forms = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    const streams =
      'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
    const routed = '406: Not Acceptable\n\nAvailable representations: ';
    expect(await messageOf(`${maps}/a`, 'image/png')).toBe(`${routed}${forms}`);
    expect(await messageOf(maps, 'image/png')).toBe(`${routed}${forms}, ${streams}`);
    const only = 'only the following media types are accepted: ';
    const nothing = 'application/json;as=Nothing;v=v1;g=meta.k8s.io';
    expect(await messageOf(maps, nothing)).toBe(`${only}${forms}`);
    const watch = await client.get(`${maps}?watch=1`, { accept: 'application/yaml' });
    expect(watch.text.replaceAll(/\s+/g, ' ')).toContain(`${only}${streams}`);
  });

  test('an error response has the requested media type', async () => {
    const { headers, text } = await client.get(`${maps}/nothing`, { accept: 'application/yaml' });
    expect(headers.get('content-type')).toBe('application/yaml');
    expect(text).toContain('reason: NotFound\n');
  });

  test('an error response includes warnings', async () => {
    const { code, headers } = await client.post(maps, { Metadata: { name: 'b' } });
    expect(code).toBe(422);
    expect(headers.get('warning')).toContain(String.raw`unknown field \"Metadata\"`);
  });

  test('each warning has its own header', async () => {
    const headers = { 'content-type': 'application/json' };
    const asked = request(`${server.url}${maps}?dryRun=All`, { method: 'POST', headers });
    asked.end(JSON.stringify({ metadata: { name: 'warned' }, one: 1, two: 2 }));
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.headersDistinct['warning']).toEqual([
      String.raw`299 - "unknown field \"one\""`,
      String.raw`299 - "unknown field \"two\""`,
    ]);
  });

  test('null counts as an empty object', async () => {
    const { code, body } = await client.post(maps, 'null');
    expect([code, body.details.causes[0].field]).toEqual([422, 'metadata.name']);
  });

  test('only the first of several YAML documents counts', async () => {
    const yaml = 'metadata:\n  name: first\n---\nmetadata:\n  name: second\n';
    const sent = await client.post(maps, yaml, { 'content-type': 'application/yaml' });
    expect([sent.code, sent.body.metadata.name]).toEqual([201, 'first']);
  });

  test('an invalid Content-Type is rejected', async () => {
    const broken = { 'content-type': 'application/json;;' };
    expect((await client.post(maps, { metadata: { name: 'c' } }, broken)).code).toBe(415);
  });

  test('a patch may not remove the name', async () => {
    const merge = { 'content-type': 'application/merge-patch+json' };
    const patch = { metadata: { name: null } };
    const { code, body } = await client.send('PATCH', `${maps}/a`, patch, merge);
    expect([code, body.message]).toEqual([
      400,
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ]);
  });

  test.each([
    [
      { kind: 'ConfigMap' },
      'no kind "ConfigMap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      { gracePeriodSeconds: 'x' },
      'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
    ],
    [
      { preconditions: { uid: 7 } },
      'json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type string',
    ],
  ])('rejects the invalid delete options %j', async (options, message) => {
    const { code, body } = await client.send('DELETE', `${maps}/a`, options);
    expect([code, body.message]).toEqual([400, message]);
    expect((await client.get(`${maps}/a`)).code).toBe(200);
  });

  test('a large response is compressed if the client accepts it', async () => {
    await client.post(maps, { metadata: { name: 'large' }, data: { a: 'x'.repeat(200_000) } });
    for (const path of [`${maps}/large`, '/openapi/v2']) {
      const { headers, body } = await client.get(path, { 'accept-encoding': 'gzip' });
      expect([path, headers.get('content-encoding')]).toEqual([path, 'gzip']);
      expect(typeof body).toBe('object');
      const plain = await client.get(path, { 'accept-encoding': 'identity' });
      expect(plain.headers.get('content-encoding')).toBeNull();
    }
    const small = await client.get(`${maps}/a`, { 'accept-encoding': 'gzip' });
    expect(small.headers.get('content-encoding')).toBeNull();
  });

  test('a member __proto__ is an ordinary member', async () => {
    const merge = { 'content-type': 'application/merge-patch+json' };
    await client.post(maps, '{"metadata":{"name":"p"},"data":{"__proto__":"a"}}');
    await client.send('PATCH', `${maps}/p`, '{"data":{"__proto__":"b","constructor":"c"}}', merge);
    expect((await client.get(`${maps}/p`)).text).toContain(
      '"data":{"__proto__":"b","constructor":"c"}',
    );
  });
});
