import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '../server/api-server.ts';
import { type Json, RawClient } from '../server/raw-client.test-support.ts';
import { kubernetesVersions, type KubernetesVersion } from './kubernetes-version.ts';

const core = '/api/v1/namespaces/default';
const apis = '/apis';

/** A field of a written object, and the versions of Kubernetes that keep it. */
interface FieldCase {
  readonly name: string;
  readonly path: string;
  readonly body: Json;
  /** Writes the status after the creation. */
  readonly status?: Json;
  readonly read: (object: Json) => unknown;
  readonly kept: readonly KubernetesVersion[];
}

const pod = (spec: Json): Json => ({
  metadata: { name: 'a' },
  spec: { containers: [{ name: 'main', image: 'x', ...spec.container }], ...spec.pod },
});

const fields: readonly FieldCase[] = [
  {
    name: 'hostname override of a Pod (HostnameOverride)',
    path: `${core}/pods`,
    body: pod({ pod: { hostnameOverride: 'host' } }),
    read: ({ spec }) => spec.hostnameOverride,
    kept: ['1.35', '1.36'],
  },
  {
    name: 'restart policy of a container (ContainerRestartRules)',
    path: `${core}/pods`,
    body: pod({ container: { restartPolicy: 'Never' } }),
    read: ({ spec }) => spec.containers[0].restartPolicy,
    kept: ['1.35', '1.36'],
  },
  {
    name: 'volume of an image (ImageVolume)',
    path: `${core}/pods`,
    body: pod({
      container: { volumeMounts: [{ name: 'v', mountPath: '/v' }] },
      pod: { volumes: [{ name: 'v', image: { reference: 'x' } }] },
    }),
    read: ({ spec }) => spec.volumes?.find(({ name }: Json) => name === 'v'),
    kept: ['1.35', '1.36'],
  },
  {
    name: 'tolerance of an autoscaler (HPAConfigurableTolerance)',
    path: `${apis}/autoscaling/v2/namespaces/default/horizontalpodautoscalers`,
    body: {
      metadata: { name: 'a' },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
        behavior: { scaleUp: { tolerance: '50m' } },
      },
    },
    read: ({ spec }) => spec.behavior.scaleUp.tolerance,
    kept: ['1.35', '1.36'],
  },
  {
    name: 'update period of a CSIDriver (MutableCSINodeAllocatableCount)',
    path: `${apis}/storage.k8s.io/v1/csidrivers`,
    body: { metadata: { name: 'a' }, spec: { nodeAllocatableUpdatePeriodSeconds: 60 } },
    read: ({ spec }) => spec.nodeAllocatableUpdatePeriodSeconds,
    kept: ['1.35', '1.36'],
  },
  {
    name: 'field serviceAccountTokenInSecrets of a CSIDriver, new in 1.35',
    path: `${apis}/storage.k8s.io/v1/csidrivers`,
    body: {
      metadata: { name: 'a' },
      spec: { tokenRequests: [{ audience: 'a' }], serviceAccountTokenInSecrets: true },
    },
    read: ({ spec }) => spec.serviceAccountTokenInSecrets,
    kept: ['1.35', '1.36'],
  },
  {
    name: 'field preventPodSchedulingIfMissing of a CSIDriver, new in 1.36',
    path: `${apis}/storage.k8s.io/v1/csidrivers`,
    body: { metadata: { name: 'a' }, spec: { preventPodSchedulingIfMissing: true } },
    read: ({ spec }) => spec.preventPodSchedulingIfMissing,
    kept: ['1.36'],
  },
  {
    name: 'extended resource of a DeviceClass (DRAExtendedResource)',
    path: `${apis}/resource.k8s.io/v1/deviceclasses`,
    body: { metadata: { name: 'a' }, spec: { extendedResourceName: 'example.com/gpu' } },
    read: ({ spec }) => spec.extendedResourceName,
    kept: ['1.36'],
  },
  {
    name: 'tolerations of a ResourceClaim (DRADeviceTaints, which 1.34 reads only for slices)',
    path: `${apis}/resource.k8s.io/v1/namespaces/default/resourceclaims`,
    body: {
      metadata: { name: 'a' },
      spec: {
        devices: {
          requests: [
            { name: 'r', exactly: { deviceClassName: 'c', tolerations: [{ operator: 'Exists' }] } },
          ],
        },
      },
    },
    read: ({ spec }) => spec.devices.requests[0].exactly.tolerations,
    kept: ['1.34', '1.36'],
  },
  {
    name: 'terminating replicas of a Deployment (DeploymentReplicaSetTerminatingReplicas)',
    path: `${apis}/apps/v1/namespaces/default/deployments`,
    body: {
      metadata: { name: 'a' },
      spec: {
        selector: { matchLabels: { a: 'b' } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { containers: [{ name: 'm', image: 'x' }] },
        },
      },
    },
    status: { terminatingReplicas: 2 },
    read: ({ status }) => status.terminatingReplicas,
    kept: ['1.35', '1.36'],
  },
  {
    name: 'declared features of a Node (NodeDeclaredFeatures)',
    path: '/api/v1/nodes',
    body: { metadata: { name: 'a' } },
    status: { declaredFeatures: ['Feature'] },
    read: ({ status }) => status.declaredFeatures,
    kept: ['1.36'],
  },
];

describe.each(kubernetesVersions)('a server of Kubernetes %s', (version) => {
  test('reports its version in /version and in the documents', async () => {
    await using server = await createApiServer({ version });
    const client = new RawClient(server);
    const { body } = await client.get('/version');
    expect(`${body.major}.${body.minor}`).toBe(version);
    expect(body.gitVersion).toMatch(new RegExp(`^v${version.replace('.', '\\.')}\\.\\d+$`));
    expect((await client.get('/openapi/v3/apis/apps/v1')).body.info.version).toBe(version);
    const { text: status } = await client.get('/statusz');
    expect(status).toContain(
      `Binary version: ${body.gitVersion.slice(1)}\nEmulation version: ${version}\n`,
    );
    const [first = ''] = Buffer.from(await server.save())
      .toString()
      .split('\n');
    expect(JSON.parse(first).kubernetes).toBe(body.gitVersion);
  });

  test('serves mutating policies only in 1.36', async () => {
    await using server = await createApiServer({ version });
    const client = new RawClient(server);
    const isServed = version === '1.36';
    const path = '/apis/admissionregistration.k8s.io/v1';
    const { resources } = (await client.get(path)).body;
    const names: string[] = resources.map(({ name }: Json) => name);
    expect(names.includes('mutatingadmissionpolicies')).toBe(isServed);
    expect(names).toContain('validatingadmissionpolicies');
    expect((await client.get(`${path}/mutatingadmissionpolicies`)).code).toBe(isServed ? 200 : 404);
    for (const document of ['/openapi/v2', `/openapi/v3${path}`]) {
      const accept = { accept: 'application/json' };
      const { text, body } = await client.get(document, accept);
      expect(`${path}/mutatingadmissionpolicies` in body.paths).toBe(isServed);
      expect(text.includes('shardSelector')).toBe(isServed);
      expect(text.includes('v1.MutatingAdmissionPolicySpec')).toBe(isServed);
    }
    // A write still passes the other admission plugins.
    expect((await client.post(`${core}/configmaps`, { metadata: { name: 'a' } })).code).toBe(201);
  });

  test.each(fields)('keeps or drops the $name', async ({ path, body, status, read, kept }) => {
    await using server = await createApiServer({ version });
    const client = new RawClient(server);
    const created = await client.post(`${path}?fieldValidation=Ignore`, body);
    expect([created.code, created.body.message]).toEqual([201, undefined]);
    const { name } = body.metadata;
    const written =
      status === undefined
        ? created
        : await client.patch(`${path}/${name}/status`, 'merge', { status });
    expect(read(written.body) !== undefined).toBe(kept.includes(version));
    const got = await client.get(`${path}/${name}`);
    expect(read(got.body) !== undefined).toBe(kept.includes(version));
  });

  test('knows variables of a file from 1.35 on: before, the variable has no source', async () => {
    await using server = await createApiServer({ version });
    const valueFrom = { fileKeyRef: { volumeName: 'v', path: 'p', key: 'K', optional: true } };
    const container = { env: [{ name: 'A', valueFrom }] };
    const body = pod({ container, pod: { volumes: [{ name: 'v', emptyDir: {} }] } });
    const { code } = await new RawClient(server).post(`${core}/pods`, body);
    expect(code).toBe(version === '1.34' ? 422 : 201);
  });

  test('describes in its documents exactly the fields that it has', async () => {
    await using server = await createApiServer({ version });
    const { body } = await new RawClient(server).get('/openapi/v3/apis/storage.k8s.io/v1');
    const { properties } = body.components.schemas['io.k8s.api.storage.v1.CSIDriverSpec'];
    expect('serviceAccountTokenInSecrets' in properties).toBe(version !== '1.34');
    expect('preventPodSchedulingIfMissing' in properties).toBe(version === '1.36');
    expect(properties.attachRequired.type).toBe('boolean');
  });

  test('warns of a field that it does not have, and refuses it under strict validation', async () => {
    await using server = await createApiServer({ version });
    const client = new RawClient(server);
    const drivers = '/apis/storage.k8s.io/v1/csidrivers?fieldValidation=Strict';
    const spec = { tokenRequests: [{ audience: 'a' }], serviceAccountTokenInSecrets: true };
    const { code, body } = await client.post(drivers, { metadata: { name: 'a' }, spec });
    expect(code).toBe(version === '1.34' ? 400 : 201);
    if (version === '1.34')
      expect(body.message).toContain('unknown field "spec.serviceAccountTokenInSecrets"');
  });
});

test('constrained impersonation, and the gate of sharded lists, are of 1.36', async () => {
  const featureGates = { ShardedListAndWatch: true };
  await expect(createApiServer({ version: '1.35', featureGates })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    facts: { option: 'createApiServer.featureGates.ShardedListAndWatch' },
  });
  await expect(createApiServer({ version: '1.33' as never })).rejects.toMatchObject({
    facts: { option: 'createApiServer.version' },
  });
  const codes = await Promise.all(
    (['1.35', '1.36'] as const).map(async (version) => {
      await using server = await createApiServer({ version, authorizationMode: 'RBAC' });
      const group = 'rbac.authorization.k8s.io';
      const rules = [
        {
          apiGroups: ['authentication.k8s.io'],
          resources: ['users'],
          verbs: ['impersonate:user-info'],
        },
        {
          apiGroups: [''],
          resources: ['namespaces'],
          verbs: ['impersonate-on:user-info:list', 'list'],
        },
      ];
      const metadata = { name: 'impersonator' };
      const roleRef = { apiGroup: group, kind: 'ClusterRole', name: metadata.name };
      const subjects = ['vera', 'other'].map((name) => ({ apiGroup: group, kind: 'User', name }));
      const apiVersion = `${group}/v1`;
      server.seed([
        { apiVersion, kind: 'ClusterRole', metadata, rules } as object,
        { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects } as object,
      ]);
      const { token } = server.addUser({ name: 'vera', groups: [] });
      const headers = { authorization: `Bearer ${token}`, 'impersonate-user': 'other' };
      return (await new RawClient(server, headers).get('/api/v1/namespaces')).code;
    }),
  );
  expect(codes).toEqual([403, 200]);
});

test('a kind that 1.34 does not have is not registered there', async () => {
  const messages = await Promise.all(
    (['1.34', '1.36'] as const).map(async (version) => {
      await using server = await createApiServer({ version });
      const body = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingAdmissionPolicy',
        metadata: { name: 'a' },
      };
      return (await new RawClient(server).post(`${core}/configmaps`, body)).body.message;
    }),
  );
  expect(messages).toEqual([
    expect.stringContaining('no kind "MutatingAdmissionPolicy" is registered'),
    expect.stringContaining('converting (v1.MutatingAdmissionPolicy) to (core.ConfigMap)'),
  ]);
});

test('a snapshot of 1.36 with a kind that 1.34 does not have is refused', async () => {
  await using server = await createApiServer();
  const without = await server.save();
  await using older = await createApiServer({ version: '1.34', restore: without });
  // Its own address is in three objects.
  expect(Number(older.resourceVersion)).toBe(Number(server.resourceVersion) + 3);
  const client = new RawClient(server);
  await client.post('/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings', {
    metadata: { name: 'a' },
    spec: { policyName: 'a' },
  });
  const restore = await server.save();
  await expect(createApiServer({ version: '1.34', restore })).rejects.toMatchObject({
    code: 'SNAPSHOT_KIND_UNKNOWN',
    facts: { kind: 'MutatingAdmissionPolicyBinding' },
  });
});

test('an update keeps the fields without their gate that the restored object uses', async () => {
  await using server = await createApiServer();
  const spec = pod({
    container: {
      restartPolicy: 'Never',
      volumeMounts: [{ name: 'v', mountPath: '/v' }],
      env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'e', path: 'f', key: 'k' } } }],
    },
    pod: {
      hostnameOverride: 'host',
      volumes: [
        { name: 'v', image: { reference: 'x' } },
        { name: 'e', emptyDir: {} },
      ],
    },
  });
  const { body: created } = await new RawClient(server).post(`${core}/pods`, spec);
  const restore = await server.save();
  await using older = await createApiServer({ version: '1.34', restore });
  const client = new RawClient(older);
  const body = { metadata: { labels: { a: 'b' } } };
  const patched = await client.patch(`${core}/pods/a`, 'merge', body);
  expect(patched.code).toBe(200);
  expect(patched.body.spec).toEqual(created.spec);
});
