import { describe, expect, test } from '@jest/globals';
import type { Json } from '../../server/raw-client.test-support.ts';
import { patchAnswer, webhook } from '../../webhooks/webhook-server.test-support.ts';
import { configMaps, WebhookTest } from './webhooks.test-support.ts';

// What kube-apiserver does: `pkg/admission/plugin/webhook/mutating` of apiserver 1.36.

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';

async function defineWidgets({ client, server }: WebhookTest): Promise<void> {
  const properties = {
    size: { type: 'integer', minimum: 1 },
    color: { type: 'string', default: 'red' },
    nested: { type: 'object', properties: { depth: { type: 'integer', default: 1 } } },
  };
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object', properties }, status: { type: 'object', properties } },
  };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema },
    subresources: { status: {} },
  };
  const names = { plural: 'widgets', kind: 'Widget' };
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions: [version] };
  await client.post(crds, { metadata: { name: 'widgets.example.com' }, spec });
  await server.idle();
}

const onWidgets = {
  rules: [
    { apiGroups: ['example.com'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] },
  ],
};

function widget(name: string, spec: object): object {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec };
}

describe('mutating webhooks', () => {
  test('are called in the order of the names of their configurations, each with the result of the last', async () => {
    await using setup = await WebhookTest.start(({ object }, path) =>
      patchAnswer({
        op: 'add',
        path: '/data/order',
        value: `${object.data.order ?? ''}${path[1]}`,
      }),
    );
    const { hooks } = setup;
    await setup.configure('mutating', 'second', webhook('c', hooks.config('/c')));
    await setup.configure(
      'mutating',
      'first',
      webhook('b', hooks.config('/b')),
      webhook('a', hooks.config('/a')),
    );
    const { body } = await setup.createMap('settings', { data: { a: '1' } });
    expect(body.data).toEqual({ a: '1', order: 'bac' });
  });

  test('come after the plugins of the server and before its validation', async () => {
    await using setup = await WebhookTest.start(() =>
      patchAnswer({ op: 'replace', path: '/spec/containers/0/image', value: '' }),
    );
    const rules = [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] },
    ];
    await setup.configure('mutating', 'a', webhook('a', setup.hooks.config(), { rules }));
    const { code, body } = await setup.client.post('/api/v1/namespaces/default/pods', {
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    expect([code, body.message]).toEqual([
      422,
      'Pod "web" is invalid: spec.containers[0].image: Required value',
    ]);
    const [{ object }] = setup.hooks.requests() as [Json];
    expect(object.spec).toMatchObject({ priority: 0, restartPolicy: 'Always' });
    expect(object.spec.tolerations).toHaveLength(2);
  });

  test('set fields that get defaults, are validated, and have no owner', async () => {
    await using setup = await WebhookTest.start(() =>
      patchAnswer(
        { op: 'add', path: '/spec/nested', value: {} },
        { op: 'add', path: '/spec/unknown', value: 1 },
      ),
    );
    await defineWidgets(setup);
    await setup.configure('mutating', 'a', webhook('a', setup.hooks.config(), onWidgets));
    const { body } = await setup.client.post(
      `${widgets}?fieldManager=me`,
      widget('one', { size: 2 }),
    );
    expect(body.spec).toEqual({ size: 2, color: 'red', nested: { depth: 1 } });
    const [{ fieldsV1 }] = body.metadata.managedFields as [Json];
    expect(fieldsV1['f:spec']).toEqual({ '.': {}, 'f:color': {}, 'f:size': {} });
    setup.hooks.handler = () => patchAnswer({ op: 'replace', path: '/spec/size', value: 0 });
    const refused = await setup.client.post(widgets, widget('two', { size: 2 }));
    expect([refused.code, refused.body.message]).toEqual([
      422,
      'Widget.example.com "two" is invalid: spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    ]);
  });

  test('change only the part that the request addresses', async () => {
    await using setup = await WebhookTest.start();
    await defineWidgets(setup);
    const { client, hooks } = setup;
    await client.post(widgets, widget('one', { size: 2 }));
    await setup.configure('mutating', 'a', webhook('a', hooks.config(), onWidgets));
    hooks.handler = () => patchAnswer({ op: 'add', path: '/status', value: { size: 9 } });
    const whole = await client.patch(`${widgets}/one`, 'merge', { spec: { size: 3 } });
    expect([whole.body.spec.size, whole.body.status, whole.body.metadata.generation]).toEqual([
      3,
      undefined,
      2,
    ]);
    hooks.handler = () =>
      patchAnswer(
        { op: 'replace', path: '/spec/size', value: 9 },
        { op: 'add', path: '/status/size', value: 7 },
      );
    const status = await client.patch(`${widgets}/one/status`, 'merge', { status: { size: 4 } });
    expect([status.body.spec.size, status.body.status.size]).toEqual([3, 7]);
  });

  test('see the object of an update as the client sent it, before a conflict', async () => {
    await using setup = await WebhookTest.start(() => ({
      allowed: false,
      status: { message: 'no' },
    }));
    const { body } = await setup.createMap('settings');
    await setup.configure('mutating', 'a', webhook('a', setup.hooks.config()));
    const stale = { ...body, metadata: { ...body.metadata, resourceVersion: '1' } };
    const { code } = await setup.client.put(`${configMaps}/settings`, stale);
    expect(code).toBe(400);
  });

  test.each<[string, Json, string]>([
    [
      'without a type',
      { allowed: true, patch: 'W10=' },
      'failed calling webhook "a.example.com": received invalid webhook response: webhook returned response.patch but not response.patchType',
    ],
    [
      'that is missing',
      { allowed: true, patchType: 'JSONPatch' },
      'failed calling webhook "a.example.com": received invalid webhook response: webhook returned response.patchType but not response.patch',
    ],
    [
      'of an empty type',
      { allowed: true, patchType: '', patch: 'W10=' },
      'failed calling webhook "a.example.com": received invalid webhook response: webhook returned invalid response.patchType of ""',
    ],
    [
      'of an unknown type',
      { ...patchAnswer({ op: 'add', path: '/data', value: {} }), patchType: 'Merge' },
      'failed calling webhook "a.example.com": unsupported patch type "Merge"',
    ],
    [
      'that is no JSON',
      { allowed: true, patchType: 'JSONPatch', patch: Buffer.from('[').toString('base64') },
      'failed calling webhook "a.example.com": received undecodable patch in webhook response: unexpected end of JSON input',
    ],
    [
      'that removes a missing key',
      patchAnswer({ op: 'remove', path: '/data/a' }),
      `remove operation does not apply: doc is missing path: "/data/a": missing value`,
    ],
    [
      'that replaces a missing key',
      patchAnswer({ op: 'replace', path: '/data/a/b', value: 1 }),
      'replace operation does not apply: doc is missing path: /data/a/b: missing value',
    ],
    [
      'whose test fails',
      patchAnswer({ op: 'test', path: '/metadata/name', value: 'other' }),
      'testing value /metadata/name failed: test failed',
    ],
    [
      'that sets a value of another type',
      patchAnswer({ op: 'add', path: '/data', value: { a: 1 } }),
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
  ])('are refused for a patch %s', async (_title, answer, message) => {
    await using setup = await WebhookTest.start(() => answer);
    await setup.configure('mutating', 'a', webhook('a', setup.hooks.config()));
    const { code, body } = await setup.createMap('settings');
    expect([code, body.message]).toEqual([500, `Internal error occurred: ${message}`]);
  });

  test('send patches that are decoded as in kube-apiserver', async () => {
    const failed = 'Internal error occurred: ';
    const called = (name: string): string =>
      `${failed}failed calling webhook "${name}.example.com": `;
    const undecodable = 'received undecodable patch in webhook response: json: cannot unmarshal';
    const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
    const missing = 'missing value';
    const list = { op: 'add', path: '/metadata/finalizers', value: ['a.example/b'] };
    const cases: Readonly<Record<string, readonly [patch: unknown, response: string]>> = {
      empty: [null, '201'],
      text: ['x', `${called('text')}${undecodable} string into Go value of type jsonpatch.Patch`],
      items: [
        [['x']],
        `${called('items')}${undecodable} array into Go value of type jsonpatch.Operation`,
      ],
      nulls: [[null], `${failed}Unexpected kind: unknown`],
      pathless: [[{ op: 'add' }], `${failed}add operation failed to decode path: ${missing}`],
      untested: [
        [{ op: 'test' }],
        `${failed}test operation failed to decode path: operation missing path field: ${missing}`,
      ],
      sourceless: [
        [{ op: 'move', path: '/data/b' }],
        `${failed}move operation failed to decode from: operation, missing from field: ${missing}`,
      ],
      inside: [
        [{ op: 'move', from: '/data', path: '/data/a' }],
        `${failed}move operation does not apply: doc is missing destination path: /data/a: ${missing}`,
      ],
      beyond: [
        [list, { op: 'add', path: '/metadata/finalizers/3', value: 'a.example/c' }],
        `${failed}error in add for path: '/metadata/finalizers/3': Unable to access invalid index: 3: invalid index referenced`,
      ],
      index: [
        [list, { op: 'add', path: '/metadata/finalizers/x', value: 'a.example/c' }],
        `${failed}error in add for path: '/metadata/finalizers/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
      ],
      kind: [
        [
          { op: 'replace', path: '/kind', value: 'Pod' },
          { op: 'remove', path: '/data' },
        ],
        'converting (v1.Pod) to (core.ConfigMap): unknown conversion',
      ],
      unknown: [
        [{ op: 'replace', path: '/kind', value: 'Zzz' }],
        `${failed}no kind "Zzz" is registered for version "v1" ${scheme}`,
      ],
      version: [
        [{ op: 'replace', path: '/apiVersion', value: 'v9' }],
        `${failed}no kind "ConfigMap" is registered for version "v9" ${scheme}`,
      ],
      group: [
        [{ op: 'replace', path: '/apiVersion', value: 'a/b/c' }],
        `${failed}unexpected GroupVersion string: a/b/c`,
      ],
      number: [
        [{ op: 'replace', path: '/kind', value: 5 }],
        `${failed}couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string`,
      ],
      kindless: [[{ op: 'remove', path: '/kind' }], '201'],
      placeless: [[{ op: 'remove', path: '/metadata/namespace' }], '201'],
      nameless: [
        [{ op: 'remove', path: '/metadata' }],
        'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      ],
    };
    await using setup = await WebhookTest.start((_request, path) => {
      const [patch] = cases[path.slice(1).split('?', 1)[0] ?? ''] ?? [];
      const text = Buffer.from(JSON.stringify(patch)).toString('base64');
      return { allowed: true, patchType: 'JSONPatch', patch: text };
    });
    const webhooks = Object.keys(cases).map((name) =>
      webhook(name, setup.hooks.config(`/${name}`), {
        objectSelector: { matchLabels: { case: name } },
      }),
    );
    await setup.configure('mutating', 'all', ...webhooks);
    const found: Record<string, string> = {};
    for (const name of Object.keys(cases)) {
      const metadata = { name, labels: { case: name } };
      const { code, body } = await setup.client.post(configMaps, { metadata, data: { a: '1' } });
      found[name] = code === 201 ? '201' : body.message;
    }
    expect(found).toEqual(
      Object.fromEntries(Object.entries(cases).map(([name, [, response]]) => [name, response])),
    );
  });

  test('cannot give a custom resource another kind, and leave no empty list of owners', async () => {
    const operations: Readonly<Record<string, readonly object[]>> = {
      kind: [{ op: 'replace', path: '/kind', value: 'Gadget' }],
      version: [{ op: 'replace', path: '/apiVersion', value: 'example.com/v2' }],
      kindless: [{ op: 'replace', path: '/kind', value: '' }],
      metadata: [{ op: 'replace', path: '/metadata', value: null }],
      owners: [{ op: 'replace', path: '/metadata/managedFields', value: [] }],
    };
    await using setup = await WebhookTest.start(({ object }) =>
      patchAnswer(...(operations[object.metadata.name] ?? [])),
    );
    await defineWidgets(setup);
    await setup.configure('mutating', 'all', webhook('all', setup.hooks.config('/'), onWidgets));
    const messages: unknown[] = [];
    for (const name of Object.keys(operations)) {
      const { code, body } = await setup.client.post(widgets, widget(name, { size: 1 }));
      messages.push(code === 201 ? body.metadata.managedFields : [code, body.message]);
    }
    expect(messages).toEqual([
      [422, 'Gadget.example.com "kind" is invalid: kind: Invalid value: "Gadget": must be Widget'],
      [
        500,
        'example.com/v2, Kind=Widget is unstructured and is not suitable for converting to "example.com/v1"',
      ],
      [500, expect.stringMatching(/^Internal error occurred: Object 'Kind' is missing in '\{"api/)],
      [500, 'Internal error occurred: system metadata was not initialized'],
      undefined,
    ]);
  });

  test('may not change an object that is deleted', async () => {
    await using setup = await WebhookTest.start(() =>
      patchAnswer({ op: 'add', path: '/data', value: {} }),
    );
    await setup.createMap('settings');
    await setup.configure('mutating', 'a', webhook('a', setup.hooks.config()));
    const { code, body } = await setup.client.delete(`${configMaps}/settings`);
    expect([code, body.message]).toEqual([
      500,
      'Internal error occurred: admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation',
    ]);
  });

  test('cannot make the owners of fields invalid', async () => {
    await using setup = await WebhookTest.start(() =>
      patchAnswer({ op: 'replace', path: '/metadata/managedFields/0/operation', value: 'Take' }),
    );
    await setup.configure('mutating', 'a', webhook('a', setup.hooks.config()));
    const { body, headers } = await setup.createMap('settings', { data: { a: '1' } });
    expect(body.metadata.managedFields[0].operation).toBe('Update');
    expect(headers.get('warning')).toContain(
      'please fix your requests: operation must be `Apply` or `Update`',
    );
  });

  test('change the Scale of an object', async () => {
    await using setup = await WebhookTest.start(() =>
      patchAnswer({ op: 'replace', path: '/spec/replicas', value: 2 }),
    );
    const { client } = setup;
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    await client.post(deployments, { metadata: { name: 'web' }, spec });
    const resources = ['deployments/scale'];
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources }];
    await setup.configure('mutating', 'a', webhook('a', setup.hooks.config(), { rules }));
    const { body } = await client.patch(`${deployments}/web/scale`, 'merge', {
      spec: { replicas: 7 },
    });
    expect(body.spec).toEqual({ replicas: 2 });
    expect((await client.get(`${deployments}/web`)).body.spec.replicas).toBe(2);
  });
});

describe('reinvocation', () => {
  const count = { op: 'add', path: '/data/count' };

  function counts(request: Json, path: string): Json {
    if (path.startsWith('/count')) {
      return patchAnswer({ ...count, value: `${request.object.data.count ?? ''}x` });
    }
    return patchAnswer({ op: 'add', path: '/data/late', value: 'y' });
  }

  test('calls a webhook with IfNeeded again after another webhook changed the object', async () => {
    await using setup = await WebhookTest.start(counts);
    const { hooks } = setup;
    await setup.configure(
      'mutating',
      'a',
      webhook('a', hooks.config('/count'), { reinvocationPolicy: 'IfNeeded' }),
      webhook('b', hooks.config('/late')),
    );
    const { body } = await setup.createMap('settings', { data: { a: '1' } });
    expect(body.data).toEqual({ a: '1', count: 'xx', late: 'y' });
    expect(hooks.received.map(({ path }) => path.split('?', 1)[0])).toEqual([
      '/count',
      '/late',
      '/count',
    ]);
  });

  test('does not call it again if nothing changed after it, or with Never', async () => {
    await using setup = await WebhookTest.start(counts);
    const { hooks } = setup;
    await setup.configure(
      'mutating',
      'a',
      webhook('b', hooks.config('/late')),
      webhook('a', hooks.config('/count'), { reinvocationPolicy: 'IfNeeded' }),
    );
    const last = await setup.createMap('one', { data: { a: '1' } });
    expect(last.body.data).toEqual({ a: '1', count: 'x', late: 'y' });
    await setup.client.delete(
      '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/a',
    );
    await setup.configure(
      'mutating',
      'a',
      webhook('a', hooks.config('/count')),
      webhook('b', hooks.config('/late')),
    );
    const never = await setup.createMap('two', { data: { a: '1' } });
    expect(never.body.data).toEqual({ a: '1', count: 'x', late: 'y' });
  });

  test('does not call a webhook that the first round skipped', async () => {
    await using setup = await WebhookTest.start((request, path) =>
      path.startsWith('/label')
        ? patchAnswer({ op: 'add', path: '/metadata/labels', value: { late: 'yes' } })
        : counts(request, path),
    );
    const { hooks } = setup;
    const objectSelector = { matchLabels: { late: 'yes' } };
    await setup.configure(
      'mutating',
      'a',
      webhook('a', hooks.config('/count'), { objectSelector, reinvocationPolicy: 'IfNeeded' }),
      webhook('b', hooks.config('/label')),
    );
    await setup.createMap('settings', { data: { a: '1' } });
    expect(hooks.received.map(({ path }) => path.split('?', 1)[0])).toEqual(['/label']);
  });
});
