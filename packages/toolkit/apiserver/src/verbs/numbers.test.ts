import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { RawClient } from '../server/raw-client.test-support.ts';

const sums = '/apis/example.com/v1/namespaces/default/sums';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const integer = { type: 'integer' };
const properties = {
  any: integer,
  small: { type: 'integer', format: 'int32' },
  large: { type: 'integer', format: 'int64' },
  unknown: { type: 'integer', format: 'uint32' },
  step: { type: 'integer', multipleOf: 2 },
  choice: { type: 'number', enum: [1, 2.5] },
  ruled: { ...integer, 'x-kubernetes-validations': [{ rule: 'self != 9007199254740993' }] },
  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: integer },
  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
};

function definition(plural: string, kind: string, spec: object): object {
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties: spec } },
  };
  const column = { name: 'Any', type: 'integer', jsonPath: '.spec.any' };
  return {
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          additionalPrinterColumns: [column],
        },
      ],
    },
  };
}

let server: ApiServer;
let client: RawClient;

beforeAll(async () => {
  server = await createApiServer();
  client = new RawClient(server);
  await client.post(definitions, definition('sums', 'Sum', properties));
  await server.idle();
  await client.post(sums, sum('kept', '{"any":9007199254740993,"free":{"x":-9007199254740995}}'));
  await client.post(deployments, deployment('d', '0'));
});

afterAll(() => server.close());

function sum(name: string, spec: string): string {
  return `{"apiVersion":"example.com/v1","kind":"Sum","metadata":{"name":"${name}"},"spec":${spec}}`;
}

function deployment(name: string, replicas: string): string {
  return `{"metadata":{"name":"${name}"},"spec":{"replicas":${replicas},"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"terminationGracePeriodSeconds":9007199254740993,"containers":[{"name":"a","image":"nginx:1.25"}]}}}}`;
}

const digits = '"spec":{"any":9007199254740993,"free":{"x":-9007199254740995}}';

describe('integer beyond 2^53', () => {
  test.each([
    ['an object', `${sums}/kept`, 'application/json'],
    ['a list', sums, 'application/json'],
  ])('keeps its digits in %s', async (_what, path, accept) => {
    const { text } = await client.get(path, { accept });
    expect(text).toContain(digits);
  });

  test('keeps its digits in a pretty object, in YAML and in a Table', async () => {
    const pretty = await client.get(`${sums}/kept?pretty=true`);
    expect(pretty.text).toMatch(/"any": ?9007199254740993/);
    const yaml = await client.get(`${sums}/kept`, { accept: 'application/yaml' });
    expect(yaml.text).toContain('any: 9007199254740993\n');
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    expect((await client.get(sums, { accept: table })).text).toContain('["kept",9007199254740993]');
  });

  test('keeps its digits in a built-in kind, also in YAML and protobuf', async () => {
    const path = `${deployments}/d`;
    const kept = '"terminationGracePeriodSeconds":9007199254740993';
    expect((await client.get(path)).text).toContain(kept);
    const protobuf = 'application/vnd.kubernetes.protobuf';
    const headers = { accept: protobuf, authorization: `Bearer ${server.cluster.token}` };
    const response = await fetch(`${server.url}${path}`, { headers });
    const body = Buffer.from(await response.arrayBuffer());
    const put = await fetch(`${server.url}${path}`, {
      method: 'PUT',
      body,
      headers: { ...headers, 'content-type': protobuf, accept: 'application/json' },
    });
    expect(await put.text()).toContain(kept);
  });

  test('keeps its digits in events, and when a patch changes another member', async () => {
    await client.post(sums, sum('watched', '{"any":9007199254740993}'));
    const patched = await client.patch(`${sums}/watched`, 'merge', { spec: { small: 1 } });
    expect(patched.text).toContain('"any":9007199254740993,"small":1');
    const query = 'watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dwatched';
    const { text } = await client.get(`${sums}?${query}`);
    expect(text).toContain('"any":9007199254740993');
  });

  test('keeps its digits in every kind of patch', async () => {
    await client.post(sums, sum('patched', '{"any":1}'));
    const path = `${sums}/patched`;
    const merged = await client.patch(path, 'merge', '{"spec":{"any":9007199254740993}}');
    expect(merged.text).toContain('"any":9007199254740993');
    const set = '[{"op":"copy","from":"/spec/any","path":"/spec/large"}]';
    expect((await client.patch(path, 'json', set)).text).toContain('"large":9007199254740993');
    const applied = await client.patch(
      `${path}?fieldManager=m&force=true`,
      'apply',
      sum('patched', '{"any":9007199254740995,"set":[9007199254740993]}'),
    );
    expect(applied.text).toContain('"any":9007199254740995');
    expect(applied.text).toContain('"v:9007199254740993"');
    const strategic = await client.patch(
      `${deployments}/d?dryRun=All`,
      'strategic',
      '{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":9007199254740995}}}}',
    );
    expect(strategic.text).toContain('"terminationGracePeriodSeconds":9007199254740995');
  });

  test('keeps its digits in YAML that a client sends', async () => {
    const yaml =
      'apiVersion: example.com/v1\nkind: Sum\nmetadata: {name: s}\nspec: {any: 9007199254740993, small: 1e2}\n';
    const headers = { 'content-type': 'application/yaml' };
    const { code, text } = await client.post(`${sums}?dryRun=All`, yaml, headers);
    expect([code, text.includes('"any":9007199254740993,"small":100')]).toEqual([201, true]);
  });
});

// Results recorded from kube-apiserver 1.36.3.
describe('number of a custom resource', () => {
  test.each([
    '{"any":1.0}',
    '{"any":1e3}',
    '{"any":-9223372036854775808}',
    '{"large":9223372036854775807}',
    '{"step":9007199254740994}',
    '{"ruled":9007199254740992}',
    '{"set":[9007199254740992,9007199254740993]}',
    '{"unknown":-1}',
    '{"choice":1.5}',
    '{"free":{"a":1e21,"b":12345678901234567890}}',
  ])('%s is accepted', async (spec) => {
    expect(await client.post(`${sums}?dryRun=All`, sum('a', spec))).toMatchObject({ code: 201 });
  });

  test.each([
    ['{"any":12345678901234567890}', 'spec.any in body must be of type integer: "number"'],
    ['{"any":1.00000000001}', 'Checked value must be of type integer (default format) in spec.any'],
    ['{"large":1e18}', 'spec.large in body must be of type int64: "float64"'],
    ['{"large":9223372036854775808}', 'spec.large in body must be of type int64: "float64"'],
    [
      '{"large":-9223372036854775809}',
      'Checked value must be of type integer with format int64 in spec.large',
    ],
    [
      '{"small":9007199254740993}',
      'Checked value must be of type integer with format int32 in spec.small',
    ],
    ['{"step":9007199254740993}', 'should be a multiple of 2'],
    ['{"ruled":9007199254740993}', 'failed rule: self != 9007199254740993'],
    ['{"set":[9007199254740993,9007199254740993]}', 'Duplicate value: 9007199254740993'],
    ['{"choice":3}', 'Unsupported value: 3: supported values: "1", "2.5"'],
  ])('%s is invalid', async (spec, why) => {
    const { code, body } = await client.post(`${sums}?dryRun=All`, sum('a', spec));
    expect([code, body.message]).toEqual([422, expect.stringContaining(why)]);
  });

  test('beyond the range of doubles is refused with 400', async () => {
    const why = 'json: cannot unmarshal number 1e400 into';
    const posted = await client.post(sums, sum('a', '{"any":1e400}'));
    const merged = await client.patch(`${sums}/kept`, 'merge', '{"spec":{"any":1e400}}');
    const operations = '[{"op":"add","path":"/spec/any","value":1e400}]';
    const changed = await client.patch(`${sums}/kept`, 'json', operations);
    expect([posted, merged, changed].map(({ code, body }) => [code, body.message])).toEqual([
      [400, `Sum in version "v1" cannot be handled as a Sum: ${why} Go value of type float64`],
      [400, `error decoding patch: ${why} Go value of type float64`],
      [400, `error decoding patch: ${why} Go struct field jsonPatchOp.value of type float64`],
    ]);
  });

  test.each([
    ['9007199254740993', 200],
    ['9007199254740992', 422],
    ['9007199254740993.0', 422],
  ])('a JSON patch compares %s as it is written', async (value, code) => {
    const operations = `[{"op":"test","path":"/spec/any","value":${value}}]`;
    expect(await client.patch(`${sums}/kept`, 'json', operations)).toMatchObject({ code });
  });
});

describe('number of a built-in kind', () => {
  test.each(['1.0', '1e0', '1E0', '9223372036854775808', '2147483648'])(
    '%s is refused as a 32-bit integer',
    async (replicas) => {
      const { code, body } = await client.post(deployments, deployment('e', replicas));
      const why = `json: cannot unmarshal number ${replicas} into Go struct field DeploymentSpec.spec.replicas of type int32`;
      expect([code, body.message]).toEqual([400, expect.stringContaining(why)]);
    },
  );

  test('may be written as a float in a strategic patch and an apply', async () => {
    const path = `${deployments}/d?dryRun=All&fieldManager=m`;
    const strategic = await client.patch(path, 'strategic', '{"spec":{"replicas":1e1}}');
    const spec = '"selector":{"matchLabels":{"a":"b"}},"template":{}';
    const applied = await client.patch(
      `${path}&force=true`,
      'apply',
      `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":7.0,${spec}}}`,
    );
    expect([strategic.body.spec.replicas, applied.body.spec?.replicas ?? applied.text]).toEqual([
      10, 7,
    ]);
  });

  test('a number of seconds is validated with all its digits', async () => {
    const pod = `{"metadata":{"name":"p"},"spec":{"activeDeadlineSeconds":9007199254740993,"containers":[{"name":"a","image":"a"}]}}`;
    const { body } = await client.post('/api/v1/namespaces/default/pods', pod);
    expect(body.message).toContain('Invalid value: 9007199254740993: must be between 1 and');
  });

  test('a number of a quantity keeps its digits', async () => {
    const pod = `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","image":"a","resources":{"requests":{"cpu":9007199254740993}}}]}}`;
    const { body } = await client.post('/api/v1/namespaces/default/pods?dryRun=All', pod);
    expect(body.spec.containers[0].resources.requests.cpu).toBe('9007199254740993');
  });

  test('a number of negative seconds becomes 1 in a pod, without a warning', async () => {
    const spec =
      '"spec":{"terminationGracePeriodSeconds":-1,"containers":[{"name":"a","image":"a"}]}';
    const pod = await client.post(
      '/api/v1/namespaces/default/pods?dryRun=All',
      `{"metadata":{"name":"p"},${spec}}`,
    );
    expect(pod.body.spec.terminationGracePeriodSeconds).toBe(1);
    expect(pod.headers.get('warning')).toBeNull();
  });
});

test('a pod with a grace period beyond 2^53 can be deleted', async () => {
  const pods = '/api/v1/namespaces/default/pods';
  const spec =
    '"nodeName":"n","terminationGracePeriodSeconds":9007199254740993,"containers":[{"name":"a","image":"a"}]';
  await client.post(pods, `{"metadata":{"name":"slow"},"spec":{${spec}}}`);
  const path = `${pods}/slow`;
  expect(await client.delete(path)).toMatchObject({ code: 200 });
  const now = '{"gracePeriodSeconds":0}';
  expect(await client.send('DELETE', path, now)).toMatchObject({ code: 200 });
  expect(await client.get(path)).toMatchObject({ code: 404 });
});

test.each([
  ['3600.0', 400],
  ['9007199254740993', 422],
])('a TokenRequest for %s seconds gets %d', async (seconds, code) => {
  const account = '/api/v1/namespaces/default/serviceaccounts';
  await client.post(account, { metadata: { name: 'robot' } });
  const body = `{"spec":{"expirationSeconds":${seconds}}}`;
  expect(await client.post(`${account}/robot/token`, body)).toMatchObject({ code });
});

test('an unknown format causes one warning when its definition is created', async () => {
  const spec = {
    a: { type: 'integer', format: 'uint8' },
    b: { type: 'array', items: { type: 'integer', format: 'uint8' } },
    c: { type: 'integer', format: 'int32' },
    d: { type: 'string', format: 'date' },
    e: { type: 'boolean', format: 'date' },
  };
  const { headers } = await client.post(definitions, definition('odds', 'Odd', spec));
  expect(headers.get('warning')).toBe(
    String.raw`299 - "unrecognized format \"uint8\"", 299 - "unrecognized format \"date\""`,
  );
  const changed = await client.patch(`${definitions}/odds.example.com`, 'merge', {
    metadata: { labels: { a: 'b' } },
  });
  expect(changed.headers.get('warning')).toBeNull();
});

describe('an integer beyond 2^53', () => {
  const large = '9007199254740993';

  test('in a schema is published as it is', async () => {
    const spec = `{"large":{"type":"integer","default":${large}},"kept":{"x-kubernetes-preserve-unknown-fields":true,"default":[${large}]}}`;
    const text = JSON.stringify(definition('bigs', 'Big', {}));
    const sent = text.replace('"properties":{}', `"properties":${spec}`);
    expect((await client.post(definitions, sent)).code).toBe(201);
    await server.idle();
    const published = await client.get('/openapi/v3/apis/example.com/v1');
    expect(published.code).toBe(200);
    expect(published.text).toContain(`"default":${large}`);
    expect((await client.get('/openapi/v2')).code).toBe(200);
  });

  // Recorded from kube-apiserver 1.36.3.
  test.each([
    [
      'metadata of an access review',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      `{"metadata":{"generation":${large}},"spec":{"user":"a","nonResourceAttributes":{"path":"/","verb":"get"}}}`,
      422,
      `metadata: Invalid value: {"generation":${large}`,
    ],
    [
      'parameters of a device class',
      '/apis/resource.k8s.io/v1/deviceclasses',
      `{"metadata":{"name":"large"},"spec":{"config":[{"opaque":{"driver":"a.b","parameters":{"a":${large}}}}]}}`,
      201,
      `"parameters":{"a":${large}}`,
    ],
    [
      'the kind of an embedded object',
      '/apis/example.com/v1/namespaces/default/holders',
      `{"apiVersion":"example.com/v1","kind":"Holder","metadata":{"name":"a"},"spec":{"held":{"kind":{"b":1,"a":${large}}}}}`,
      400,
      `spec.held.kind: Invalid value: {\\"a\\":${large},\\"b\\":1}: must be a string`,
    ],
    [
      'the metadata of an embedded object',
      '/apis/example.com/v1/namespaces/default/holders',
      `{"apiVersion":"example.com/v1","kind":"Holder","metadata":{"name":"a"},"spec":{"held":{"metadata":{"name":${large}}}}}`,
      400,
      `spec.held.metadata: Invalid value: {\\"name\\":${large}}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string`,
    ],
  ])('is accepted or quoted: %s', async (_, path, body, code, words) => {
    const keeps = { 'x-kubernetes-preserve-unknown-fields': true };
    const held = { type: 'object', 'x-kubernetes-embedded-resource': true, ...keeps };
    await client.post(definitions, definition('holders', 'Holder', { held }));
    await server.idle();
    const response = await client.post(path, body);
    expect(response.code).toBe(code);
    expect(response.text.replaceAll('\\"', '"')).toContain(words.replaceAll('\\"', '"'));
  });
});
