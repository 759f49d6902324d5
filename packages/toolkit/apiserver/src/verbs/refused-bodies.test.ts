import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const typeMeta =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

let server: ApiServer;
let client: RawClient;

beforeAll(async () => {
  server = await createApiServer();
  client = new RawClient(server);
  await client.post(maps, { metadata: { name: 'a' } });
});

afterAll(() => server.close());

// Messages recorded from kube-apiserver 1.36.3.
describe('refused body', () => {
  test.each([
    ['', "couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)"],
    [' ', "couldn't get version/kind; json parse error: unexpected end of JSON input (20)"],
    [
      '"x"',
      `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${typeMeta} (227822)`,
    ],
    [
      '[]',
      `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${typeMeta} (5b5d)`,
    ],
    [
      '{"metadata":{"name":"two-objects"}}{}',
      `couldn't get version/kind; json parse error: invalid character '{' after top-level value ({"metadata":{"name":"two-objec ...)`,
    ],
    [
      '{"apiVersion":1,"kind":"ConfigMap","metadata":{"name":"a"}}',
      `couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .apiVersion of type string ({"apiVersion":1,"kind":"Config ...)`,
    ],
    [
      '{"apiVersion":"a/b/c","kind":"ConfigMap","metadata":{"name":"a"}}',
      'unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)',
    ],
  ])('of a create is quoted with the reason: %s', async (text, why) => {
    const { code, body } = await client.post(maps, text);
    const message = `the object provided is unrecognized (must be of type ConfigMap): ${why}`;
    expect([code, body.message]).toEqual([400, message]);
  });

  test.each([
    ['a: b: c', 'yaml: mapping values are not allowed in this context (613a20623a2063)'],
    ['a:\n\tb: c', 'yaml: line 2: found character that cannot start any token (613a0a09623a2063)'],
    [
      'hello',
      `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${typeMeta} (68656c6c6f)`,
    ],
  ])('of a create in YAML is quoted with the reason: %j', async (text, why) => {
    const headers = { 'content-type': 'application/yaml' };
    const { code, body } = await client.send('POST', maps, text, headers);
    const message = `the object provided is unrecognized (must be of type ConfigMap): ${why}`;
    expect([code, body.message]).toEqual([400, message]);
  });

  test.each([
    [
      { apiVersion: 'v2' },
      'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      { apiVersion: 'v1', kind: 'ConfigMapList' },
      'ConfigMapList in version "v1" cannot be handled as a ConfigMap: converting (v1.ConfigMapList) to (core.ConfigMap): unknown conversion',
    ],
    [
      { apiVersion: 'v1', kind: 'Status' },
      'Status in version "v1" cannot be handled as a ConfigMap: converting (v1.Status) to (core.ConfigMap): unknown conversion',
    ],
  ])('of a create is reported with its other kind: %j', async (type, message) => {
    const { code, body } = await client.post(maps, { ...type, metadata: { name: 'b' } });
    expect([code, body.message]).toEqual([400, message]);
  });

  test.each([
    ['merge', '', 'error decoding patch: unexpected end of JSON input'],
    ['merge', 'x', "error decoding patch: invalid character 'x' looking for beginning of value"],
    [
      'merge',
      '[]',
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['merge', 'null', 'Invalid JSON Patch'],
    ['json', '', 'error decoding patch: unexpected end of JSON input'],
    ['strategic', '', 'unexpected end of JSON input'],
    [
      'strategic',
      '[]',
      'json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['apply', '', 'invalid object type: /, Kind='],
    [
      'apply',
      '[]',
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['apply', '{"apiVersion":"v1","metadata":{"name":"a"}}', 'invalid object type: /v1, Kind='],
  ] as const)('of a %s patch is rejected with its reason: %j', async (type, text, message) => {
    const { code, body } = await client.patch(`${maps}/a?fieldManager=m`, type, text);
    expect([code, body.message]).toEqual([400, message]);
  });

  test.each([
    [
      'nonsense',
      "couldn't get version/kind; json parse error: invalid character 'o' in literal null (expecting 'u')",
    ],
    [
      '"x"',
      `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${typeMeta}`,
    ],
  ])('of a delete is reported without a kind: %s', async (text, message) => {
    const { code, body } = await client.send('DELETE', maps, text);
    expect([code, body.message]).toEqual([400, message]);
  });

  test('the body of an apply is refused if YAML reads its name as a boolean', async () => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\n';
    const { code, body } = await client.patch(`${maps}/y?fieldManager=m`, 'apply', text);
    expect([code, body.message]).toEqual([
      500,
      'failed to create typed patch object (/; /v1, Kind=ConfigMap): .metadata.name: expected string, got &value.valueUnstructured{Value:true}',
    ]);
  });
});

describe('deletecollection', () => {
  test.each([
    ['as=Table', 'Table'],
    ['as=PartialObjectMetadataList', 'PartialObjectMetadataList'],
  ])('responds in the requested form: %s', async (form, kind) => {
    const headers = { accept: `application/json;${form};v=v1;g=meta.k8s.io` };
    const path = `${maps}?labelSelector=none`;
    const { code, body } = await client.send('DELETE', path, undefined, headers);
    expect([code, body.kind, body.apiVersion]).toEqual([200, kind, 'meta.k8s.io/v1']);
  });
});

describe('path', () => {
  test('a path with an empty namespace lists the objects of all namespaces', async () => {
    const { code, body } = await client.get('/api/v1/namespaces//configmaps');
    expect([code, body.kind]).toEqual([200, 'ConfigMapList']);
    expect(body.items).toHaveLength((await client.get('/api/v1/configmaps')).body.items.length);
    expect((await client.get('/api/v1/namespaces//configmaps/a')).code).toBe(404);
  });

  test('a path without resource responds with 404 to every method', async () => {
    expect((await client.send('POST', '/nothing', {})).code).toBe(404);
    expect((await client.send('POST', '/version', {})).code).toBe(405);
  });
});
