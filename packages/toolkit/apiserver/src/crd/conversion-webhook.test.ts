import { describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';
import {
  patchAnswer,
  RawAnswer,
  webhook,
  WebhookServer,
} from '../webhooks/webhook-server.test-support.ts';

// What kube-apiserver does: `apiserver/conversion/webhook_converter.go` of apiextensions-apiserver 1.36, and "Versions in
// CustomResourceDefinitions" in the Kubernetes documentation.

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const path = (version: string): string => `/apis/example.com/${version}/namespaces/default/widgets`;
const headOf = (version: string): object => ({
  apiVersion: `example.com/${version}`,
  kind: 'Widget',
});

/** v1 has `spec.size` as a number, v2 has `spec.dimensions.size` and a default color. */
function toVersion(object: Json, apiVersion: string): Json {
  const { metadata, spec = {} } = object;
  const converted = { apiVersion, kind: object.kind, metadata };
  if (apiVersion.endsWith('v2')) {
    return { ...converted, spec: { dimensions: { size: spec.size }, unknown: 1 } };
  }
  return { ...converted, spec: { size: spec.dimensions?.size } };
}

function success(request: Json): Json {
  return {
    result: { status: 'Success' },
    convertedObjects: request.objects.map((each: Json) =>
      toVersion(each, request.desiredAPIVersion),
    ),
  };
}

function definition(hooks: WebhookServer, storage = 'v2'): Json {
  const objectOf = (properties: object): object => ({ type: 'object', properties });
  const schemas = {
    v1: { size: { type: 'integer', maximum: 10 } },
    v2: {
      dimensions: objectOf({ size: { type: 'integer' } }),
      color: { type: 'string', default: 'red' },
    },
  };
  const versions = Object.entries(schemas).map(([name, spec]) => ({
    name,
    served: true,
    storage: name === storage,
    schema: { openAPIV3Schema: objectOf({ spec: objectOf(spec), status: objectOf(spec) }) },
    subresources: { status: {} },
    additionalPrinterColumns: [
      {
        name: 'Size',
        type: 'integer',
        jsonPath: name === 'v1' ? '.spec.size' : '.spec.dimensions.size',
      },
    ],
  }));
  const webhookSpec = { clientConfig: hooks.config('/convert'), conversionReviewVersions: ['v1'] };
  return {
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions,
      conversion: { strategy: 'Webhook', webhook: webhookSpec },
    },
  };
}

class ConversionTest implements AsyncDisposable {
  readonly server: ApiServer;
  readonly hooks: WebhookServer;
  readonly client: RawClient;

  constructor(server: ApiServer, hooks: WebhookServer) {
    this.server = server;
    this.hooks = hooks;
    this.client = new RawClient(server);
  }

  static async start(handler: (request: Json) => Json = success): Promise<ConversionTest> {
    const hooks = await WebhookServer.start(handler);
    const setup = new ConversionTest(await createApiServer(), hooks);
    expect((await setup.client.post(crds, definition(hooks))).code).toBe(201);
    await setup.server.idle();
    return setup;
  }

  /** Creates a widget in v2, the storage version. */
  create(name: string, size: number): Promise<Json> {
    const object = { ...headOf('v2'), metadata: { name }, spec: { dimensions: { size } } };
    return this.client.post(path('v2'), object);
  }

  async store(version: string): Promise<void> {
    const { body } = await this.client.get(`${crds}/widgets.example.com`);
    for (const each of body.spec.versions) each.storage = each.name === version;
    expect((await this.client.put(`${crds}/widgets.example.com`, body)).code).toBe(200);
    await this.server.idle();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
    await this.hooks[Symbol.asyncDispose]();
  }
}

describe('a conversion webhook', () => {
  test('gets a review with the stored object, and is not called for the storage version', async () => {
    await using setup = await ConversionTest.start();
    const { client, hooks } = setup;
    await setup.create('one', 3);
    expect((await client.get(`${path('v2')}/one`)).body.spec).toEqual({
      dimensions: { size: 3 },
      color: 'red',
    });
    expect(hooks.received).toEqual([]);
    const { body } = await client.get(`${path('v1')}/one`);
    expect([body.apiVersion, body.spec]).toEqual(['example.com/v1', { size: 3 }]);
    const [{ path: url, review }] = hooks.received as [Json];
    expect(url).toBe('/convert?timeout=30s');
    expect(review).toMatchObject({
      kind: 'ConversionReview',
      apiVersion: 'apiextensions.k8s.io/v1',
      request: {
        desiredAPIVersion: 'example.com/v1',
        objects: [{ ...headOf('v2'), spec: { dimensions: { size: 3 }, color: 'red' } }],
      },
    });
    expect(review.request.uid).toMatch(/^[0-9a-f-]{36}$/);
    // kube-apiserver sets the resourceVersion after the conversion.
    expect(review.request.objects[0].metadata.resourceVersion).toBeUndefined();
    expect(body.metadata.resourceVersion).toMatch(/^\d+$/);
  });

  test('converts writes to the storage version, without the fields that it does not have', async () => {
    await using setup = await ConversionTest.start();
    const { client } = setup;
    const object = { ...headOf('v1'), metadata: { name: 'one' }, spec: { size: 3 } };
    const created = await client.post(path('v1'), object);
    expect([created.code, created.body.spec]).toEqual([201, { size: 3 }]);
    const v2 = async (): Promise<Json> => (await client.get(`${path('v2')}/one`)).body.spec;
    expect(await v2()).toEqual({ dimensions: { size: 3 }, color: 'red' });
    await client.patch(`${path('v1')}/one`, 'merge', { spec: { size: 4 } });
    expect(await v2()).toMatchObject({ dimensions: { size: 4 } });
    const applied = { ...headOf('v1'), metadata: { name: 'one' }, spec: { size: 5 } };
    await client.patch(`${path('v1')}/one?fieldManager=me&force=true`, 'apply', applied);
    expect(await v2()).toMatchObject({ dimensions: { size: 5 } });
    const { body } = await client.get(`${path('v1')}/one`);
    await client.put(`${path('v1')}/one`, { ...body, spec: { size: 6 } });
    expect(await v2()).toMatchObject({ dimensions: { size: 6 } });
    expect((await client.delete(`${path('v1')}/one`)).code).toBe(200);
    expect((await client.get(`${path('v2')}/one`)).code).toBe(404);
  });

  test('writes are validated in the version of the request', async () => {
    await using setup = await ConversionTest.start();
    const object = { ...headOf('v1'), metadata: { name: 'one' }, spec: { size: 11 } };
    expect((await setup.client.post(path('v1'), object)).code).toBe(422);
    expect((await setup.create('one', 11)).code).toBe(201);
  });

  test('a dry run shows the object of the request', async () => {
    await using setup = await ConversionTest.start();
    const object = { ...headOf('v1'), metadata: { name: 'one' }, spec: { size: 3 } };
    const { code, body } = await setup.client.post(`${path('v1')}?dryRun=All`, object);
    expect([code, body.spec]).toEqual([201, { size: 3 }]);
    expect((await setup.client.get(`${path('v2')}/one`)).code).toBe(404);
  });

  test('converts lists, tables and watches', async () => {
    await using setup = await ConversionTest.start();
    const { client } = setup;
    await setup.create('one', 1);
    await setup.create('two', 2);
    const list = await client.get(path('v1'));
    expect(list.body.items.map(({ apiVersion, spec }: Json) => [apiVersion, spec.size])).toEqual([
      ['example.com/v1', 1],
      ['example.com/v1', 2],
    ]);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = await client.get(path('v1'), { accept });
    expect(table.body.rows.map(({ cells }: Json) => cells)).toEqual([
      ['one', 1],
      ['two', 2],
    ]);
    await using watch = await client.watch(`${path('v1')}?watch=true`);
    const event = async (): Promise<Json> => {
      const { type, object } = await watch.next();
      return [type, object.apiVersion, object.metadata.name, object.spec.size];
    };
    expect([await event(), await event()]).toEqual([
      ['ADDED', 'example.com/v1', 'one', 1],
      ['ADDED', 'example.com/v1', 'two', 2],
    ]);
    await setup.create('three', 3);
    await client.patch(`${path('v2')}/one`, 'merge', { spec: { dimensions: { size: 9 } } });
    await client.delete(`${path('v2')}/two`);
    expect([await event(), await event(), await event()]).toEqual([
      ['ADDED', 'example.com/v1', 'three', 3],
      ['MODIFIED', 'example.com/v1', 'one', 9],
      ['DELETED', 'example.com/v1', 'two', 2],
    ]);
  });

  test('an object that leaves the selector of a watch is converted', async () => {
    await using setup = await ConversionTest.start();
    const metadata = { name: 'one', labels: { a: 'b' } };
    await setup.client.post(path('v2'), {
      ...headOf('v2'),
      metadata,
      spec: { dimensions: { size: 1 } },
    });
    await using watch = await setup.client.watch(`${path('v1')}?watch=true&labelSelector=a`);
    expect((await watch.next()).object.spec).toEqual({ size: 1 });
    await setup.client.patch(`${path('v2')}/one`, 'merge', { metadata: { labels: null } });
    const { type, object } = await watch.next();
    expect([type, object.spec]).toEqual(['DELETED', { size: 1 }]);
  });

  test('objects of an earlier storage version are converted, until they are written', async () => {
    await using setup = await ConversionTest.start();
    const { client, hooks } = setup;
    await setup.create('old', 3);
    await setup.store('v1');
    expect((await client.get(`${path('v2')}/old`)).body.spec).toMatchObject({
      dimensions: { size: 3 },
    });
    expect(hooks.received).toEqual([]);
    const { body } = await client.get(`${path('v1')}/old`);
    expect(body.spec).toEqual({ size: 3 });
    expect(hooks.received).toHaveLength(1);
    // An update without a change migrates the object, as the storage version migrator does.
    const migrated = await client.put(`${path('v1')}/old`, body);
    expect(migrated.body.metadata.resourceVersion).not.toBe(body.metadata.resourceVersion);
    hooks.received.splice(0);
    expect((await client.get(`${path('v1')}/old`)).body.spec).toEqual({ size: 3 });
    expect(hooks.received).toEqual([]);
    expect((await client.get(`${path('v2')}/old`)).body.spec).toMatchObject({
      dimensions: { size: 3 },
    });
    expect(hooks.received).toHaveLength(1);
  });

  test('an object that is stored in a removed version cannot be read', async () => {
    await using setup = await ConversionTest.start();
    const { client, server } = setup;
    await setup.create('old', 1);
    await setup.store('v1');
    const name = `${crds}/widgets.example.com`;
    const { body: both } = await client.get(name);
    expect(both.status.storedVersions).toEqual(['v2', 'v1']);
    const only = { ...both, spec: { ...both.spec, versions: both.spec.versions.slice(0, 1) } };
    expect((await client.put(name, only)).code).toBe(422);
    both.status.storedVersions = ['v1'];
    const { body: migrated } = await client.put(`${name}/status`, both);
    only.metadata = migrated.metadata;
    expect((await client.put(name, only)).code).toBe(200);
    await server.idle();
    expect((await client.get(`${path('v1')}/old`)).body).toMatchObject({
      code: 500,
      message: 'request to convert CR from an invalid group/version: example.com/v2',
    });
  });

  test('a new storage version is added by the write, and belongs to no manager', async () => {
    await using setup = await ConversionTest.start();
    await setup.store('v1');
    const { body } = await setup.client.get(`${crds}/widgets.example.com`);
    expect(body.status.storedVersions).toEqual(['v2', 'v1']);
    expect(JSON.stringify(body.metadata.managedFields)).not.toContain('f:storedVersions');
  });

  test('a write takes the fields that managers own in other versions', async () => {
    await using setup = await ConversionTest.start();
    const { client } = setup;
    await setup.create('a', 1);
    const object = { ...headOf('v1'), metadata: { name: 'a' }, spec: { size: 5 } };
    const apply = (force: boolean): Promise<Json> =>
      client.patch(`${path('v1')}/a?fieldManager=me&force=${force}`, 'apply', object);
    expect((await apply(false)).body).toMatchObject({
      code: 409,
      message: expect.stringContaining('using example.com/v2: .spec.dimensions.size'),
    });
    const { managedFields } = (await apply(true)).body.metadata;
    expect(managedFields).toMatchObject([
      { manager: 'me', apiVersion: 'example.com/v1', fieldsV1: { 'f:spec': { 'f:size': {} } } },
      { apiVersion: 'example.com/v2' },
    ]);
    expect(managedFields[1].fieldsV1['f:spec']['f:dimensions']).toEqual({});
  });

  test('the controllers of the server delete objects in any version', async () => {
    await using setup = await ConversionTest.start();
    const { client, server } = setup;
    await client.post('/api/v1/namespaces', { metadata: { name: 'team' } });
    const inTeam = '/apis/example.com/v2/namespaces/team/widgets';
    await client.post(inTeam, { ...headOf('v2'), metadata: { name: 'one' }, spec: {} });
    await client.delete('/api/v1/namespaces/team');
    await server.idle();
    expect((await client.get('/api/v1/namespaces/team')).code).toBe(404);
  });

  test('admission webhooks get the version of their rules', async () => {
    await using setup = await ConversionTest.start();
    await using admission = await WebhookServer.start(() =>
      patchAnswer({ op: 'replace', path: '/spec/dimensions/size', value: 7 }),
    );
    const rules = [
      {
        apiGroups: ['example.com'],
        apiVersions: ['v2'],
        operations: ['*'],
        resources: ['widgets'],
      },
    ];
    const webhooks = [webhook('a', admission.config(), { rules })];
    const configurations = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
    await setup.client.post(configurations, { metadata: { name: 'a' }, webhooks });
    const object = { ...headOf('v1'), metadata: { name: 'one' }, spec: { size: 3 } };
    const { body } = await setup.client.post(path('v1'), object);
    expect(body.spec).toEqual({ size: 7 });
    expect(admission.requests()[0].object).toMatchObject({
      ...headOf('v2'),
      spec: { dimensions: { size: 3 } },
    });
  });

  test('seed and object use the storage version', async () => {
    await using setup = await ConversionTest.start();
    const { server } = setup;
    const metadata = { name: 'one', namespace: 'default' };
    expect(() => server.seed([{ ...headOf('v1'), metadata }])).toThrow(
      'a conversion webhook has to be called first',
    );
    server.seed([{ ...headOf('v2'), metadata }]);
    const resource = { group: 'example.com', plural: 'widgets' };
    expect(server.object({ ...resource, version: 'v2' }, metadata)).toMatchObject(headOf('v2'));
    expect(() => server.object({ ...resource, version: 'v1' }, metadata)).toThrow(
      'a conversion webhook has to be called first',
    );
  });
});

describe('a conversion that fails', () => {
  const failed = 'conversion webhook for example.com/v2, Kind=Widget ';
  const converted =
    (change: (object: Json) => Json) =>
    (request: Json): Json => ({
      result: { status: 'Success' },
      convertedObjects: success(request).convertedObjects.map(change),
    });

  test.each<[string, (request: Json) => Json, string]>([
    [
      'by a message',
      () => ({ result: { status: 'Failed', message: 'no idea' } }),
      `${failed}failed: no idea`,
    ],
    [
      'without a message',
      () => ({ result: {} }),
      `${failed}failed: response.result.status was '', not 'Success'`,
    ],
    [
      'by its code',
      () => new RawAnswer(500, 'oops', 'text/plain'),
      `${failed}failed: an error on the server ("oops") has prevented the request from succeeding`,
    ],
    [
      'without a response',
      () => new RawAnswer(200, { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1' }),
      `${failed}failed: no response provided`,
    ],
    [
      'by another kind of review',
      () => new RawAnswer(200, { kind: 'Other', apiVersion: 'v1' }),
      `${failed}failed: no kind "Other" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`,
    ],
    [
      'by a review without a type',
      () => new RawAnswer(200, { response: { result: { status: 'Success' } } }),
      `${failed}failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`,
    ],
    [
      'by a review of another version',
      () =>
        new RawAnswer(200, {
          kind: 'ConversionReview',
          apiVersion: 'apiextensions.k8s.io/v1beta1',
        }),
      `${failed}failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion`,
    ],
    [
      'by another type of result',
      () => ({ result: 'x' }),
      `${failed}failed: json: cannot unmarshal string into Go struct field ConversionResponse.response.result of type v1.Status`,
    ],
    [
      'by another type of objects',
      () => ({ result: { status: 'Success' }, convertedObjects: 'x' }),
      `${failed}failed: json: cannot unmarshal string into Go struct field ConversionResponse.response.convertedObjects of type []runtime.RawExtension`,
    ],
    [
      'by a text in place of an object',
      () => ({ result: { status: 'Success' }, convertedObjects: ['x'] }),
      'json: cannot unmarshal string into Go value of type map[string]interface {}',
    ],
    [
      'by an annotation',
      converted((each) => ({
        ...each,
        metadata: { ...each.metadata, annotations: { 'a b': 'x' } },
      })),
      `${failed}returned invalid metadata: metadata.annotation: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'by the count',
      () => ({ result: { status: 'Success' }, convertedObjects: [] }),
      `${failed}returned 0 objects, expected 1`,
    ],
    [
      'by the version',
      converted((each) => ({ ...each, apiVersion: 'example.com/v3' })),
      `${failed}returned invalid object at index 0: invalid groupVersion (expected example.com/v1, received example.com/v3)`,
    ],
    [
      'by the kind',
      converted((each) => ({ ...each, kind: 'Gadget' })),
      `${failed}returned invalid object at index 0: invalid kind (expected Widget, received Gadget)`,
    ],
    [
      'by the name',
      converted((each) => ({ ...each, metadata: { ...each.metadata, name: 'two' } })),
      `${failed}returned invalid object: must have the same name: one != two`,
    ],
    [
      'by the namespace',
      converted((each) => ({ ...each, metadata: { ...each.metadata, namespace: 'x' } })),
      `${failed}returned invalid object: must have the same namespace: default != x`,
    ],
    [
      'by a label',
      converted((each) => ({ ...each, metadata: { ...each.metadata, labels: { a: 1 } } })),
      `${failed}returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object`,
    ],
  ])('%s', async (_title, handler, message) => {
    await using setup = await ConversionTest.start();
    await setup.create('one', 1);
    setup.hooks.handler = handler;
    const { code, body } = await setup.client.get(`${path('v1')}/one`);
    expect([code, body.message, body.reason]).toEqual([500, message, undefined]);
    expect((await setup.client.get(path('v1'))).body.message).toBe(message);
    setup.hooks.handler = success;
    expect((await setup.client.get(`${path('v1')}/one`)).code).toBe(200);
  });

  test('refuses a write, and ends a watch with an error', async () => {
    await using setup = await ConversionTest.start();
    setup.hooks.handler = () => ({ result: { status: 'Failed', message: 'no idea' } });
    const object = { ...headOf('v1'), metadata: { name: 'one' }, spec: { size: 3 } };
    const { code, body } = await setup.client.post(path('v1'), object);
    const why = 'conversion webhook for example.com/v1, Kind=Widget failed: no idea';
    expect([code, body.message]).toEqual([500, why]);
    await using watch = await setup.client.watch(`${path('v1')}?watch=true`);
    await setup.create('two', 2);
    const event = await watch.next();
    expect([event.type, event.object.code, event.object.message]).toEqual([
      'ERROR',
      500,
      `Internal error occurred: ${failed}failed: no idea`,
    ]);
    expect(await watch.next()).toBeUndefined();
  });

  test('keeps all metadata but labels and annotations', async () => {
    await using setup = await ConversionTest.start(
      converted((each) => ({
        ...each,
        metadata: {
          ...each.metadata,
          generation: 99,
          finalizers: ['a/b'],
          labels: { from: 'webhook' },
        },
      })),
    );
    await setup.create('one', 1);
    const { metadata } = (await setup.client.get(`${path('v1')}/one`)).body;
    expect([metadata.generation, metadata.finalizers, metadata.labels]).toEqual([
      1,
      undefined,
      { from: 'webhook' },
    ]);
  });
});
