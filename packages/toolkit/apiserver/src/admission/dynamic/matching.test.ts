import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../../server/api-server.ts';
import { RawClient } from '../../server/raw-client.test-support.ts';
import { patchAnswer, webhook, WebhookServer } from '../../webhooks/webhook-server.test-support.ts';
import { configMaps, configurations, WebhookTest } from './webhooks.test-support.ts';

// What kube-apiserver does: `webhook/predicates` and `webhook/generic/webhook.go` of apiserver 1.36.

const everything = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] };

describe('the rules of a webhook', () => {
  test.each<[object, readonly string[]]>([
    [{}, ['CREATE namespaces', 'CREATE configmaps', 'UPDATE configmaps', 'DELETE configmaps']],
    [{ operations: ['UPDATE', 'DELETE'] }, ['UPDATE configmaps', 'DELETE configmaps']],
    [{ apiGroups: ['apps'] }, []],
    [{ apiVersions: ['v2'] }, []],
    [{ resources: ['namespaces'] }, ['CREATE namespaces']],
    [{ resources: ['configmaps/status'] }, []],
    [
      { resources: ['*/*'] },
      ['CREATE namespaces', 'CREATE configmaps', 'UPDATE configmaps', 'DELETE configmaps'],
    ],
    [{ resources: ['configmaps/*'], operations: ['CREATE'] }, ['CREATE configmaps']],
    [{ scope: 'Cluster' }, ['CREATE namespaces']],
    [{ scope: 'Namespaced', operations: ['CREATE'] }, ['CREATE configmaps']],
  ])('%j', async (rule, expected) => {
    await using setup = await WebhookTest.start();
    const rules = [{ ...everything, ...rule }];
    await setup.configure('validating', 'a', webhook('a', setup.hooks.config(), { rules }));
    await setup.client.post('/api/v1/namespaces', { metadata: { name: 'team' } });
    await setup.createMap('settings');
    await setup.client.patch(`${configMaps}/settings`, 'merge', { data: { a: '1' } });
    await setup.client.delete(`${configMaps}/settings`);
    const seen = setup.hooks
      .requests()
      .map(({ operation, resource }) => `${operation} ${resource.resource}`);
    expect(seen).toEqual(expected);
  });
});

describe('the selectors of a webhook', () => {
  test('namespaceSelector reads the labels of the namespace, and of a namespace that is written', async () => {
    await using setup = await WebhookTest.start();
    const { client, hooks } = setup;
    const namespaceSelector = {
      matchExpressions: [{ key: 'team', operator: 'In', values: ['a'] }],
    };
    const more = { namespaceSelector, rules: [everything] };
    await setup.configure('validating', 'a', webhook('a', hooks.config(), more));
    for (const name of ['a', 'b']) {
      await client.post('/api/v1/namespaces', { metadata: { name, labels: { team: name } } });
      await client.post(`/api/v1/namespaces/${name}/configmaps`, {
        metadata: { name: 'settings' },
      });
    }
    // A cluster-scoped object always matches.
    await client.post('/apis/scheduling.k8s.io/v1/priorityclasses', {
      metadata: { name: 'p' },
      value: 1,
    });
    expect(hooks.requests().map(({ namespace, name }) => `${namespace}/${name}`)).toEqual([
      'a/a',
      'a/settings',
      'undefined/p',
    ]);
  });

  test('objectSelector matches the new or the old object', async () => {
    await using setup = await WebhookTest.start();
    const objectSelector = { matchLabels: { checked: 'yes' } };
    await setup.configure(
      'validating',
      'a',
      webhook('a', setup.hooks.config(), { objectSelector }),
    );
    await setup.createMap('plain');
    const labels = { checked: 'yes' };
    await setup.client.post(configMaps, { metadata: { name: 'labelled', labels } });
    const path = `${configMaps}/labelled`;
    await setup.client.patch(path, 'merge', { metadata: { labels: { checked: null } } });
    await setup.client.patch(path, 'merge', { data: { a: '1' } });
    expect(setup.hooks.requests().map(({ operation }) => operation)).toEqual(['CREATE', 'UPDATE']);
  });
});

describe('the match policy', () => {
  const autoscalers = (version: string): string =>
    `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
  const spec = {
    maxReplicas: 3,
    scaleTargetRef: { kind: 'Deployment', name: 'web', apiVersion: 'apps/v1' },
  };
  const rules = (version: string): object => ({
    rules: [
      {
        apiGroups: ['autoscaling'],
        apiVersions: [version],
        operations: ['*'],
        resources: ['horizontalpodautoscalers'],
      },
    ],
  });

  test('Equivalent converts the object to the version of the rule', async () => {
    await using setup = await WebhookTest.start();
    await setup.configure('validating', 'a', webhook('a', setup.hooks.config(), rules('v2')));
    const body = {
      metadata: { name: 'web' },
      spec: { ...spec, targetCPUUtilizationPercentage: 50 },
    };
    expect((await setup.client.post(autoscalers('v1'), body)).code).toBe(201);
    const [request] = setup.hooks.requests();
    expect([request.kind.version, request.requestKind.version]).toEqual(['v2', 'v1']);
    expect([request.resource.version, request.requestResource.version]).toEqual(['v2', 'v1']);
    expect(request.object.apiVersion).toBe('autoscaling/v2');
    expect(request.object.spec.metrics).toMatchObject([{ resource: { name: 'cpu' } }]);
  });

  test('Equivalent converts the patched object back', async () => {
    await using setup = await WebhookTest.start(() =>
      patchAnswer({
        op: 'replace',
        path: '/spec/metrics/0/resource/target/averageUtilization',
        value: 70,
      }),
    );
    await setup.configure('mutating', 'a', webhook('a', setup.hooks.config(), rules('v2')));
    const body = {
      metadata: { name: 'web' },
      spec: { ...spec, targetCPUUtilizationPercentage: 50 },
    };
    const created = await setup.client.post(autoscalers('v1'), body);
    expect(created.body.apiVersion).toBe('autoscaling/v1');
    expect(created.body.spec.targetCPUUtilizationPercentage).toBe(70);
  });

  test('Exact calls the webhook for the versions of its rules alone', async () => {
    await using setup = await WebhookTest.start();
    const more = { ...rules('v2'), matchPolicy: 'Exact' };
    await setup.configure('validating', 'a', webhook('a', setup.hooks.config(), more));
    await setup.client.post(autoscalers('v1'), { metadata: { name: 'one' }, spec });
    await setup.client.post(autoscalers('v2'), { metadata: { name: 'two' }, spec });
    expect(setup.hooks.requests().map(({ name }) => name)).toEqual(['two']);
  });
});

describe('match conditions', () => {
  async function callsWith(
    expression: string,
    more: object = {},
  ): Promise<[number, string | undefined, number]> {
    await using setup = await WebhookTest.start();
    const matchConditions = [{ name: 'c', expression }];
    await setup.configure(
      'validating',
      'a',
      webhook('a', setup.hooks.config(), { matchConditions, ...more }),
    );
    const { code, body } = await setup.createMap('settings', { data: { a: '1' } });
    return [code, body.message, setup.hooks.received.length];
  }

  test.each([
    ["object.data.a == '1'", 1],
    ["object.data.a == '2'", 0],
    ['oldObject == null', 1],
    [
      "request.operation == 'CREATE' && request.resource.resource == 'configmaps' && !request.dryRun",
      1,
    ],
    [
      "request.userInfo.username == 'system:anonymous' && 'system:unauthenticated' in request.userInfo.groups",
      1,
    ],
    ["!has(request.subResource) && request.options.kind == 'CreateOptions'", 1],
    [
      "authorizer.group('').resource('configmaps').namespace('default').check('create').allowed()",
      1,
    ],
    ["authorizer.requestResource.check('breakglass').allowed()", 1],
    ["authorizer.path('/healthz').check('get').reason() == ''", 1],
    ['namespaceObject == null', 1],
  ])('%s', async (expression, calls) => {
    expect(await callsWith(expression)).toEqual([201, undefined, calls]);
  });

  test('ask the authorizer of the server about the user of the request, or a service account', async () => {
    await using hooks = await WebhookServer.start();
    await using server = await createApiServer({ authorizationMode: 'RBAC' });
    const admin = new RawClient(server, { authorization: `Bearer ${server.cluster.token}` });
    const expressions = [
      "!authorizer.requestResource.check('breakglass').allowed()",
      "!authorizer.serviceAccount('default', 'robot').group('').resource('secrets').check('get').allowed()",
    ];
    const matchConditions = expressions.map((expression, index) => ({
      name: `c${index}`,
      expression,
    }));
    const path = `${configurations}/validatingwebhookconfigurations`;
    const webhooks = [webhook('a', hooks.config(), { matchConditions })];
    expect((await admin.post(path, { metadata: { name: 'a' }, webhooks })).code).toBe(201);
    const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }];
    await admin.post(`${roles}/roles`, { metadata: { name: 'writer' }, rules });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'writer' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }];
    await admin.post(`${roles}/rolebindings`, { metadata: { name: 'writer' }, roleRef, subjects });
    const { token } = server.addUser({ name: 'jane', groups: [] });
    const jane = new RawClient(server, { authorization: `Bearer ${token}` });
    expect((await jane.post(configMaps, { metadata: { name: 'of-jane' } })).code).toBe(201);
    // The administrator may do everything, so the condition is false.
    expect((await admin.post(configMaps, { metadata: { name: 'of-admin' } })).code).toBe(201);
    expect(hooks.requests().map(({ userInfo }) => userInfo.username)).toEqual(['jane']);
  });

  test('refuse the request if they fail, unless failures are ignored', async () => {
    expect(await callsWith("object.data.b == '1'")).toEqual([
      403,
      `configmaps "settings" is forbidden: expression 'object.data.b == '1'' resulted in error: no such key: b`,
      0,
    ]);
    expect(await callsWith("object.data.b == '1'", { failurePolicy: 'Ignore' })).toEqual([
      201,
      undefined,
      0,
    ]);
  });

  test('skip the webhook if one of them is false, whatever the others are', async () => {
    const matchConditions = [
      { name: 'fails', expression: "object.data.b == '1'" },
      { name: 'false', expression: 'false' },
    ];
    expect(await callsWith('true', { matchConditions })).toEqual([201, undefined, 0]);
  });

  test('stop at the budget of kube-apiserver', async () => {
    const items = Array.from({ length: 60 }, (_, index) => index).join(', ');
    const loop = `[${items}].all(a, [${items}].all(b, [${items}].all(c, a + b + c >= 0)))`;
    const [code, message] = await callsWith(loop);
    expect(code).toBe(403);
    expect(message).toMatch(/resulted in error: operation cancelled: actual cost limit exceeded$/);
    const many = `[${items}].all(a, [${items}].all(b, a + b >= 0 && [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].all(c, c >= 0)))`;
    const matchConditions = Array.from({ length: 20 }, (_, index) => ({
      name: `c${index}`,
      expression: many,
    }));
    const [, budget] = await callsWith('true', { matchConditions });
    expect(budget).toBe(
      'configmaps "settings" is forbidden: validation failed due to running out of cost budget, no further validation rules will be run',
    );
  });
});
