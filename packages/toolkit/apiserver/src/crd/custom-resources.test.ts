import { describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';
const head = { apiVersion: 'example.com/v1', kind: 'Widget' };

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer', maximum: 9 },
        color: { type: 'string', default: 'red' },
      },
    },
    status: {
      type: 'object',
      properties: { replicas: { type: 'integer' }, selector: { type: 'string' } },
    },
  },
};

function definition(version: object = {}): Json {
  const v1 = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    subresources: { status: {} },
    ...version,
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
      versions: [v1],
    },
  };
}

async function serving(crd: Json = definition()): Promise<[ApiServer, RawClient]> {
  const server = await createApiServer();
  const client = new RawClient(server);
  expect((await client.post(crds, crd)).code).toBe(201);
  await server.idle();
  return [server, client];
}

function condition(crd: Json, type: string): Json {
  return crd.status.conditions.find((found: Json) => found.type === type);
}

describe('CustomResourceDefinition', () => {
  // As in kube-apiserver 1.36.3, whose own finalizer on a definition is unqualified.
  test('accepts unqualified finalizers, also on its objects', async () => {
    const crd = definition();
    crd.metadata.finalizers = ['hold'];
    const [server, client] = await serving(crd);
    await using _ = server;
    const metadata = { name: 'a', finalizers: ['hold'] };
    expect((await client.post(widgets, { ...head, metadata })).code).toBe(201);
    const dotted = { ...head, metadata: { name: 'b', finalizers: ['x.example.com'] } };
    const { headers } = await client.post(`${widgets}?dryRun=All`, dotted);
    expect(headers.get('warning')).toContain('finalizer name including a path (/) to avoid');
    await client.delete(`${crds}/widgets.example.com`);
    const { code, body } = await client.patch(`${crds}/widgets.example.com`, 'merge', {
      metadata: { labels: { a: 'b' } },
    });
    expect([code, body.metadata.finalizers]).toEqual([
      200,
      expect.arrayContaining(['customresourcecleanup.apiextensions.k8s.io', 'hold']),
    ]);
  });

  test('is established soon after its creation, and served from then on', async () => {
    const [server, client] = await serving();
    await using _ = server;
    const { body } = await client.get(`${crds}/widgets.example.com`);
    expect(condition(body, 'NamesAccepted').status).toBe('True');
    expect(condition(body, 'Established').status).toBe('True');
    expect(body.status).toMatchObject({
      acceptedNames: {
        plural: 'widgets',
        singular: 'widget',
        kind: 'Widget',
        listKind: 'WidgetList',
      },
      storedVersions: ['v1'],
    });
    expect((await client.get('/apis/example.com/v1')).body.resources).toMatchObject([
      { name: 'widgets', kind: 'Widget', shortNames: ['wd'], namespaced: true },
      { name: 'widgets/status' },
    ]);
    expect((await client.get(widgets)).body).toEqual({
      apiVersion: 'example.com/v1',
      kind: 'WidgetList',
      items: [],
      metadata: { continue: '', resourceVersion: server.resourceVersion },
    });
  });

  test('is not established while another definition has its names', async () => {
    const [server, client] = await serving();
    await using _ = server;
    const rival = definition();
    rival.metadata.name = 'gadgets.example.com';
    rival.spec.names = { plural: 'gadgets', kind: 'Widget' };
    await client.post(crds, rival);
    await server.idle();
    const { body } = await client.get(`${crds}/gadgets.example.com`);
    expect(condition(body, 'NamesAccepted')).toMatchObject({
      status: 'False',
      reason: 'ListKindConflict',
    });
    expect(condition(body, 'Established').status).toBe('False');
    expect((await client.get('/apis/example.com/v1/gadgets')).code).toBe(404);
  });

  function ruled(rule: string): Json {
    const rules = [{ rule }];
    const spec = { ...schema.properties.spec, 'x-kubernetes-validations': rules };
    const withRules = { ...schema, properties: { ...schema.properties, spec } };
    return definition({
      schema: { openAPIV3Schema: withRules },
      subresources: {
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      },
    });
  }

  test('evaluates its CEL rules on every write, also through scale', async () => {
    const [server, client] = await serving(ruled('self.replicas < 3'));
    await using _ = server;
    const widget = (replicas: number): Json => ({
      ...head,
      metadata: { name: 'w' },
      spec: { replicas },
    });
    const rejected = await client.post(widgets, widget(3));
    expect(rejected.code).toBe(422);
    expect(rejected.body.message).toBe(
      'Widget.example.com "w" is invalid: spec: Invalid value: failed rule: self.replicas < 3',
    );
    expect((await client.post(widgets, widget(2))).code).toBe(201);
    expect((await client.put(`${widgets}/w`, widget(3))).code).toBe(422);
    const scaled = await client.patch(`${widgets}/w/scale`, 'merge', { spec: { replicas: 3 } });
    expect(scaled.code).toBe(422);
  });

  // Recorded from kube-apiserver 1.36.3.
  test.each(['oneOf', 'enum', 'definitions', 'x-kubernetes-list-map-keys'])(
    'is refused with an empty %s at the root of its schema beside a status, and drops it elsewhere',
    async (keyword) => {
      await using server = await createApiServer();
      const client = new RawClient(server);
      const empty = keyword === 'definitions' ? {} : [];
      const withSchema = (openAPIV3Schema: object): Json =>
        definition({ schema: { openAPIV3Schema }, subresources: { status: {} } });
      const refused = await client.post(crds, withSchema({ type: 'object', [keyword]: empty }));
      expect(refused.code).toBe(422);
      expect(refused.body.message).toContain('fields are allowed at the root of the schema');
      const spec = { type: 'object', [keyword]: empty };
      const within = withSchema({ type: 'object', properties: { spec } });
      const { code, body } = await client.post(crds, within);
      expect(code).toBe(201);
      expect(body.spec.versions[0].schema.openAPIV3Schema.properties.spec).toEqual({
        type: 'object',
      });
    },
  );

  test('is rejected if a CEL rule does not compile', async () => {
    await using server = await createApiServer();
    const { code, body } = await new RawClient(server).post(crds, ruled('self.size < 3'));
    expect(code).toBe(422);
    expect(body.details.causes[0]).toMatchObject({
      field: 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule',
      message: expect.stringMatching(
        /: compilation failed: ERROR: <input>:1:5: undefined field 'size'\n \| self.size < 3\n \| \.{4}\^$/,
      ),
    });
  });

  test('deletes its objects and ends their watches when deleted; the paths of its group are plain 404', async () => {
    const [server, client] = await serving();
    await using _ = server;
    await client.post(widgets, { ...head, metadata: { name: 'a', finalizers: ['x.io/y'] } });
    await using watch = await client.watch(
      `${widgets}?watch=1&resourceVersion=${server.resourceVersion}`,
    );
    const { body } = await client.delete(`${crds}/widgets.example.com`);
    expect(condition(body, 'Terminating').status).toBe('True');
    await server.idle();
    expect((await client.get(`${widgets}/a`)).body.metadata.deletionTimestamp).toBeDefined();
    expect((await client.post(widgets, { ...head, metadata: { name: 'b' } })).code).toBe(405);
    await client.patch(`${widgets}/a`, 'merge', { metadata: { finalizers: null } });
    await server.idle();
    expect(await watch.titles(2)).toEqual(['MODIFIED a', 'DELETED a']);
    expect(await watch.next()).toBeUndefined();
    expect((await client.get(`${crds}/widgets.example.com`)).code).toBe(404);
    const gone = await client.get(widgets);
    expect([gone.code, gone.text]).toEqual([404, '404 page not found\n']);
  });

  test('has no old objects after deletion and creation; old resourceVersions are expired', async () => {
    const [server, client] = await serving();
    await using _ = server;
    const { body: old } = await client.post(widgets, { ...head, metadata: { name: 'a' } });
    await client.delete(`${crds}/widgets.example.com`);
    await server.idle();
    await client.post(crds, definition());
    await server.idle();
    expect((await client.get(widgets)).body.items).toEqual([]);
    const { resourceVersion } = old.metadata;
    await using watch = await client.watch(`${widgets}?watch=1&resourceVersion=${resourceVersion}`);
    expect((await watch.next()).object.code).toBe(410);
  });

  test('ends its watches when changed and applies new defaults to stored objects', async () => {
    const [server, client] = await serving();
    await using _ = server;
    await client.post(widgets, { ...head, metadata: { name: 'a' }, spec: {} });
    await using watch = await client.watch(
      `${widgets}?watch=1&resourceVersion=${server.resourceVersion}`,
    );
    const size = { type: 'string', default: 'xl' };
    const spec = { type: 'object', properties: { ...schema.properties.spec.properties, size } };
    const changed = definition({
      schema: { openAPIV3Schema: { ...schema, properties: { spec } } },
    });
    const patch = { spec: { versions: changed.spec.versions } };
    expect((await client.patch(`${crds}/widgets.example.com`, 'merge', patch)).code).toBe(200);
    await server.idle();
    expect(await watch.next()).toBeUndefined();
    expect((await client.get(`${widgets}/a`)).body.spec).toEqual({ color: 'red', size: 'xl' });
  });
});

describe('custom resource', () => {
  test('is pruned, defaulted and validated by its schema', async () => {
    const [server, client] = await serving();
    await using _ = server;
    const sent = { ...head, metadata: { name: 'a' }, spec: { replicas: 2, what: 1 } };
    const { body, headers } = await client.post(widgets, sent);
    expect(body.spec).toEqual({ replicas: 2, color: 'red' });
    expect(headers.get('warning')).toContain(String.raw`unknown field \"spec.what\"`);
    const wrong = { ...head, metadata: { name: 'b' }, spec: { replicas: 10 } };
    const rejected = await client.post(widgets, wrong);
    expect([rejected.code, rejected.body.details.causes[0].field]).toEqual([422, 'spec.replicas']);
    const text = { ...head, metadata: { name: 'b' }, spec: { replicas: 'two' } };
    expect((await client.post(widgets, text)).code).toBe(422);
  });

  test.each([
    ['no kind', { metadata: { name: 'a' } }, 400],
    ['another version', { ...head, apiVersion: 'example.com/v2' }, 400],
    ['another kind', { ...head, kind: 'Gadget', metadata: { name: 'a' } }, 422],
  ])('with %s is rejected', async (_case, sent, code) => {
    const [server, client] = await serving();
    await using _ = server;
    expect((await client.post(widgets, sent)).code).toBe(code);
  });

  test('requires a resourceVersion for a replace and rejects strategic merge patches', async () => {
    const [server, client] = await serving();
    await using _ = server;
    await client.post(widgets, { ...head, metadata: { name: 'a' } });
    expect((await client.put(`${widgets}/a`, { ...head, metadata: { name: 'a' } })).code).toBe(422);
    expect((await client.patch(`${widgets}/a`, 'strategic', {})).code).toBe(415);
  });

  test('a custom resource with a status subresource ignores status in main writes and in generation', async () => {
    const [server, client] = await serving();
    await using _ = server;
    const sent = { ...head, metadata: { name: 'a' }, spec: {}, status: { replicas: 1 } };
    expect((await client.post(widgets, sent)).body.status).toBeUndefined();
    const both = { spec: { replicas: 2 }, status: { replicas: 2 } };
    const spec = (await client.patch(`${widgets}/a`, 'merge', both)).body;
    expect([spec.metadata.generation, spec.status]).toEqual([2, undefined]);
    const path = `${widgets}/a/status`;
    const status = (await client.patch(path, 'merge', { ...both, spec: { replicas: 5 } })).body;
    expect([status.metadata.generation, status.spec.replicas, status.status]).toEqual([
      2,
      2,
      { replicas: 2 },
    ]);
  });

  test('a custom resource without a status subresource writes status with the rest and counts it in generation', async () => {
    const [server, client] = await serving(definition({ subresources: {} }));
    await using _ = server;
    await client.post(widgets, { ...head, metadata: { name: 'a' }, status: { replicas: 1 } });
    const { body } = await client.patch(`${widgets}/a`, 'merge', { status: { replicas: 2 } });
    expect([body.metadata.generation, body.status]).toEqual([2, { replicas: 2 }]);
    expect((await client.get(`${widgets}/a/status`)).code).toBe(404);
  });

  test('is read and written in each of its versions', async () => {
    const crd = definition();
    crd.spec.versions.push({
      name: 'v1beta1',
      served: true,
      storage: false,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    });
    const [server, client] = await serving(crd);
    await using _ = server;
    const beta = '/apis/example.com/v1beta1/namespaces/default/widgets';
    const sent = { apiVersion: 'example.com/v1beta1', kind: 'Widget', metadata: { name: 'a' } };
    await client.post(beta, { ...sent, spec: { replicas: 1 } });
    const { body } = await client.get(`${widgets}/a`);
    expect([body.apiVersion, body.spec.replicas]).toEqual(['example.com/v1', 1]);
    expect((await client.get(beta)).body.items[0].apiVersion).toBe('example.com/v1beta1');
    expect((await client.get('/apis/example.com')).body).toMatchObject({
      versions: [{ version: 'v1' }, { version: 'v1beta1' }],
      preferredVersion: { version: 'v1' },
    });
  });

  test('has the defaults of its storage version and only the fields of the requested version', async () => {
    const [server, client] = await serving(definition());
    await using _ = server;
    await client.post(widgets, { ...head, metadata: { name: 'a' }, spec: { replicas: 1 } });
    const properties = { replicas: { type: 'integer' }, size: { type: 'string', default: 'm' } };
    const spec = { type: 'object', properties };
    const openAPIV3Schema = { type: 'object', properties: { spec } };
    const v2 = { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema } };
    await client.patch(`${crds}/widgets.example.com`, 'json', [
      { op: 'replace', path: '/spec/versions/0/storage', value: false },
      { op: 'add', path: '/spec/versions/-', value: v2 },
    ]);
    await server.idle();
    const later = widgets.replace('/v1/', '/v2/');
    expect((await client.get(`${later}/a`)).body.spec).toEqual({ replicas: 1 });
    expect((await client.get(`${widgets}/a`)).body.spec).toEqual({ replicas: 1, color: 'red' });
    await client.patch(`${later}/a`, 'merge', { spec: { replicas: 2 } });
    expect((await client.get(`${later}/a`)).body.spec).toEqual({ replicas: 2, size: 'm' });
    expect((await client.get(`${widgets}/a`)).body.spec).toEqual({ replicas: 2 });
  });

  test('a patch without a change writes an object that is stored in another version', async () => {
    const [server, client] = await serving(definition());
    await using _ = server;
    const { body } = await client.post(widgets, { ...head, metadata: { name: 'a' } });
    const version = async (): Promise<string> =>
      (await client.patch(`${widgets}/a`, 'merge', {})).body.metadata.resourceVersion;
    expect(await version()).toBe(body.metadata.resourceVersion);
    const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await client.patch(`${crds}/widgets.example.com`, 'json', [
      { op: 'replace', path: '/spec/versions/0/storage', value: false },
      {
        op: 'add',
        path: '/spec/versions/-',
        value: { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema } },
      },
    ]);
    await server.idle();
    const migrated = await version();
    expect(migrated).not.toBe(body.metadata.resourceVersion);
    expect(await version()).toBe(migrated);
  });

  test('a version that is not served is an unknown path', async () => {
    const [server, client] = await serving(definition());
    await using _ = server;
    const { text } = await client.get(widgets.replace('/v1/', '/v9/'));
    expect(text).toBe('404 page not found\n');
  });

  test('a field that becomes selectable selects existing objects', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(crds, definition());
    await server.idle();
    for (const color of ['red', 'blue']) {
      await client.post(widgets, { ...head, metadata: { name: color }, spec: { color } });
    }
    const before = server.resourceVersion;
    const version = definition({ selectableFields: [{ jsonPath: '.spec.color' }] }).spec
      .versions[0];
    const selectable = [{ op: 'replace', path: '/spec/versions/0', value: version }];
    await client.patch(`${crds}/widgets.example.com`, 'json', selectable);
    await server.idle();
    const { body } = await client.get(`${widgets}?fieldSelector=spec.color%3Dblue`);
    expect(body.items.map((item: Json) => item.metadata.name)).toEqual(['blue']);
    const [item] = body.items;
    expect(Number(item.metadata.resourceVersion)).toBeLessThanOrEqual(Number(before));
    await using watch = await client.watch(
      `${widgets}?watch=1&resourceVersion=0&fieldSelector=spec.color%3Dred`,
    );
    expect(await watch.titles(1)).toEqual(['ADDED red']);
    await client.patch(`${widgets}/red`, 'merge', { spec: { color: 'green' } });
    expect(await watch.titles(1)).toEqual(['DELETED red']);
  });

  test('can be selected by the selectable fields of the definition', async () => {
    const [server, client] = await serving(
      definition({ selectableFields: [{ jsonPath: '.spec.color' }] }),
    );
    await using _ = server;
    await client.post(widgets, { ...head, metadata: { name: 'a' }, spec: {} });
    await client.post(widgets, { ...head, metadata: { name: 'b' }, spec: { color: 'blue' } });
    const { body } = await client.get(`${widgets}?fieldSelector=spec.color%3Dblue`);
    expect(body.items.map(({ metadata }: Json) => metadata.name)).toEqual(['b']);
    expect((await client.get(`${widgets}?fieldSelector=spec.replicas%3D1`)).code).toBe(400);
  });

  test('is scaled through the paths of its definition', async () => {
    const scale = {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    };
    const [server, client] = await serving(definition({ subresources: { status: {}, scale } }));
    await using _ = server;
    await client.post(widgets, { ...head, metadata: { name: 'a' }, spec: { replicas: 1 } });
    await client.patch(`${widgets}/a/status`, 'merge', {
      status: { replicas: 1, selector: 'a=b' },
    });
    const patched = await client.patch(`${widgets}/a/scale`, 'merge', { spec: { replicas: 4 } });
    expect(patched.body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 4 },
      status: { replicas: 1, selector: 'a=b' },
    });
    const { body } = await client.get(`${widgets}/a`);
    expect([body.spec.replicas, body.metadata.generation]).toEqual([4, 2]);
  });
});
