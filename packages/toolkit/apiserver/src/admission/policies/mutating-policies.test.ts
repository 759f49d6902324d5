import { describe, expect, test } from '@jest/globals';
import { type ApiServer, createApiServer } from '../../server/api-server.ts';
import { RawClient, type RawResponse } from '../../server/raw-client.test-support.ts';
import { patchAnswer, webhook, WebhookServer } from '../../webhooks/webhook-server.test-support.ts';

// What kube-apiserver 1.36.3 does; the conversation `mutating-policies` has more than 500 requests to both servers.

const group = '/apis/admissionregistration.k8s.io/v1';
const configMaps = '/api/v1/namespaces/default/configmaps';
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };

const apply = (expression: string): object => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patch = (expression: string): object => ({
  patchType: 'JSONPatch',
  jsonPatch: { expression },
});
/** Appends a text to the log of a config map. */
const log = (text: string): object =>
  apply(`Object{data: {"log": object.?data.log.orValue("") + "${text}"}}`);

class PolicyTest implements AsyncDisposable {
  readonly server: ApiServer;
  readonly client: RawClient;

  constructor(server: ApiServer) {
    this.server = server;
    this.client = new RawClient(server);
  }

  static async start(): Promise<PolicyTest> {
    return new PolicyTest(await createApiServer());
  }

  async post(path: string, body: object): Promise<void> {
    const { code, body: created } = await this.client.post(path, body);
    expect([code, created.message]).toEqual([201, undefined]);
  }

  /** Creates a policy and its binding. */
  async policy(mutations: readonly object[], spec: object = {}, name = 'sizes'): Promise<void> {
    const matchConstraints = { resourceRules: [rule] };
    await this.post(`${group}/mutatingadmissionpolicies`, {
      metadata: { name },
      spec: { matchConstraints, reinvocationPolicy: 'Never', mutations, ...spec },
    });
    await this.post(`${group}/mutatingadmissionpolicybindings`, {
      metadata: { name },
      spec: { policyName: name },
    });
  }

  create(data: object = { a: '1' }, name = 'settings'): Promise<RawResponse> {
    return this.client.post(configMaps, { metadata: { name }, data });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.close();
  }
}

/** The data of a config map after one policy, or the message of the response. */
async function dataAfter(mutations: readonly object[], spec: object = {}): Promise<unknown> {
  await using setup = await PolicyTest.start();
  await setup.policy(mutations, spec);
  const { body } = await setup.create();
  return body['data'] ?? body.message;
}

const denied = (why: string): string =>
  `policy 'sizes' with binding 'sizes' denied request: ${why}`;

describe('a mutating admission policy', () => {
  test('merges an apply configuration', async () => {
    expect(await dataAfter([apply('Object{data: Object.data{b: object.data.a}}')])).toEqual({
      a: '1',
      b: '1',
    });
  });

  test('merges the items of a list by their keys', async () => {
    await using setup = await PolicyTest.start();
    const containers = 'Object.spec.template.spec.containers';
    const list = `[${containers}{name: "b", image: "new"}, ${containers}{name: "c", image: "i"}]`;
    const spec = `Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: ${list}}}}`;
    const resourceRules = [{ ...rule, apiGroups: ['apps'], resources: ['deployments'] }];
    await setup.policy([apply(`Object{spec: ${spec}}`)], { matchConstraints: { resourceRules } });
    const { body } = await setup.client.post('/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            containers: [
              { name: 'a', image: 'i' },
              { name: 'b', image: 'old' },
            ],
          },
        },
      },
    });
    const stored = body as unknown as {
      spec: { template: { spec: { containers: { name: string; image: string }[] } } };
    };
    const images = stored.spec.template.spec.containers.map(({ name, image }) => [name, image]);
    expect(images).toEqual([
      ['a', 'i'],
      ['b', 'new'],
      ['c', 'i'],
    ]);
  });

  test('applies a JSON patch', async () => {
    const key = 'jsonpatch.escapeKey("x.y")';
    const operations = `[JSONPatch{op: "move", from: "/data/a", path: "/data/b"}, JSONPatch{op: "add", path: "/data/" + ${key}, value: "2"}]`;
    expect(await dataAfter([patch(operations)])).toEqual({ b: '1', 'x.y': '2' });
  });

  test('changes nothing if a test of its JSON patch fails', async () => {
    const operations =
      '[JSONPatch{op: "test", path: "/data/a", value: "2"}, JSONPatch{op: "remove", path: "/data/a"}]';
    expect(await dataAfter([patch(operations)])).toEqual({ a: '1' });
  });

  test('gives each mutation the result of the one before', async () => {
    const second = patch('[JSONPatch{op: "add", path: "/data/c", value: object.data.b + "3"}]');
    expect(await dataAfter([apply('Object{data: {"b": "2"}}'), second])).toEqual({
      a: '1',
      b: '2',
      c: '23',
    });
  });

  test('computes its variables for each mutation', async () => {
    const variables = [{ name: 'a', expression: 'object.data.a' }];
    const first = apply('Object{data: Object.data{b: variables.a, a: "9"}}');
    const second = apply('Object{data: {"c": variables.a}}');
    expect(await dataAfter([first, second], { variables })).toEqual({ a: '9', b: '1', c: '9' });
  });

  test('applies only to requests that meet its conditions', async () => {
    const matchConditions = [{ name: 'two', expression: "object.data.a == '2'" }];
    expect(await dataAfter([log('p')], { matchConditions })).toEqual({ a: '1' });
  });

  test('is evaluated once for each object of parameters', async () => {
    await using setup = await PolicyTest.start();
    for (const name of ['x', 'y']) {
      await setup.post(configMaps, {
        metadata: { name, labels: { param: 'yes' } },
        data: { q: name },
      });
    }
    const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
    const mutation = 'Object{data: {"log": object.?data.log.orValue("") + params.data.q}}';
    await setup.post(`${group}/mutatingadmissionpolicies`, {
      metadata: { name: 'sizes' },
      spec: {
        paramKind,
        reinvocationPolicy: 'Never',
        matchConstraints: { resourceRules: [rule] },
        mutations: [apply(mutation)],
      },
    });
    const selector = { matchLabels: { param: 'yes' } };
    await setup.post(`${group}/mutatingadmissionpolicybindings`, {
      metadata: { name: 'sizes' },
      spec: { policyName: 'sizes', paramRef: { selector, parameterNotFoundAction: 'Deny' } },
    });
    expect((await setup.create({})).body).toMatchObject({ data: { log: 'xy' } });
  });

  test.each([
    ['Object{dat: {"b": "x"}}', '.dat: field not declared in schema'],
    ['Object{immutable: "x"}', '.immutable: expected boolean, got &{x}'],
    ['Object{data: null}', '.data: expected map, got &{NULL_VALUE}'],
    [
      'Object{data: Object.data{b: null}}',
      '.data.b: expected string, got &value.valueUnstructured{Value:0}',
    ],
    [
      'Object{data: Object.data{b: b"abc"}}',
      '.data.b: expected string, got &value.valueUnstructured{Value:[]uint8{0x61, 0x62, 0x63}}',
    ],
    ['Object{metadata: {"labels": {"a": "b"}}}', '.metadata.labels: expected map, got &{map[a:b]}'],
  ])('refuses an apply configuration that does not fit the type: %s', async (expression, why) => {
    const step = 'error applying patch: failed to convert patch object to typed object';
    expect(await dataAfter([apply(expression)])).toBe(denied(`${step}: ${why}`));
  });

  test.each([
    [
      apply('Object{data: Object.other{}}'),
      'type mismatch: unexpected type name "Object.other", expected "Object.data", which matches field name path from root Object type',
    ],
    [apply('Object{data: {1: "x"}}'), 'invalid return type: *dynamic.ObjectVal'],
    [
      apply('false ? Object{} : null'),
      'unsupported return type from ApplyConfiguration expression: null_type',
    ],
    [patch('[JSONPatch{op: "odd"}]'), 'JSON Patch: Unexpected kind: odd'],
    [
      patch('[JSONPatch{op: "remove", path: "/data/z"}]'),
      "JSON Patch: error in remove for path: '/data/z': Unable to remove nonexistent key: z: missing value",
    ],
    [
      patch('[JSONPatch{op: "add", path: "/data/b", value: [Object.data{}]}]'),
      'JSONPath valueExpression evaluated to a type that could not marshal to JSON: Object.data in a list or map',
    ],
  ])('refuses a mutation that cannot be evaluated: %j', async (mutation, why) => {
    expect(await dataAfter([mutation])).toBe(denied(why));
  });

  test('may not change an atomic list', async () => {
    await using setup = await PolicyTest.start();
    const resourceRules = [{ ...rule, resources: ['services'] }];
    const mutation = apply('Object{spec: Object.spec{externalIPs: ["1.2.3.4"]}}');
    await setup.policy([mutation], { matchConstraints: { resourceRules } });
    const { body } = await setup.client.post('/api/v1/namespaces/default/services', {
      metadata: { name: 'web' },
      spec: { ports: [{ port: 80 }] },
    });
    const why =
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.externalIPs';
    expect(body.message).toBe(denied(why));
  });

  test('responds to a failure with 403, the reason Invalid and all causes', async () => {
    await using setup = await PolicyTest.start();
    const mutations = [patch('[JSONPatch{op: "odd"}]'), patch('[JSONPatch{op: "bad"}]')];
    await setup.policy(mutations);
    const { code, body } = await setup.create();
    expect([code, body.reason, body.details]).toEqual([
      403,
      'Invalid',
      {
        name: 'settings',
        kind: 'configmaps',
        causes: [
          { message: denied('JSON Patch: Unexpected kind: odd') },
          { message: denied('JSON Patch: Unexpected kind: bad') },
        ],
      },
    ]);
  });

  test('continues after an ignored failure', async () => {
    const mutations = [patch('[JSONPatch{op: "odd"}]'), log('p')];
    expect(await dataAfter(mutations, { failurePolicy: 'Ignore' })).toEqual({ a: '1', log: 'p' });
  });

  test('responds with 500 to a patch with unknown fields, whatever its failure policy is', async () => {
    const mutation = patch('[JSONPatch{op: "add", path: "/b", value: 1}]');
    expect(await dataAfter([mutation], { failurePolicy: 'Ignore' })).toBe(
      'Internal error occurred: strict decoding error: unknown field "b"',
    );
  });

  test('names only the policy in a problem of the policy', async () => {
    const paramKind = { apiVersion: 'example.com/v1', kind: 'Nothing' };
    expect(await dataAfter([log('p')], { paramKind })).toBe(
      `policy "sizes" denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nothing'`,
    );
  });

  test('merges nothing into a form of another group, such as a Scale', async () => {
    await using setup = await PolicyTest.start();
    await setup.client.post('/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'a', image: 'i' }] },
        },
      },
    });
    const resourceRules = [{ ...rule, apiGroups: ['apps'], resources: ['deployments/scale'] }];
    const mutation = apply('Object{spec: Object.spec{replicas: 7}}');
    await setup.policy([mutation], { matchConstraints: { resourceRules } });
    const { body } = await setup.client.patch(
      '/apis/apps/v1/namespaces/default/deployments/web/scale',
      'merge',
      { spec: { replicas: 5 } },
    );
    expect(body.message).toContain('no corresponding type for autoscaling/v1, Kind=Scale');
  });
});

describe('the rounds of mutating admission policies', () => {
  test('reinvoke a policy that allows it once after a change', async () => {
    await using setup = await PolicyTest.start();
    await setup.policy([log('a')], { reinvocationPolicy: 'IfNeeded' }, 'a');
    await setup.policy([log('b')], {}, 'b');
    await setup.policy([log('c')], { reinvocationPolicy: 'IfNeeded' }, 'c');
    const { body } = await setup.create({});
    expect(body).toMatchObject({ data: { log: 'abcac' } });
  });

  test('run policies before webhooks in each round', async () => {
    await using hooks = await WebhookServer.start(({ object }) => {
      const { data = {} } = object as { data?: { log?: string } };
      return patchAnswer({ op: 'add', path: '/data/log', value: `${data.log ?? ''}w` });
    });
    await using setup = await PolicyTest.start();
    await setup.policy([log('p')], { reinvocationPolicy: 'IfNeeded' });
    const hook = webhook('log', hooks.config(), { reinvocationPolicy: 'IfNeeded' });
    await setup.post(`${group}/mutatingwebhookconfigurations`, {
      metadata: { name: 'log' },
      webhooks: [hook],
    });
    const { body } = await setup.create({});
    expect(body).toMatchObject({ data: { log: 'pwpw' } });
  });
});
