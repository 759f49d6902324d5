import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const deployments = '/apis/apps/v1/namespaces/default/deployments';

function deployment(name: string): Json {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
}

describe('patch', () => {
  test('quotes the patched object with its unknown fields in a refusal', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(deployments, deployment('d'));
    const path = `${deployments}/d?fieldValidation=Strict`;
    const { code, body } = await client.patch(path, 'merge', { spec: { nothing: 1 } });
    expect(code).toBe(422);
    expect(body.message).toContain('\\"nothing\\":1');
    expect(body.message).toMatch(/: strict decoding error: unknown field "spec.nothing"$/);
  });

  test('reports the first field in alphabetical order that does not decode', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a' } });
    const patch = { metadata: { namespace: 5 }, data: { a: 5 } };
    const { code, body } = await client.patch(`${maps}/a`, 'merge', patch);
    expect(code).toBe(422);
    expect(body.message).toMatch(/cannot unmarshal number into Go struct field ConfigMap\.data of/);
  });

  // Recorded from kube-apiserver 1.36.3.
  test.each<['merge' | 'strategic', Json, number, RegExp]>([
    ['strategic', { kind: 'Secret', apiVersion: 'x/v9' }, 200, /^$/],
    ['strategic', { kind: 5 }, 422, /"map\[kind:5\]": cannot convert int64 to string$/],
    ['merge', { apiVersion: null }, 400, /undeterminable: name must be provided$/],
    ['merge', { apiVersion: 'a/b/c' }, 422, /: unexpected GroupVersion string: a\/b\/c$/],
    [
      'merge',
      { kind: 5 },
      422,
      /: couldn't get version\/kind; json parse error: json: cannot unmarshal number into Go struct field \.kind of type string$/,
    ],
  ])('of type %s reads the kind in %j as Go does', async (type, patch, code, message) => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a' } });
    const response = await client.patch(`${maps}/a`, type, patch);
    expect(response.code).toBe(code);
    expect(code === 200 ? '' : response.body.message).toMatch(message);
  });
});

describe('create', () => {
  test('generates the name of an unnamed LimitRange', async () => {
    await using server = await createApiServer();
    const limits = '/api/v1/namespaces/default/limitranges';
    const { code, body } = await new RawClient(server).post(limits, { metadata: {} });
    expect(code).toBe(201);
    expect(body.metadata.name).toMatch(/^[\da-f-]{36}$/);
  });

  test('completes metadata and responds with 201 and the object', async () => {
    await using server = await createApiServer({ now: () => Date.UTC(2030, 0, 2, 3, 4, 5, 678) });
    const client = new RawClient(server);
    const { code, body } = await client.post(maps, { metadata: { name: 'a' }, data: { x: 'y' } });
    expect(code).toBe(201);
    expect(body).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        name: 'a',
        namespace: 'default',
        uid: expect.stringMatching(/^[\da-f-]{36}$/),
        resourceVersion: server.resourceVersion,
        creationTimestamp: '2030-01-02T03:04:05Z',
      },
      data: { x: 'y' },
    });
    expect(body.metadata.generation).toBeUndefined();
    expect((await client.get(`${maps}/a`)).body).toEqual(body);
  });

  test('generates a name from generateName', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body } = await client.post(maps, { metadata: { generateName: 'web-' } });
    expect(body.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test.each([
    ['no name', { metadata: {} }, 422, 'Invalid'],
    ['an invalid name', { metadata: { name: 'Bad_Name' } }, 422, 'Invalid'],
    ['another namespace', { metadata: { name: 'a', namespace: 'b' } }, 400, 'BadRequest'],
    ['another kind', { kind: 'Secret', apiVersion: 'v1' }, 400, 'BadRequest'],
    ['a resourceVersion', { metadata: { name: 'a', resourceVersion: '5' } }, 500, undefined],
    ['a value of the wrong type', { metadata: { name: 'a' }, data: { x: 1 } }, 400, 'BadRequest'],
    ['a list', [], 400, 'BadRequest'],
    ['no JSON', '{nope', 400, 'BadRequest'],
  ])('refuses a body with %s', async (_, sent, code, reason) => {
    await using server = await createApiServer();
    const response = await new RawClient(server).post(maps, sent);
    expect([response.code, response.body.reason]).toEqual([code, reason]);
    expect(response.body).toMatchObject({ kind: 'Status', status: 'Failure', code });
  });

  test('refuses an existing name and a missing namespace', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a' } });
    expect((await client.post(maps, { metadata: { name: 'a' } })).body).toMatchObject({
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
      code: 409,
    });
    const elsewhere = await client.post('/api/v1/namespaces/nowhere/configmaps', {
      metadata: { name: 'a' },
    });
    expect(elsewhere.body).toMatchObject({
      reason: 'NotFound',
      message: 'namespaces "nowhere" not found',
    });
  });

  test('stores nothing in a dry run', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const before = server.resourceVersion;
    const { code, body } = await client.post(`${maps}?dryRun=All`, { metadata: { name: 'a' } });
    expect([code, body.metadata.name, body.metadata.resourceVersion]).toEqual([
      201,
      'a',
      undefined,
    ]);
    expect(server.resourceVersion).toBe(before);
    expect((await client.get(`${maps}/a`)).code).toBe(404);
  });

  test('treats unknown and duplicate fields by fieldValidation', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const sent = '{"metadata":{"name":"a"},"foo":1,"data":{"x":"1"},"data":{"x":"2"}}';
    const strict = await client.post(`${maps}?fieldValidation=Strict&dryRun=All`, sent);
    expect(strict.code).toBe(400);
    expect(strict.body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo", duplicate field "data"',
    );
    const warned = await client.post(`${maps}?fieldValidation=Warn&dryRun=All`, sent);
    expect(warned.code).toBe(201);
    expect(warned.headers.get('warning')).toBe(
      String.raw`299 - "unknown field \"foo\"", 299 - "duplicate field \"data\""`,
    );
    const ignored = await client.post(`${maps}?fieldValidation=Ignore&dryRun=All`, sent);
    expect([ignored.code, ignored.headers.get('warning')]).toEqual([201, null]);
    expect((await client.post(`${maps}?fieldValidation=Maybe`, sent)).code).toBe(422);
  });

  test('treats repeated keys of an applied configuration by fieldValidation', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n  x: "2"\n';
    const apply = (validation: string): ReturnType<RawClient['patch']> =>
      client.patch(`${maps}/a?fieldManager=m&fieldValidation=${validation}`, 'apply', text);
    const repeated = String.raw`line 7: key "x" already set in map`;
    const strict = await apply('Strict');
    expect([strict.code, strict.body.message]).toEqual([
      400,
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  ${repeated}`,
    ]);
    const warned = await apply('Warn');
    expect([warned.code, warned.body.data, warned.headers.get('warning')]).toEqual([
      201,
      { x: '2' },
      `299 - ${JSON.stringify(repeated)}`,
    ]);
    const ignored = await apply('Ignore');
    expect([ignored.code, ignored.headers.get('warning')]).toEqual([200, null]);
  });

  test('stores a member called __proto__ as an ordinary member', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const sent = '{"metadata":{"name":"a"},"data":{"__proto__":"x"}}';
    const { text } = await client.post(maps, sent);
    expect(text).toContain('"data":{"__proto__":"x"}');
    const merged = await client.patch(`${maps}/a`, 'merge', '{"data":{"__proto__":"y"}}');
    expect(merged.text).toContain('"data":{"__proto__":"y"}');
  });

  test('reads YAML, and refuses other media types and bodies beyond 3 MiB', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const yaml = 'metadata:\n  name: a\ndata:\n  x: "1"\n';
    const created = await client.post(maps, yaml, { 'content-type': 'application/yaml' });
    expect(created.body.data).toEqual({ x: '1' });
    const xml = await client.post(maps, '<a/>', { 'content-type': 'application/xml' });
    expect([xml.code, xml.body.reason]).toEqual([415, 'UnsupportedMediaType']);
    const long = await client.post(maps, { data: { x: 'y'.repeat(3 * 1024 * 1024) } });
    expect([long.code, long.body.reason]).toEqual([413, 'RequestEntityTooLarge']);
  });

  test('refuses YAML with exponential aliases', async () => {
    await using server = await createApiServer();
    const aliases = Array.from(
      { length: 40 },
      (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`,
    );
    const bomb = `metadata: { name: a }\na0: &a0 [x, x]\n${aliases.join('\n')}\n`;
    const yaml = { 'content-type': 'application/yaml' };
    const { code, body } = await new RawClient(server).post(maps, bomb, yaml);
    expect(code).toBe(400);
    expect(body.message).toContain('yaml: document contains excessive aliasing');
  });

  test('accepts YAML with many aliases of one level', async () => {
    await using server = await createApiServer();
    const list = (length: number, item: string): string => `[${Array(length).fill(item).join()}]`;
    const text = `metadata: { name: a }\na: &a ${list(100, 'x')}\nb: ${list(200, '*a')}\n`;
    const yaml = { 'content-type': 'application/yaml' };
    expect((await new RawClient(server).post(maps, text, yaml)).code).toBe(201);
  });

  test.each([
    [2, 201],
    [3, 400],
  ])('%i levels of nine aliases get %i', async (levels, code) => {
    await using server = await createApiServer();
    const nine = (name: string): string => `[${Array(9).fill(name).join(', ')}]`;
    const lines = Array.from(
      { length: levels },
      (_, at) => `a${at + 1}: &a${at + 1} ${nine(`*a${at}`)}`,
    );
    const text = `metadata: { name: a }\na0: &a0 ${nine('x')}\n${lines.join('\n')}\n`;
    const yaml = { 'content-type': 'application/yaml' };
    expect((await new RawClient(server).post(maps, text, yaml)).code).toBe(code);
  });
});

describe('update', () => {
  test('replaces the object, refuses an older version, and accepts a missing version', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body: first } = await client.post(maps, { metadata: { name: 'a' }, data: { x: '1' } });
    const second = await client.put(`${maps}/a`, { ...first, data: { x: '2' } });
    expect([second.code, second.body.data]).toEqual([200, { x: '2' }]);
    expect(Number(second.body.metadata.resourceVersion)).toBeGreaterThan(
      Number(first.metadata.resourceVersion),
    );
    const stale = await client.put(`${maps}/a`, { ...first, data: { x: '3' } });
    expect(stale.body).toMatchObject({
      reason: 'Conflict',
      code: 409,
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
    });
    const any = await client.put(`${maps}/a`, { metadata: { name: 'a' }, data: { x: '4' } });
    expect([any.code, any.body.data]).toEqual([200, { x: '4' }]);
    const other = { metadata: { name: 'a', uid: 'other' } };
    expect((await client.put(`${maps}/a`, other)).code).toBe(409);
  });

  test('keeps metadata that only the server sets', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body: first } = await client.post(maps, { metadata: { name: 'a' } });
    const metadata = {
      name: 'a',
      creationTimestamp: '2001-01-01T00:00:00Z',
      generation: 7,
      labels: { a: 'b' },
    };
    const { body } = await client.put(`${maps}/a`, { metadata });
    expect(body.metadata).toMatchObject({
      uid: first.metadata.uid,
      creationTimestamp: first.metadata.creationTimestamp,
      labels: { a: 'b' },
    });
    expect(body.metadata.generation).toBeUndefined();
  });

  test('an update without a change keeps the resourceVersion', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body } = await client.post(maps, { metadata: { name: 'a' }, data: { x: '1' } });
    expect((await client.put(`${maps}/a`, body)).body).toEqual(body);
    const patched = await client.patch(`${maps}/a`, 'merge', { data: { x: '1' } });
    expect(patched.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  test('creates a missing Lease, but not a missing ConfigMap', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    expect((await client.put(`${leases}/a`, { metadata: { name: 'a' } })).code).toBe(201);
    expect((await client.put(`${leases}/a`, { metadata: { name: 'a' } })).code).toBe(422);
    expect((await client.put(`${maps}/a`, { metadata: { name: 'a' } })).code).toBe(404);
  });

  test('keeps the grace period of an object that it creates', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const metadata = { name: 'a', deletionGracePeriodSeconds: 5 };
    const { body } = await client.put(`${leases}/a`, { metadata });
    expect(body.metadata.deletionGracePeriodSeconds).toBe(5);
  });

  test('refuses a body with another name', async () => {
    await using server = await createApiServer();
    const response = await new RawClient(server).put(`${maps}/a`, { metadata: { name: 'b' } });
    expect(response.body.message).toBe(
      'the name of the object (b) does not match the name on the URL (a)',
    );
  });

  test('refuses another namespace before another name', async () => {
    await using server = await createApiServer();
    const metadata = { name: 'b', namespace: 'other' };
    const response = await new RawClient(server).put(`${maps}/a`, { metadata });
    expect(response.body.message).toBe(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  });
});

describe('a cluster-scoped object', () => {
  test('is written without the namespace that a client gives it', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'a', namespace: 'other' },
      rules: [],
    };
    const patch = { metadata: { namespace: 'other', labels: { a: 'b' } } };
    const responses = [
      await client.post(path, role),
      await client.put(`${path}/a`, role),
      await client.patch(`${path}/a`, 'merge', patch),
      await client.patch(`${path}/a?fieldManager=m&force=true`, 'apply', role),
    ];
    expect(responses.map(({ code }) => code)).toEqual([201, 200, 200, 200]);
    expect(responses.map(({ body }) => body.metadata.namespace)).toEqual(
      responses.map(() => undefined),
    );
  });
});

describe('generation and status', () => {
  test('changes of the spec increase the generation, changes of labels or status do not', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const path = `${deployments}/web`;
    const { body } = await client.post(deployments, deployment('web'));
    expect(body.metadata.generation).toBe(1);
    const labelled = await client.patch(path, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(labelled.body.metadata.generation).toBe(1);
    const scaled = await client.patch(path, 'merge', { spec: { replicas: 3 } });
    expect(scaled.body.metadata.generation).toBe(2);
    const status = await client.patch(`${path}/status`, 'merge', { status: { replicas: 3 } });
    expect(status.body).toMatchObject({ metadata: { generation: 2 }, status: { replicas: 3 } });
  });

  test('a write of the object keeps the status, and a write of the status keeps the object', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const path = `${deployments}/web`;
    const sent = { ...deployment('web'), status: { replicas: 9 } };
    expect((await client.post(deployments, sent)).body.status.replicas).toBeUndefined();
    const change = { spec: { replicas: 5 }, status: { replicas: 2 } };
    const whole = await client.patch(path, 'merge', change);
    expect([whole.body.spec.replicas, whole.body.status.replicas]).toEqual([5, undefined]);
    const part = await client.patch(`${path}/status`, 'merge', {
      metadata: { labels: { a: 'b' } },
      spec: { replicas: 7 },
      status: { replicas: 2 },
    });
    expect([part.body.spec.replicas, part.body.status.replicas]).toEqual([5, 2]);
    expect(part.body.metadata.labels).toBeUndefined();
    expect((await client.get(`${path}/status`)).body).toEqual(part.body);
  });
});

describe('patch', () => {
  test('applies JSON, merge and strategic merge patches', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(deployments, deployment('web'));
    const path = `${deployments}/web`;
    const replace = [{ op: 'replace', path: '/spec/replicas', value: 4 }];
    expect((await client.patch(path, 'json', replace)).body.spec.replicas).toBe(4);
    const merge = { metadata: { annotations: { a: 'b' } } };
    expect((await client.patch(path, 'merge', merge)).body.metadata.annotations).toEqual({
      a: 'b',
    });
    const second = { spec: { template: { spec: { containers: [{ name: 'd', image: 'j' }] } } } };
    const { body } = await client.patch(path, 'strategic', second);
    const names = body.spec.template.spec.containers.map(({ name }: Json) => name);
    expect(names.toSorted()).toEqual(['c', 'd']);
  });

  test.each([
    ['an unknown type', 'application/json', '{}', 415],
    ['no JSON', 'application/merge-patch+json', '{"data":', 400],
    [
      'another version',
      'application/merge-patch+json',
      '{"metadata":{"resourceVersion":"1"}}',
      409,
    ],
    ['another name', 'application/merge-patch+json', '{"metadata":{"name":"b"}}', 400],
    ['a wrong type of value', 'application/merge-patch+json', '{"data":{"x":1}}', 422],
    ['a failing test', 'application/json-patch+json', '[{"op":"test","path":"/x","value":1}]', 422],
  ])('refuses %s', async (_, type, patch, code) => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(maps, { metadata: { name: 'a' } });
    const response = await client.send('PATCH', `${maps}/a`, patch, { 'content-type': type });
    expect(response.code).toBe(code);
  });
});

describe('server-side apply', () => {
  const applied = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data: { x: '1' },
  };
  const unnamed = { apiVersion: 'v1', kind: 'ConfigMap' };

  test('creates, owns, reports conflicts, and forces', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const path = `${maps}/a`;
    const created = await client.patch(`${path}?fieldManager=one`, 'apply', applied);
    expect(created.code).toBe(201);
    expect(created.body.metadata.managedFields).toMatchObject([
      { manager: 'one', operation: 'Apply', fieldsV1: { 'f:data': { 'f:x': {} } } },
    ]);
    const again = await client.patch(`${path}?fieldManager=one`, 'apply', applied);
    expect([again.code, again.body]).toEqual([200, created.body]);
    const other = { ...applied, data: { x: '2' } };
    const refused = await client.patch(`${path}?fieldManager=two`, 'apply', other);
    expect([refused.code, refused.body.reason]).toEqual([409, 'Conflict']);
    expect(refused.body.details.causes).toMatchObject([{ field: '.data.x' }]);
    const forced = await client.patch(`${path}?fieldManager=two&force=true`, 'apply', other);
    expect([forced.code, forced.body.data]).toEqual([200, { x: '2' }]);
  });

  test('accepts YAML and requires the name of the manager', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n';
    expect((await client.patch(`${maps}/a`, 'apply', yaml)).code).toBe(422);
    const { body } = await client.patch(`${maps}/a?fieldManager=me`, 'apply', yaml);
    expect(body.data).toEqual({ x: '1' });
  });

  test('removes fields that its manager no longer applies', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const path = `${maps}/a?fieldManager=one`;
    await client.patch(path, 'apply', { ...applied, data: { x: '1', y: '2' } });
    expect((await client.patch(path, 'apply', applied)).body.data).toEqual({ x: '1' });
  });

  test('an apply with a uid does not create a missing object', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const path = `${maps}/a?fieldManager=one`;
    const metadata = { name: 'a', uid: 'gone' };
    const { code, body } = await client.patch(path, 'apply', { ...applied, metadata });
    expect([code, body.message]).toEqual([
      409,
      'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid gone, and no existing object was found',
    ]);
    const old = { ...applied, metadata: { name: 'a', resourceVersion: '1' } };
    expect((await client.patch(path, 'apply', old)).code).toBe(201);
  });

  test('refuses to create an object without its name, and changes one', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const path = `${maps}/a?fieldManager=m`;
    const refused = await client.patch(path, 'apply', { ...unnamed, data: { x: '1' } });
    expect([refused.code, refused.body.message]).toEqual([
      400,
      'the name of the object (a based on URL) was undeterminable: name must be provided',
    ]);
    await client.patch(path, 'apply', { ...unnamed, metadata: { name: 'a' } });
    const changed = await client.patch(path, 'apply', { ...unnamed, data: { x: '1' } });
    expect([changed.code, changed.body.data]).toEqual([200, { x: '1' }]);
  });

  test('refuses a uid of a missing object before another namespace and name', async () => {
    await using server = await createApiServer();
    const metadata = { name: 'b', namespace: 'other', uid: 'u' };
    const other = { ...unnamed, metadata };
    const path = `${maps}/a?fieldManager=m`;
    const { code, body } = await new RawClient(server).patch(path, 'apply', other);
    expect([code, body.reason]).toEqual([409, 'Conflict']);
    expect(body.message).toContain('uid mismatch');
  });

  test('names neither a namespace nor a name of another type', async () => {
    await using server = await createApiServer();
    const odd = { ...unnamed, metadata: { name: 'a', namespace: 5 } };
    const path = `${maps}/a?fieldManager=m`;
    const { code, body } = await new RawClient(server).patch(path, 'apply', odd);
    expect([code, body.message]).toEqual([
      500,
      'failed to create typed patch object (/a; /v1, Kind=ConfigMap): .metadata.namespace: expected string, got &value.valueUnstructured{Value:5}',
    ]);
  });

  test('reports the digits of a number that no IntOrString holds', async () => {
    await using server = await createApiServer();
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    const budget = {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'a' },
      spec: { minAvailable: 1.5 },
    };
    const path = `${budgets}/a?fieldManager=m`;
    const { code, body } = await new RawClient(server).patch(path, 'apply', budget);
    expect(code).toBe(500);
    expect(body.message).toMatch(
      /: json: cannot unmarshal number 1\.5 into Go value of type int32$/,
    );
  });

  test('treats a missing list key as empty, and the kind refuses it', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const keyless = deployment('d');
    keyless.spec.template.spec.containers = [{ image: 'i' }];
    const { code, body } = await client.patch(
      `${deployments}/d?fieldManager=one`,
      'apply',
      keyless,
    );
    expect([code, body.reason]).toEqual([422, 'Invalid']);
  });
});
