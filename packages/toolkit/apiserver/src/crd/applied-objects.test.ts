import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const widgets = '/apis/example.com/v1/namespaces/default/widgets';

let server: ApiServer;
let client: RawClient;

beforeAll(async () => {
  server = await createApiServer();
  client = new RawClient(server);
  const depth = { type: 'integer', default: 1 };
  const inner = { type: 'object', default: {}, properties: { depth } };
  const spec = {
    type: 'object',
    required: ['size'],
    properties: {
      size: { type: 'integer' },
      mode: { type: 'string', default: 'fast' },
      nested: { type: 'object', default: {}, properties: { inner } },
      port: { 'x-kubernetes-int-or-string': true },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      id: { type: 'string', format: 'uuid' },
      bare: { type: 'object' },
    },
  };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  await server.idle();
});

afterAll(() => server.close());

function bodyOf(name: string, spec: Json): Json {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec };
}

async function apply(name: string, spec: Json): Promise<[number, Json]> {
  const path = `${widgets}/${name}?fieldManager=alice`;
  const { code, body } = await client.patch(path, 'apply', bodyOf(name, spec));
  return [code, code < 300 ? body.spec : body.message];
}

// Responses recorded from kube-apiserver 1.36.3.
describe('applied custom resource', () => {
  test('refuses a list as an int-or-string by the schema, not by the types of apply', async () => {
    const invalid = (type: string): string =>
      `Widget.example.com "port" is invalid: spec.port: Invalid value: "${type}": spec.port in body must be of type integer,string: "${type}"`;
    expect(await apply('port', { size: 1, port: [80] })).toEqual([422, invalid('array')]);
    expect(await apply('port', { size: 1, port: { a: 80 } })).toEqual([422, invalid('object')]);
  });

  test('refuses a number as a string with a format by the schema, not by the types of apply', async () => {
    expect(await apply('id', { size: 1, id: 5 })).toEqual([
      422,
      'Widget.example.com "id" is invalid: spec.id: Invalid value: "int64": spec.id in body must be of type uuid: "int64"',
    ]);
  });

  test('drops the members of an object without properties, and does not warn of them', async () => {
    const path = `${widgets}/bare?fieldManager=alice&fieldValidation=Strict`;
    const body = bodyOf('bare', { size: 1, bare: { a: 1 } });
    const response = await client.patch(path, 'apply', body);
    expect([response.code, response.body.spec.bare]).toEqual([201, {}]);
    expect(response.headers.get('warning')).toBeNull();
  });

  test('keeps an applied object whose fields are defaults', async () => {
    await apply('kept', { size: 1 });
    expect(await apply('kept', { nested: {} })).toEqual([
      422,
      'Widget.example.com "kept" is invalid: spec.size: Required value',
    ]);
    expect(await apply('kept', { size: 2, nested: {} })).toEqual([
      200,
      { size: 2, mode: 'fast', nested: { inner: { depth: 1 } } },
    ]);
    await apply('kept', { size: 2, nested: { inner: { depth: 5 } } });
    expect(await apply('kept', { size: 2, nested: { inner: {} } })).toEqual([
      200,
      { size: 2, mode: 'fast', nested: { inner: { depth: 1 } } },
    ]);
  });

  const isNull =
    'spec.free: Invalid value: "null": spec.free in body must be of type object: "null"';

  test('is invalid if all fields of an applied object are removed', async () => {
    await apply('emptied', { size: 1, free: { a: 1 } });
    expect(await apply('emptied', { size: 1, free: {} })).toEqual([
      422,
      `Widget.example.com "emptied" is invalid: ${isNull}`,
    ]);
    expect((await apply('emptied', { size: 1 }))[0]).toBe(200);
  });

  test('is invalid with null, which an update drops', async () => {
    const spec = { size: 1, free: null, labels: { a: null }, mode: null };
    const { code, body } = await client.post(widgets, bodyOf('null', spec));
    expect([code, body.spec]).toEqual([
      201,
      { size: 1, labels: {}, mode: 'fast', nested: { inner: { depth: 1 } } },
    ]);
    expect(await apply('null', { size: 1, free: null })).toEqual([
      422,
      `Widget.example.com "null" is invalid: ${isNull}`,
    ]);
  });
});
