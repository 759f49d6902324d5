import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { WebhookTest } from '../admission/dynamic/webhooks.test-support.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';
import { webhook } from '../webhooks/webhook-server.test-support.ts';

const core = '/api/v1/namespaces/default';
const apps = '/apis/apps/v1/namespaces/default';
const containers = [{ name: 'c', image: 'i' }];

function deployment(): Json {
  const labels = { app: 'web' };
  return {
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

describe('scale', () => {
  test('reads and writes the replicas of a Deployment', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const { body } = await client.post(`${apps}/deployments`, deployment());
    const path = `${apps}/deployments/web/scale`;
    const { name, namespace, uid, resourceVersion, creationTimestamp } = body.metadata;
    const scale = (await client.get(path)).body;
    expect(scale).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=web' },
    });
    const put = await client.put(path, { ...scale, spec: { replicas: 5 } });
    expect([put.code, put.body.spec.replicas]).toEqual([200, 5]);
    const stale = await client.put(path, { ...scale, spec: { replicas: 6 } });
    expect([stale.code, stale.body.reason]).toEqual([409, 'Conflict']);
    const patched = await client.patch(path, 'json', [
      { op: 'replace', path: '/spec/replicas', value: 7 },
    ]);
    expect(patched.body.spec.replicas).toBe(7);
    const owner = (await client.get(`${apps}/deployments/web`)).body;
    expect([owner.spec.replicas, owner.metadata.generation]).toEqual([7, 3]);
    const negative = await client.patch(path, 'merge', { spec: { replicas: -1 } });
    expect([negative.code, negative.body.reason]).toEqual([422, 'Invalid']);
  });

  test('omits zero replicas, as kube-apiserver does', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(`${apps}/deployments`, deployment());
    const path = `${apps}/deployments/web/scale`;
    const { body } = await client.patch(path, 'merge', { spec: { replicas: 0 } });
    expect(body.spec).toEqual({});
    expect((await client.get(`${apps}/deployments/web`)).body.spec.replicas).toBe(0);
  });

  test('an apply owns the replicas and conflicts with other owners', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(`${apps}/deployments`, deployment());
    const path = `${apps}/deployments/web/scale`;
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' } };
    const by = (manager: string, replicas: unknown): ReturnType<RawClient['patch']> =>
      client.patch(`${path}?fieldManager=${manager}&force=${manager === 'alice'}`, 'apply', {
        ...scale,
        spec: { replicas },
      });
    expect((await by('alice', 4)).body.spec.replicas).toBe(4);
    const taken = await by('bob', 5);
    expect([taken.code, taken.body.reason]).toEqual([409, 'Conflict']);
    expect((await by('bob', 'x')).code).toBe(500);
    const { managedFields } = (await client.get(`${apps}/deployments/web`)).body.metadata;
    const owners = managedFields.filter(
      (entry: Json) => entry.fieldsV1['f:spec']?.['f:replicas'] !== undefined,
    );
    expect(owners).toEqual([
      {
        manager: 'alice',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
        subresource: 'scale',
      },
    ]);
  });
});

describe('pods', () => {
  test('binding assigns a node once', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec: { containers } });
    const binding = { metadata: { name: 'p' }, target: { kind: 'Node', name: 'n' } };
    const bound = await client.post(`${core}/pods/p/binding`, binding);
    expect([bound.code, bound.body.status]).toEqual([201, 'Success']);
    const { body } = await client.get(`${core}/pods/p`);
    expect(body.spec.nodeName).toBe('n');
    expect(body.status.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }]);
    expect((await client.post(`${core}/pods/p/binding`, binding)).code).toBe(409);
  });

  test.each([
    ['another name', { metadata: { name: 'q' }, target: { name: 'n' } }, 400],
    ['no name', { target: { name: 'n' } }, 400],
    ['another namespace', { metadata: { name: 'p', namespace: 'x' }, target: { name: 'n' } }, 400],
    [
      'another kind of target',
      { metadata: { name: 'p' }, target: { kind: 'Pod', name: 'n' } },
      500,
    ],
    ['no target', { metadata: { name: 'p' } }, 500],
    ['another kind', { kind: 'Pod', metadata: { name: 'p' }, target: { name: 'n' } }, 400],
    ['another uid', { metadata: { name: 'p', uid: 'u' }, target: { name: 'n' } }, 409],
    [
      'another version',
      { metadata: { name: 'p', resourceVersion: '1' }, target: { name: 'n' } },
      409,
    ],
  ])('a binding with %s is refused', async (_what, binding, code) => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec: { containers } });
    expect((await client.post(`${core}/pods/p/binding`, binding)).code).toBe(code);
    expect((await client.get(`${core}/pods/p`)).body.spec.nodeName).toBeUndefined();
  });

  test('a binding adds its labels and annotations to the pod, also through bindings', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const metadata = { labels: { a: 'b', kept: 'x' }, annotations: { c: 'd' } };
    const added = { labels: { a: 'z', zone: 'y' }, annotations: { e: 'f' } };
    for (const name of ['p', 'q']) {
      await client.post(`${core}/pods`, { metadata: { name, ...metadata }, spec: { containers } });
    }
    const binding = (name: string): Json => ({
      metadata: { name, ...added },
      target: { name: 'n' },
    });
    const responses = [
      await client.post(`${core}/pods/p/binding`, binding('p')),
      await client.post(`${core}/bindings`, binding('q')),
    ];
    expect(responses.map(({ body }) => body.status)).toEqual(['Success', 'Success']);
    for (const name of ['p', 'q']) {
      const { body } = await client.get(`${core}/pods/${name}`);
      expect(body.spec.nodeName).toBe('n');
      expect(body.metadata).toMatchObject({
        labels: { a: 'z', kept: 'x', zone: 'y' },
        annotations: { c: 'd', e: 'f' },
      });
    }
    expect((await client.post(`${core}/bindings`, binding('none'))).code).toBe(404);
    expect((await client.get(`${core}/bindings/p`)).code).toBe(404);
  });

  test('a pod that is being deleted or has scheduling gates is not bound', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const leaving = { metadata: { name: 'p', finalizers: ['a/b'] }, spec: { containers } };
    await client.post(`${core}/pods`, leaving);
    await client.delete(`${core}/pods/p`);
    const schedulingGates = [{ name: 'a/b' }];
    await client.post(`${core}/pods`, {
      metadata: { name: 'q' },
      spec: { containers, schedulingGates },
    });
    for (const name of ['p', 'q']) {
      const binding = { metadata: { name }, target: { name: 'n' } };
      expect((await client.post(`${core}/pods/${name}/binding`, binding)).code).toBe(409);
    }
  });

  test('report their scheduling gates, and show the deletion in a dry run', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const spec = { containers, schedulingGates: [{ name: 'example.com/gate' }] };
    const { body } = await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec });
    expect(body.status.conditions).toMatchObject([
      { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' },
    ]);
    const deleted = await client.delete(`${core}/pods/p`, { dryRun: ['All'] });
    expect(deleted.body.metadata.deletionGracePeriodSeconds).toBe(0);
  });

  test('have one address in two members, and keep their QoS class', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const pod = { metadata: { name: 'p' }, spec: { containers } };
    await client.post(`${core}/pods`, pod);
    const status = { podIP: '10.1.0.1', podIPs: [{ ip: '10.1.0.2' }] };
    const { body } = await client.put(`${core}/pods/p/status`, { ...pod, status });
    expect(body.status).toMatchObject({ podIPs: [{ ip: '10.1.0.1' }], qosClass: 'BestEffort' });
    const second = { podIP: null, podIPs: [{ ip: '10.1.0.3' }] };
    const patched = await client.patch(`${core}/pods/p/status`, 'merge', { status: second });
    expect(patched.body.status).toMatchObject({ podIP: '10.1.0.3' });
  });

  test('tolerate unready nodes also after an update', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec: { containers } });
    const { body } = await client.patch(`${core}/pods/p`, 'merge', { spec: { tolerations: null } });
    expect(body.spec.tolerations).toHaveLength(2);
  });

  test('have no overhead without a RuntimeClass', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const pod = (more: object): Json => ({
      metadata: { name: 'p' },
      spec: { containers, ...more },
    });
    const own = await client.post(`${core}/pods`, pod({ overhead: { cpu: '1' } }));
    expect([own.code, own.body.message]).toEqual([
      403,
      'pods "p" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    ]);
    const missing = await client.post(`${core}/pods`, pod({ runtimeClassName: 'r' }));
    expect(missing.body.message).toContain('RuntimeClass "r" not found');
    await client.post('/apis/node.k8s.io/v1/runtimeclasses', {
      metadata: { name: 'r' },
      handler: 'h',
      overhead: { podFixed: { cpu: '1' } },
    });
    const { body } = await client.post(`${core}/pods`, pod({ runtimeClassName: 'r' }));
    expect(body.spec.overhead).toEqual({ cpu: '1' });
  });

  test('keep the node to which they are bound', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const spec = { containers, nodeName: 'n' };
    await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec });
    const moved = await client.patch(`${core}/pods/p`, 'merge', { spec: { nodeName: 'other' } });
    expect([moved.code, moved.body.reason]).toEqual([422, 'Invalid']);
    expect(moved.body.details.causes).toMatchObject([
      { reason: 'FieldValueForbidden', field: 'spec' },
    ]);
  });

  test('eviction deletes a pod unless a budget allows no disruption', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const labels = { app: 'web' };
    await client.post(`${core}/pods`, { metadata: { name: 'p', labels }, spec: { containers } });
    const conditions = [{ type: 'Ready', status: 'True' }];
    const running = { status: { phase: 'Running', conditions } };
    await client.patch(`${core}/pods/p/status`, 'merge', running);
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    const spec = { minAvailable: 1, selector: { matchLabels: labels } };
    await client.post(budgets, { metadata: { name: 'b' }, spec });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
    const rejected = await client.post(`${core}/pods/p/eviction`, eviction);
    expect(rejected.body).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      details: {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget b is still being processed by the server.',
          },
        ],
      },
    });
    const counted = { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 2 };
    await client.patch(`${budgets}/b/status`, 'merge', { status: counted });
    const without = await client.post(`${core}/pods/p/eviction`, eviction);
    expect(without.body.details.causes[0].message).toBe(
      'The disruption budget b needs 2 healthy pods and has 1 currently',
    );
    await client.patch(`${budgets}/b/status`, 'merge', { status: { disruptionsAllowed: 1 } });
    expect((await client.post(`${core}/pods/p/eviction`, eviction)).code).toBe(201);
    expect((await client.get(`${core}/pods/p`)).code).toBe(404);
    expect((await client.post(`${core}/pods/p/eviction`, eviction)).code).toBe(404);
    expect((await client.get(`${budgets}/b`)).body.status).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: expect.any(String) },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
  });

  test('an evicted pod has a DisruptionTarget condition, and a dry run changes nothing', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const metadata = { name: 'p', finalizers: ['example.com/hold'] };
    await client.post(`${core}/pods`, { metadata, spec: { containers } });
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } };
    const before = await client.get(`${core}/pods/p`);
    expect((await client.post(`${core}/pods/p/eviction?dryRun=All`, eviction)).code).toBe(201);
    expect((await client.get(`${core}/pods/p`)).body).toEqual(before.body);
    const { uid, resourceVersion } = before.body.metadata;
    const stale = { deleteOptions: { preconditions: { uid, resourceVersion: '1' } } };
    expect((await client.post(`${core}/pods/p/eviction`, { ...eviction, ...stale })).code).toBe(
      409,
    );
    expect((await client.get(`${core}/pods/p`)).body).toEqual(before.body);
    const exact = { deleteOptions: { preconditions: { uid, resourceVersion } } };
    expect((await client.post(`${core}/pods/p/eviction`, { ...eviction, ...exact })).code).toBe(
      201,
    );
    expect((await client.get(`${core}/pods/p`)).body).toMatchObject({
      metadata: { deletionTimestamp: expect.any(String) },
      status: { conditions: [{ type: 'DisruptionTarget', reason: 'EvictionByEvictionAPI' }] },
    });
  });

  test('an eviction must name the pod of its URL', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const other = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'q' } };
    const { code, body } = await client.post(`${core}/pods/p/eviction`, other);
    expect([code, body.message]).toEqual([
      400,
      'name in URL does not match name in Eviction object',
    ]);
  });
});

describe('service account tokens', () => {
  test('authenticate their service account until they expire', async () => {
    let now = Date.UTC(2030, 0, 1);
    await using server = await createApiServer({ now: () => now, anonymousAuth: false });
    const admin = new RawClient(server, { authorization: `Bearer ${server.cluster.token}` });
    await admin.post(`${core}/serviceaccounts`, { metadata: { name: 'robot' } });
    const path = `${core}/serviceaccounts/robot/token`;
    const { code, body } = await admin.post(path, { spec: { expirationSeconds: 600 } });
    expect([code, body.status.expirationTimestamp]).toEqual([201, '2030-01-01T00:10:00Z']);
    const robot = new RawClient(server, { authorization: `Bearer ${body.status.token}` });
    const whoami = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    expect((await robot.post(whoami, {})).body.status.userInfo).toMatchObject({
      username: 'system:serviceaccount:default:robot',
      groups: expect.arrayContaining(['system:serviceaccounts:default']),
    });
    now += 600_000;
    expect((await robot.post(whoami, {})).code).toBe(401);
    const forged = `${body.status.token.slice(0, -3)}abc`;
    const forger = new RawClient(server, { authorization: `Bearer ${forged}` });
    expect((await forger.post(whoami, {})).code).toBe(401);
  });

  test('do not authenticate with another audience or after the deletion of the account', async () => {
    await using server = await createApiServer({ anonymousAuth: false });
    const admin = new RawClient(server, { authorization: `Bearer ${server.cluster.token}` });
    await admin.post(`${core}/serviceaccounts`, { metadata: { name: 'robot' } });
    const whoami = async (spec: object): Promise<() => Promise<number>> => {
      const { body } = await admin.post(`${core}/serviceaccounts/robot/token`, { spec });
      const robot = new RawClient(server, { authorization: `Bearer ${body.status.token}` });
      return async () =>
        (await robot.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})).code;
    };
    expect(await (await whoami({ audiences: ['https://elsewhere.example.com'] }))()).toBe(401);
    const statusOfRequest = await whoami({});
    expect(await statusOfRequest()).toBe(201);
    await admin.delete(`${core}/serviceaccounts/robot`);
    expect(await statusOfRequest()).toBe(401);
    await admin.post(`${core}/serviceaccounts`, { metadata: { name: 'robot' } });
    expect(await statusOfRequest()).toBe(401);
  });

  test('are reviewed for the audiences of the review, of which the status names those of the token', async () => {
    await using server = await createApiServer();
    const admin = new RawClient(server);
    await admin.post(`${core}/serviceaccounts`, { metadata: { name: 'robot' } });
    const spec = { audiences: ['api', 'two'] };
    const { body } = await admin.post(`${core}/serviceaccounts/robot/token`, { spec });
    const { token } = body.status;
    const statusFor = async (audiences?: readonly string[]): Promise<unknown> => {
      const review = { spec: { token, audiences } };
      return (await admin.post('/apis/authentication.k8s.io/v1/tokenreviews', review)).body.status;
    };
    const username = 'system:serviceaccount:default:robot';
    expect(await statusFor(['x', 'two', 'api'])).toMatchObject({
      authenticated: true,
      audiences: ['two', 'api'],
      user: { username },
    });
    const refusal =
      '[invalid bearer token, token audiences ["api" "two"] is invalid for the target';
    expect(await statusFor(['x'])).toEqual({ user: {}, error: `${refusal} audiences ["x"]]` });
    expect(await statusFor()).toEqual({
      user: {},
      error: `${refusal} audiences ["https://kubernetes.default.svc"]]`,
    });
  });

  test('take defaults for null members, which client-go sends', async () => {
    await using server = await createApiServer();
    const admin = new RawClient(server);
    await admin.post(`${core}/serviceaccounts`, { metadata: { name: 'robot' } });
    const spec = { audiences: null, expirationSeconds: null, boundObjectRef: null };
    const { body } = await admin.post(`${core}/serviceaccounts/robot/token`, { spec });
    expect(body.spec).toMatchObject({
      audiences: ['https://kubernetes.default.svc'],
      expirationSeconds: 3600,
    });
    const robot = new RawClient(server, { authorization: `Bearer ${body.status.token}` });
    const { code } = await robot.post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {});
    expect(code).toBe(201);
  });
});

describe('subresources', () => {
  test.each(['log', 'exec/x', 'nothing'])('%s of a pod is not served', async (name) => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec: { containers } });
    expect((await client.get(`${core}/pods/p/${name}`)).code).toBe(404);
  });
});

test('an update of ephemeral containers needs no other part of the pod, and changes none', async () => {
  await using server = await createApiServer();
  const client = new RawClient(server);
  const labels = { app: 'web' };
  await client.post(`${core}/pods`, { metadata: { name: 'p', labels }, spec: { containers } });
  const ephemeralContainers = [{ name: 'shell', image: 'busybox' }];
  const { code, body } = await client.put(`${core}/pods/p/ephemeralcontainers`, {
    metadata: { name: 'p', labels: { app: 'other' } },
    spec: { ephemeralContainers },
  });
  expect([code, body.metadata.labels]).toEqual([200, labels]);
  expect(body.spec).toMatchObject({ containers, ephemeralContainers });
});

// The responses are those of kube-apiserver 1.36 without a kubelet, which e2e/fidelity compares.
describe('connections', () => {
  const rules = [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources: ['*/*'] },
  ];

  test('are reviewed with the operation CONNECT and the options in their URL', async () => {
    await using setup = await WebhookTest.start();
    const { client, hooks } = setup;
    await setup.configure('validating', 'a', webhook('a', hooks.config('/'), { rules }));
    await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec: { containers } });
    const urls = [
      'pods/p/exec?command=ls&command=-l&container=c&stdin=true&stdout&stderr=false&tty=0',
      'pods/p/exec',
      'pods/p/attach?stdin=1',
      'pods/p/portforward?ports=80,81&ports=82',
      'pods/p/proxy/x/y?path=/z',
      'services/https:kubernetes:443/proxy',
    ];
    for (const url of urls) await client.post(`${core}/${url}`, {});
    await client.get('/api/v1/nodes/n/proxy/pods');
    // Each part of a path may have the name of the subresource.
    await client.get('/api/v1/nodes/proxy/proxy/proxy/a');
    await client.get(`${core.replace('default', 'proxy')}/pods/p/proxy/a/proxy/b/`);
    const v1 = { apiVersion: 'v1' };
    expect(hooks.requests().map(({ subResource, object }) => [subResource, object])).toEqual([
      [
        'exec',
        {
          ...v1,
          kind: 'PodExecOptions',
          stdin: true,
          stdout: true,
          container: 'c',
          command: ['ls', '-l'],
        },
      ],
      ['exec', { ...v1, kind: 'PodExecOptions', command: null }],
      ['attach', { ...v1, kind: 'PodAttachOptions', stdin: true }],
      ['portforward', { ...v1, kind: 'PodPortForwardOptions', ports: [80, 81, 82] }],
      ['proxy', { ...v1, kind: 'PodProxyOptions', path: '/x/y' }],
      ['proxy', { ...v1, kind: 'ServiceProxyOptions' }],
      ['proxy', { ...v1, kind: 'NodeProxyOptions', path: '/pods' }],
      ['proxy', { ...v1, kind: 'NodeProxyOptions', path: '/proxy/a' }],
      ['proxy', { ...v1, kind: 'PodProxyOptions', path: '/a/proxy/b/' }],
    ]);
    expect(hooks.requests()[1]).toMatchObject({
      operation: 'CONNECT',
      kind: { group: '', version: 'v1', kind: 'PodExecOptions' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      requestSubResource: 'exec',
      name: 'p',
      namespace: 'default',
      oldObject: null,
      options: null,
      dryRun: false,
    });
  });

  test('are denied by webhooks and policies', async () => {
    await using setup = await WebhookTest.start(({ name }) => ({ allowed: name !== 'denied' }));
    const { client, hooks } = setup;
    await setup.configure('validating', 'a', webhook('a', hooks.config('/'), { rules }));
    const admission = '/apis/admissionregistration.k8s.io/v1';
    await client.post(`${admission}/validatingadmissionpolicies`, {
      metadata: { name: 'p' },
      spec: {
        matchConstraints: { resourceRules: rules },
        validations: [{ expression: "!has(object.container) || object.container != 'secret'" }],
      },
    });
    await client.post(`${admission}/validatingadmissionpolicybindings`, {
      metadata: { name: 'p' },
      spec: { policyName: 'p', validationActions: ['Deny'] },
    });
    expect((await client.post(`${core}/pods/denied/exec`, {})).body.message).toBe(
      'admission webhook "a.example.com" denied the request without explanation',
    );
    expect((await client.post(`${core}/pods/other/exec?container=secret`, {})).body).toMatchObject({
      code: 422,
      message: expect.stringContaining("ValidatingAdmissionPolicy 'p' with binding 'p' denied"),
    });
  });

  test('fail as in a kube-apiserver that reaches no kubelet', async () => {
    await using server = await createApiServer();
    const client = new RawClient(server);
    const pod = async (name: string, spec: object, podIP?: string): Promise<void> => {
      await client.post(`${core}/pods`, { metadata: { name }, spec: { containers, ...spec } });
      if (podIP !== undefined) {
        await client.patch(`${core}/pods/${name}/status`, 'merge', { status: { podIP } });
      }
    };
    const node = async (name: string, ...addresses: object[]): Promise<void> => {
      await client.post('/api/v1/nodes', { metadata: { name } });
      await client.patch(`/api/v1/nodes/${name}/status`, 'merge', { status: { addresses } });
    };
    await node('silent');
    await node('here', { type: 'InternalIP', address: '127.0.0.1' });
    await node('far', { type: 'InternalIP', address: '10.0.0.1' });
    await pod('new', {}, '10.1.1.1');
    await pod('two', { containers: [...containers, { name: 'd', image: 'i' }] }, '127.0.0.1');
    await pod('lost', { nodeName: 'gone' });
    await pod('silent', { nodeName: 'silent' });
    await pod('far', { nodeName: 'far' });
    const refused = 'connect: connection refused';
    const cases: readonly (readonly [path: string, code: number, message: string])[] = [
      ['pods/none/exec', 404, 'pods "none" not found'],
      ['pods/new/exec', 400, 'pod new does not have a host assigned'],
      ['pods/new/exec?container=x', 400, 'container x is not valid for pod new'],
      [
        'pods/two/attach',
        400,
        'a container name must be specified for pod two, choose one of: [c d]',
      ],
      ['pods/two/portforward', 400, 'pod two does not have a host assigned'],
      [
        'pods/two/portforward?ports=x',
        400,
        'cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax',
      ],
      ['pods/lost/exec', 404, 'pods "gone" not found'],
      ['pods/silent/exec', 500, 'no preferred addresses found; known addresses: []'],
      ['pods/far/exec', 400, 'Upgrade request required'],
      ['pods/lost/proxy', 400, 'address not allowed'],
      ['pods/two/proxy', 400, 'address not allowed'],
      ['pods/new/proxy', 503, `error trying to reach service: dial tcp 10.1.1.1: ${refused}`],
      ['services/kubernetes/proxy', 503, 'no endpoints available for service "kubernetes"'],
      ['services/none:80/proxy', 404, 'services "none" not found'],
      ['../../nodes/silent/proxy', 500, 'no preferred addresses found; known addresses: []'],
      ['../../nodes/here/proxy', 400, 'address not allowed'],
      ['../../nodes/none/proxy', 404, 'nodes "none" not found'],
    ];
    for (const [path, code, message] of cases) {
      const { pathname, search } = new URL(`${core}/${path}`, 'http://a');
      const { body } = await client.get(`${pathname}${search}`);
      expect([path, body.code, body.message]).toEqual([path, code, message]);
    }
  });
});

describe('posted bodies', () => {
  test.each(['binding', 'eviction'])(
    'the body of a %s has its kind and known fields',
    async (part) => {
      await using server = await createApiServer();
      const client = new RawClient(server);
      await client.post(`${core}/pods`, { metadata: { name: 'p' }, spec: { containers } });
      const path = `${core}/pods/p/${part}?dryRun=All`;
      const body = {
        metadata: { name: 'p' },
        ...(part === 'binding' && { target: { name: 'n' } }),
      };
      const statuses = [
        await client.post(path, { ...body, kind: 'Pod', apiVersion: 'v1' }),
        await client.post(path, { ...body, metadata: { name: 'p', namespace: 'x' } }),
        await client.post(`${path}&fieldValidation=Strict`, { ...body, odd: 1 }),
        await client.post(`${path}&fieldManager=%07`, body),
      ];
      expect(statuses.map(({ code }) => code)).toEqual([400, 400, 400, 422]);
      const warned = await client.post(path, { ...body, odd: 1 });
      expect([warned.code, warned.headers.get('warning')]).toEqual([
        201,
        '299 - "unknown field \\"odd\\""',
      ]);
    },
  );
});
