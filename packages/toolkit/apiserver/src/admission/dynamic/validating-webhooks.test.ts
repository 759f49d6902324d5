import { describe, expect, jest, test } from '@jest/globals';
import { createServer } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { once } from 'node:events';
import { createApiServer } from '../../server/api-server.ts';
import { type Json, RawClient } from '../../server/raw-client.test-support.ts';
import { selfSignedCertificate } from '../../http/self-signed-certificate.ts';
import { RawAnswer, webhook, WebhookServer } from '../../webhooks/webhook-server.test-support.ts';
import { configMaps, configurations, WebhookTest } from './webhooks.test-support.ts';

// What kube-apiserver does: `pkg/admission/plugin/webhook` of apiserver 1.36, and "Dynamic Admission Control" in the
// Kubernetes documentation.

describe('the review of a validating webhook', () => {
  test('describes a create, with the object as it will be stored', async () => {
    await using setup = await WebhookTest.start();
    await setup.configure('validating', 'a', webhook('a', setup.hooks.config('/validate')));
    const query = '?fieldManager=me&fieldValidation=Strict';
    const { code } = await setup.createMap('settings', { data: { a: '1' } }, query);
    expect(code).toBe(201);
    const [{ path, review }] = setup.hooks.received as [Json];
    expect(path).toBe('/validate?timeout=10s');
    const { uid, object, ...request } = review.request;
    expect([review.kind, review.apiVersion]).toEqual(['AdmissionReview', 'admission.k8s.io/v1']);
    expect(uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(request).toEqual({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'settings',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
      oldObject: null,
      dryRun: false,
      options: {
        kind: 'CreateOptions',
        apiVersion: 'meta.k8s.io/v1',
        fieldManager: 'me',
        fieldValidation: 'Strict',
      },
    });
    expect(object).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1' } });
    expect(object.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(object.metadata.creationTimestamp).toMatch(/Z$/);
    expect(object.metadata.resourceVersion).toBeUndefined();
    expect(object.metadata.managedFields).toHaveLength(1);
  });

  test('describes updates, patches, applies and deletes', async () => {
    await using setup = await WebhookTest.start();
    const { client, hooks } = setup;
    await setup.createMap('settings', { data: { a: '1' } });
    await setup.configure('validating', 'a', webhook('a', hooks.config()));
    const path = `${configMaps}/settings`;
    await client.put(path, { metadata: { name: 'settings' }, data: { a: '2' } });
    await client.patch(`${path}?dryRun=All`, 'merge', { data: { a: '3' } });
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: { b: '1' } };
    await client.patch(`${path}?fieldManager=me`, 'apply', applied);
    const named = { ...applied, metadata: { name: 'new' } };
    await client.patch(`${configMaps}/new?fieldManager=me`, 'apply', named);
    await client.delete(path, { propagationPolicy: 'Foreground', gracePeriodSeconds: 0 });
    expect(
      hooks
        .requests()
        .map((each) => [
          each.operation,
          each.name,
          each.dryRun,
          each.object?.data,
          each.oldObject?.data,
          each.options.kind,
        ]),
    ).toEqual([
      ['UPDATE', 'settings', false, { a: '2' }, { a: '1' }, 'UpdateOptions'],
      ['UPDATE', 'settings', true, { a: '3' }, { a: '2' }, 'UpdateOptions'],
      ['UPDATE', 'settings', false, { a: '2', b: '1' }, { a: '2' }, 'UpdateOptions'],
      ['CREATE', 'new', false, { b: '1' }, undefined, 'CreateOptions'],
      ['DELETE', 'settings', false, undefined, { a: '2', b: '1' }, 'DeleteOptions'],
    ]);
    const [, dryRun, , , deletion] = hooks.requests();
    expect(dryRun.options).toMatchObject({ dryRun: ['All'] });
    expect(deletion.options).toEqual({
      kind: 'DeleteOptions',
      apiVersion: 'meta.k8s.io/v1',
      gracePeriodSeconds: 0,
      propagationPolicy: 'Foreground',
    });
  });

  test('describes each object of a deletecollection, without a name', async () => {
    await using setup = await WebhookTest.start((request) => ({
      allowed: request.oldObject.metadata.name !== 'b',
    }));
    for (const name of ['a', 'b', 'c']) await setup.createMap(name);
    const rules = [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['*'] },
    ];
    await setup.configure('validating', 'a', webhook('keep', setup.hooks.config(), { rules }));
    const { code, body } = await setup.client.delete(configMaps);
    const denied = 'admission webhook "keep.example.com" denied the request without explanation';
    expect([code, body.message]).toEqual([400, denied]);
    expect(
      setup.hooks.requests().map(({ name, oldObject }) => [name, oldObject.metadata.name]),
    ).toEqual([
      [undefined, 'a'],
      [undefined, 'b'],
    ]);
    const left = await setup.client.get(configMaps);
    expect(left.body.items.map(({ metadata }: Json) => metadata.name)).toEqual(['b', 'c']);
  });

  test('has the generated name of a new object, and the name of a namespace as its namespace', async () => {
    await using setup = await WebhookTest.start();
    const { client, hooks } = setup;
    const resources = ['configmaps', 'namespaces'];
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources }];
    await setup.configure('mutating', 'a', webhook('a', hooks.config('/mutate'), { rules }));
    await setup.configure('validating', 'a', webhook('a', hooks.config('/validate'), { rules }));
    const { body } = await client.post(configMaps, { metadata: { generateName: 'job-' } });
    await client.post('/api/v1/namespaces', { metadata: { name: 'team' } });
    expect(
      hooks.received.map(({ path, request }) => [path, request.name, request.namespace]),
    ).toEqual([
      ['/mutate?timeout=10s', undefined, 'default'],
      ['/validate?timeout=10s', body.metadata.name, 'default'],
      ['/mutate?timeout=10s', 'team', 'team'],
      ['/validate?timeout=10s', 'team', 'team'],
    ]);
    const [first] = hooks.requests();
    expect(first.object.metadata).not.toHaveProperty('uid');
    expect(first.object.metadata).not.toHaveProperty('name');
    expect(first.object.metadata).not.toHaveProperty('creationTimestamp');
  });
});

const pod = (name: string): Json => ({
  metadata: { name, labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});

describe('subresources', () => {
  test('are reviewed with the objects of their requests', async () => {
    await using setup = await WebhookTest.start();
    const { client, hooks } = setup;
    const pods = '/api/v1/namespaces/default/pods';
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    await client.post(pods, pod('web'));
    await client.post('/api/v1/namespaces/default/serviceaccounts', {
      metadata: { name: 'robot' },
    });
    const template = { metadata: { labels: { app: 'web' } }, spec: pod('x').spec };
    const selector = { matchLabels: { app: 'web' } };
    await client.post(deployments, {
      metadata: { name: 'web' },
      spec: { replicas: 1, selector, template },
    });
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }];
    await setup.configure('validating', 'a', webhook('a', hooks.config(), { rules }));
    await client.patch(`${pods}/web/status`, 'merge', { status: { phase: 'Running' } });
    await client.post(`${pods}/web/binding`, { target: { kind: 'Node', name: 'n' } });
    await client.patch(`${deployments}/web/scale`, 'merge', { spec: { replicas: 3 } });
    await client.post('/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: {} });
    await client.post(`${pods}/web/eviction`, { metadata: { name: 'web' } });
    expect(
      hooks
        .requests()
        .map((each) => [
          each.operation,
          each.resource.resource,
          each.subResource,
          `${each.kind.group}/${each.kind.kind}`,
          each.object.kind,
          each.oldObject?.kind,
        ]),
    ).toEqual([
      ['UPDATE', 'pods', 'status', '/Pod', 'Pod', 'Pod'],
      ['CREATE', 'pods', 'binding', '/Binding', 'Binding', undefined],
      ['UPDATE', 'deployments', 'scale', 'autoscaling/Scale', 'Scale', 'Scale'],
      [
        'CREATE',
        'serviceaccounts',
        'token',
        'authentication.k8s.io/TokenRequest',
        'TokenRequest',
        undefined,
      ],
      ['CREATE', 'pods', 'eviction', 'policy/Eviction', 'Eviction', undefined],
    ]);
    const [, , scale] = hooks.requests();
    expect([scale.oldObject.spec, scale.object.spec]).toEqual([{ replicas: 1 }, { replicas: 3 }]);
  });

  test('a denied eviction keeps the pod, and a denied scale the replicas', async () => {
    await using setup = await WebhookTest.start(() => ({
      allowed: false,
      status: { message: 'no' },
    }));
    const { client, hooks } = setup;
    const pods = '/api/v1/namespaces/default/pods';
    await client.post(pods, pod('web'));
    const resources = ['pods/eviction'];
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources }];
    await setup.configure('validating', 'a', webhook('a', hooks.config(), { rules }));
    const { code, body } = await client.post(`${pods}/web/eviction`, { metadata: { name: 'web' } });
    expect([code, body.message]).toEqual([
      400,
      'admission webhook "a.example.com" denied the request: no',
    ]);
    expect((await client.get(`${pods}/web`)).code).toBe(200);
  });
});

describe('a denial', () => {
  test.each<[string, Json, object]>([
    [
      'with code, reason and details',
      {
        status: {
          code: 403,
          reason: 'Forbidden',
          message: 'too big',
          details: { causes: [{ reason: 'FieldValueInvalid', message: 'm', field: 'data' }] },
        },
      },
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'admission webhook "a.example.com" denied the request: too big',
        reason: 'Forbidden',
        details: { causes: [{ reason: 'FieldValueInvalid', message: 'm', field: 'data' }] },
        code: 403,
      },
    ],
    [
      'with a reason only',
      { status: { reason: 'NotToday' } },
      { message: 'admission webhook "a.example.com" denied the request: NotToday', code: 400 },
    ],
    [
      'with a code of success',
      { status: { code: 200, status: 'Success', message: 'fine' } },
      {
        message: 'admission webhook "a.example.com" denied the request: fine',
        status: 'Failure',
        code: 400,
      },
    ],
    [
      'without a status',
      {},
      {
        message: 'admission webhook "a.example.com" denied the request without explanation',
        code: 400,
      },
    ],
  ])('%s has the words of kube-apiserver', async (_title, answer, expected) => {
    await using setup = await WebhookTest.start(() => ({ allowed: false, ...answer }));
    await setup.configure('validating', 'a', webhook('a', setup.hooks.config()));
    const { code, body } = await setup.createMap('settings');
    expect(body).toMatchObject(expected);
    expect(code).toBe(body.code);
    expect((await setup.client.get(`${configMaps}/settings`)).code).toBe(404);
  });

  test('comes with the warnings of all webhooks as headers', async () => {
    await using setup = await WebhookTest.start((_request, path) => ({
      allowed: !path.startsWith('/deny'),
      warnings: [`from ${path.split('?', 1)[0]}`],
    }));
    await setup.configure('validating', 'a', webhook('a', setup.hooks.config('/allow')));
    const { headers } = await setup.createMap('one');
    expect(headers.get('warning')).toBe('299 - "from /allow"');
    await setup.configure('validating', 'b', webhook('b', setup.hooks.config('/deny')));
    const denied = await setup.createMap('two');
    expect(denied.code).toBe(400);
    expect(denied.headers.get('warning')?.split(', ').toSorted()).toEqual([
      '299 - "from /allow"',
      '299 - "from /deny"',
    ]);
  });
});

async function failureOf(setup: WebhookTest, more: object = {}): Promise<[number, string]> {
  const clientConfig = setup.hooks.config('/x');
  await setup.configure('validating', 'a', webhook('a', clientConfig, more));
  const { code, body } = await setup.createMap('settings');
  return [code, String(body.message ?? body.kind).replaceAll(String(setup.hooks.port), 'PORT')];
}

const failed = 'Internal error occurred: failed calling webhook "a.example.com": ';
const toCall = `${failed}failed to call webhook: `;
const post = `${toCall}Post "https://127.0.0.1:PORT/x?timeout=10s": `;

describe('a webhook that fails', () => {
  test.each<[string, Json, string]>([
    [
      'responds with 500',
      new RawAnswer(500, 'oops', 'text/plain'),
      `${toCall}an error on the server ("oops") has prevented the request from succeeding`,
    ],
    [
      'responds with 404',
      new RawAnswer(404, ''),
      `${toCall}the server could not find the requested resource`,
    ],
    [
      'responds with a Status',
      new RawAnswer(503, { kind: 'Status', apiVersion: 'v1', status: 'Failure', message: 'later' }),
      `${toCall}later`,
    ],
    [
      'responds with nothing',
      new RawAnswer(200, ''),
      `${toCall}0-length response with status code: 200 and content type: application/json`,
    ],
    [
      'responds with no JSON',
      new RawAnswer(200, '<html>'),
      `${toCall}couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    ],
    [
      'sends no response',
      new RawAnswer(200, { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' }),
      `${failed}received invalid webhook response: webhook response was absent`,
    ],
    [
      'sends another type',
      { allowed: 'yes' },
      `${toCall}json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool`,
    ],
    [
      'sends a patch',
      { allowed: true, patch: 'W10=', patchType: 'JSONPatch' },
      `${failed}received invalid webhook response: validating webhook may not return response.patch`,
    ],
    [
      'sends a patch type',
      { allowed: true, patchType: 'JSONPatch' },
      `${failed}received invalid webhook response: validating webhook may not return response.patchType`,
    ],
    [
      'sends a status with a code of another type',
      { allowed: false, status: { code: 'x' } },
      `${toCall}json: cannot unmarshal string into Go struct field Status.response.status.code of type int32`,
    ],
    [
      'sends a status with details of another type',
      { allowed: false, status: { details: 'x' } },
      `${toCall}json: cannot unmarshal string into Go struct field Status.response.status.details of type v1.StatusDetails`,
    ],
    [
      'sends another type of status',
      { allowed: false, status: 'x' },
      `${toCall}json: cannot unmarshal string into Go struct field AdmissionResponse.response.status of type v1.Status`,
    ],
    [
      'sends warnings of another type',
      { allowed: true, warnings: [true] },
      `${toCall}json: cannot unmarshal bool into Go struct field AdmissionResponse.response.warnings of type string`,
    ],
  ])('%s', async (_title, answer, message) => {
    await using setup = await WebhookTest.start(() => answer);
    expect(await failureOf(setup)).toEqual([500, message]);
  });

  test('sends what the decoder of kube-apiserver refuses, and what it accepts', async () => {
    const scheme = 'in scheme "pkg/runtime/scheme.go:111"';
    const field = 'into Go struct field';
    const cannot = `${toCall}json: cannot unmarshal`;
    const typed = (apiVersion: string, kind: unknown): RawAnswer =>
      new RawAnswer(200, { apiVersion, kind, response: { allowed: true } });
    const cases: readonly (readonly [answer: Json, message: string])[] = [
      [
        { allowed: true, auditAnnotations: ['x'] },
        `${cannot} array ${field} AdmissionResponse.response.auditAnnotations of type map[string]string`,
      ],
      [
        { allowed: true, auditAnnotations: { a: 5 } },
        `${cannot} number ${field} AdmissionResponse.response.auditAnnotations of type string`,
      ],
      [
        { allowed: true, patch: 'W10', patchType: 'JSONPatch' },
        `${toCall}illegal base64 data at input byte 0`,
      ],
      [
        { allowed: false, status: { details: { causes: 'x' } } },
        `${cannot} string ${field} StatusDetails.response.status.details.causes of type []v1.StatusCause`,
      ],
      [
        { allowed: false, status: { code: 400.5 } },
        `${cannot} number 400.5 ${field} Status.response.status.code of type int32`,
      ],
      [typed('v1', 'Pod'), `${toCall}no kind "Pod" is registered for version "v1" ${scheme}`],
      [
        typed('admission.k8s.io/v1beta1', 'AdmissionReview'),
        `${toCall}converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion`,
      ],
      [
        typed('v1', 5),
        `${toCall}couldn't get version/kind; json parse error: json: cannot unmarshal number ${field} .kind of type string`,
      ],
      [
        new RawAnswer(200, 'null'),
        `${failed}received invalid webhook response: webhook response was absent`,
      ],
      [
        new RawAnswer(200, 'a: b'),
        `${failed}received invalid webhook response: webhook response was absent`,
      ],
    ];
    let current: Json;
    await using setup = await WebhookTest.start(() => current);
    await setup.configure('validating', 'a', webhook('a', setup.hooks.config()));
    for (const [answer, message] of cases) {
      current = answer;
      const { code, body } = await setup.createMap('settings');
      expect([code, body.message]).toEqual([500, message]);
    }
    current = { allowed: false, status: { message: 'no', details: { x: 1 }, metadata: { y: 2 } } };
    const { body } = await setup.createMap('settings');
    expect([body.details, body.metadata]).toEqual([{}, {}]);
  });

  test('denies with a code that HTTP does not have', async () => {
    const denial = { allowed: false, status: { code: 1000, message: 'no' } };
    await using setup = await WebhookTest.start(() => denial);
    await setup.configure('validating', 'a', webhook('a', setup.hooks.config()));
    const response = await fetch(`${setup.server.url}${configMaps}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { name: 'settings' } }),
    });
    expect([response.status, await response.text()]).toEqual([
      500,
      'This request caused apiserver to panic. Look in the logs for details.\n',
    ]);
    // The next request has a response.
    expect((await setup.client.get(configMaps)).code).toBe(200);
  });

  test('has an IPv6 address, at which it is called', async () => {
    await using hooks = await WebhookServer.start(undefined, ['::1'], '::1');
    await using setup = await WebhookTest.start();
    await setup.configure('validating', 'a', webhook('a', hooks.config()));
    expect((await setup.createMap('settings')).code).toBe(201);
    expect(hooks.received).toHaveLength(1);
  });

  test('switches to another protocol', async () => {
    const { cert, key } = await selfSignedCertificate(['127.0.0.1']);
    const upgrades =
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
    const hooks = createSecureServer({ cert, key }, (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(upgrades));
    }).listen(0, '127.0.0.1');
    await once(hooks, 'listening');
    const { port } = hooks.address() as { port: number };
    const caBundle = Buffer.from(cert).toString('base64');
    const config = { url: `https://127.0.0.1:${port}`, caBundle };
    await using setup = await WebhookTest.start();
    await setup.configure('validating', 'a', webhook('a', config, { timeoutSeconds: 30 }));
    const { code, body } = await setup.createMap('settings');
    expect([code, body.message.endsWith('unexpected switch of the protocol')]).toEqual([500, true]);
    hooks.close();
    await once(hooks, 'close');
  });

  test('sends another uid, or another kind', async () => {
    await using setup = await WebhookTest.start(() => ({ allowed: true, uid: 'other' }));
    const [code, message] = await failureOf(setup);
    expect(code).toBe(500);
    expect(message).toMatch(
      /: received invalid webhook response: expected response\.uid="[0-9a-f-]{36}", got "other"$/,
    );
    setup.hooks.handler = ({ uid }) => new RawAnswer(200, { response: { uid, allowed: true } });
    const { body } = await setup.createMap('settings');
    expect(body.message).toBe(
      `${failed}received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=`,
    );
  });

  test('has the words of Go for its connection', async () => {
    await using setup = await WebhookTest.start();
    await using other = await WebhookServer.start(undefined, ['example.com']);
    const { client } = setup;
    const path = `${configurations}/validatingwebhookconfigurations`;
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address() as { port: number };
    free.close();
    await once(free, 'close');
    const message = async (clientConfig: object): Promise<string> => {
      await client.post(path, { metadata: { name: 'a' }, webhooks: [webhook('a', clientConfig)] });
      const { code, body } = await setup.createMap('settings');
      await client.delete(`${path}/a`);
      return `${code} ${body.message}`.replaceAll(/(?<=127\.0\.0\.1:)\d+/g, 'PORT');
    };
    const refused = { url: `https://127.0.0.1:${port}/x` };
    expect(await message(refused)).toBe(
      `500 ${post}dial tcp 127.0.0.1:PORT: connect: connection refused`,
    );
    const { url, caBundle } = setup.hooks.config('/x');
    expect(await message({ url })).toBe(
      `500 ${post}tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    );
    expect(await message({ ...other.config('/x'), caBundle: other.caBundle })).toBe(
      `500 ${post}tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs`,
    );
    expect(
      await message({ caBundle, service: { namespace: 'default', name: 'none', path: '/x' } }),
    ).toBe(
      `500 ${toCall}Post "https://none.default.svc:443/x?timeout=10s": service "none" not found`,
    );
  });

  test('ends after its timeout', async () => {
    await using setup = await WebhookTest.start(() => undefined);
    const [code, message] = await failureOf(setup, { timeoutSeconds: 1 });
    const at = 'Post "https://127.0.0.1:PORT/x?timeout=1s"';
    expect([code, message]).toEqual([500, `${toCall}${at}: context deadline exceeded`]);
  });

  test('is ignored with the failure policy Ignore, but its denial is not', async () => {
    await using setup = await WebhookTest.start(() => new RawAnswer(500, ''));
    expect(await failureOf(setup, { failurePolicy: 'Ignore' })).toEqual([201, 'ConfigMap']);
    setup.hooks.handler = () => ({ allowed: false });
    expect((await setup.createMap('two')).code).toBe(400);
  });
});

describe('a dry run', () => {
  test('calls webhooks without side effects', async () => {
    await using setup = await WebhookTest.start();
    await setup.configure(
      'validating',
      'a',
      webhook('a', setup.hooks.config(), { sideEffects: 'NoneOnDryRun' }),
    );
    const { code } = await setup.createMap('settings', {}, '?dryRun=All');
    expect([code, setup.hooks.requests().map(({ dryRun }) => dryRun)]).toEqual([201, [true]]);
    expect((await setup.client.get(`${configMaps}/settings`)).code).toBe(404);
  });
});

describe('the validating webhooks of a request', () => {
  test('are called at the same time, and all of them', async () => {
    const both = Promise.withResolvers<void>();
    let waiting = 0;
    await using setup = await WebhookTest.start(async () => {
      waiting += 1;
      if (waiting === 2) both.resolve();
      await both.promise;
      return { allowed: true };
    });
    const { hooks } = setup;
    await setup.configure(
      'validating',
      'a',
      webhook('a', hooks.config('/a')),
      webhook('b', hooks.config('/b')),
    );
    expect((await setup.createMap('settings')).code).toBe(201);
    expect(hooks.received).toHaveLength(2);
  });

  test('see no configuration of admission', async () => {
    await using setup = await WebhookTest.start(() => ({ allowed: false }));
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }];
    await setup.configure('validating', 'a', webhook('a', setup.hooks.config(), { rules }));
    await setup.configure('validating', 'b', webhook('b', setup.hooks.config(), { rules }));
    const path = `${configurations}/validatingwebhookconfigurations/a`;
    expect((await setup.client.delete(path)).code).toBe(200);
    expect(setup.hooks.received).toEqual([]);
    expect((await setup.createMap('settings')).code).toBe(400);
  });

  test('let another write come first, and are called again with its result', async () => {
    await using setup = await WebhookTest.start();
    const { client, hooks } = setup;
    const path = `${configMaps}/settings`;
    await setup.createMap('settings', { data: { a: '1' } });
    await setup.configure('validating', 'a', webhook('a', hooks.config()));
    let isFirst = true;
    hooks.handler = async () => {
      if (isFirst) {
        isFirst = false;
        await client.patch(path, 'merge', { data: { b: '2' } });
      }
      return { allowed: true };
    };
    const { body } = await client.patch(path, 'merge', { data: { c: '3' } });
    expect(body.data).toEqual({ a: '1', b: '2', c: '3' });
    expect(hooks.requests().map(({ object }) => object.data)).toEqual([
      { a: '1', c: '3' },
      { a: '1', b: '2' },
      { a: '1', b: '2', c: '3' },
    ]);
  });

  test('end a write after 34 seconds if they change its object at each review', async () => {
    let now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 10_000));
    await using setup = await WebhookTest.start(async ({ operation, object, oldObject }) => {
      if (operation === 'DELETE' || object.data?.own !== oldObject?.data?.own) {
        const data = { other: String(now) };
        await setup.client.patch(`${configMaps}/settings`, 'merge', { data });
      }
      return { allowed: true };
    });
    await setup.createMap('settings');
    await setup.configure('validating', 'a', webhook('a', setup.hooks.config()));
    const ended = {
      code: 504,
      reason: 'Timeout',
      message:
        'Timeout: request did not complete within requested timeout - context deadline exceeded',
    };
    const path = `${configMaps}/settings`;
    const { body } = await setup.client.patch(path, 'merge', { data: { own: 'a' } });
    expect(body).toMatchObject(ended);
    expect((await setup.client.delete(path)).body).toMatchObject(ended);
    clock.mockRestore();
  });

  test('let an apply create an object that was deleted meanwhile, and update one that was created', async () => {
    await using setup = await WebhookTest.start();
    const { client, hooks } = setup;
    const path = `${configMaps}/settings`;
    await setup.configure('validating', 'a', webhook('a', hooks.config()));
    const applied = (data: object): object => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings' },
      data,
    });
    const during = (act: () => Promise<unknown>): void => {
      let isFirst = true;
      hooks.handler = async () => {
        if (isFirst) {
          isFirst = false;
          await act();
        }
        return { allowed: true };
      };
    };
    during(() => setup.createMap('settings', { data: { a: '1' } }));
    const updated = await client.patch(`${path}?fieldManager=m`, 'apply', applied({ b: '2' }));
    expect([updated.code, updated.body.data]).toEqual([200, { a: '1', b: '2' }]);
    during(() => client.delete(path));
    const created = await client.patch(`${path}?fieldManager=m`, 'apply', applied({ c: '3' }));
    expect([created.code, created.body.data]).toEqual([201, { c: '3' }]);
  });

  test('cause a conflict if another write came before an update of an older version', async () => {
    await using setup = await WebhookTest.start();
    const { client, hooks } = setup;
    const path = `${configMaps}/settings`;
    const { body } = await setup.createMap('settings');
    await setup.configure('validating', 'a', webhook('a', hooks.config()));
    let isFirst = true;
    hooks.handler = async () => {
      if (isFirst) {
        isFirst = false;
        await client.patch(path, 'merge', { data: { b: '2' } });
      }
      return { allowed: true };
    };
    expect((await client.put(path, { ...body, data: { c: '3' } })).code).toBe(409);
  });
});

describe('the Service of a webhook', () => {
  test('is reached at the address in the options of the server, under its own name', async () => {
    await using hooks = await WebhookServer.start(
      () => ({ allowed: false }),
      ['hooks.default.svc'],
    );
    const webhookServices = { 'default/hooks': `127.0.0.1:${hooks.port}` };
    await using server = await createApiServer({ webhookServices });
    const client = new RawClient(server);
    const service = { namespace: 'default', name: 'hooks', path: '/x' };
    const clientConfig = { service, caBundle: hooks.caBundle };
    const path = `${configurations}/validatingwebhookconfigurations`;
    await client.post(path, { metadata: { name: 'a' }, webhooks: [webhook('a', clientConfig)] });
    expect((await client.post(configMaps, { metadata: { name: 'a' } })).code).toBe(400);
  });

  test('may be an ExternalName, which leads to a process of this machine', async () => {
    await using setup = await WebhookTest.start(() => ({ allowed: false }));
    const spec = { type: 'ExternalName', externalName: '127.0.0.1' };
    await setup.client.post('/api/v1/namespaces/default/services', {
      metadata: { name: 'hooks' },
      spec,
    });
    const service = { namespace: 'default', name: 'hooks', port: setup.hooks.port };
    const clientConfig = { service, caBundle: setup.hooks.caBundle };
    await setup.configure('validating', 'a', webhook('a', clientConfig));
    expect((await setup.createMap('a')).code).toBe(400);
    expect(setup.hooks.received).toHaveLength(1);
  });
});
