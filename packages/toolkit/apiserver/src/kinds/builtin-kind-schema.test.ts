import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import { recordUpdate } from '../apply/record-update.ts';
import { builtinKindSchema } from './builtin-kind-schema.ts';
import type { CreateContext } from '../schema/kind-schema.ts';
import { readFixture, schemaOf, thrownStatus } from './recorded.test-support.ts';
import { newestVersion } from '../releases/kubernetes-version.ts';

interface Created {
  name: string;
  sent: KubernetesObject;
  stored: KubernetesObject & {
    spec?: { clusterIP?: string; ports?: { nodePort?: number }[] };
  };
}

const recorded = readFixture('created.json') as Created[];

describe('builtinKindSchema', () => {
  test.each(recorded)('sets the defaults of $name exactly as a real server', ({ sent, stored }) => {
    const schema = schemaOf(sent);
    const object = structuredClone(sent);
    expect(schema.prune(object)).toEqual([]);
    schema.decode(object);
    schema.setDefaults(object);
    const uid = stored.metadata?.uid ?? '';
    object.metadata = { ...object.metadata, uid };
    schema.prepareForCreate(object, contextOf(stored));
    expect(withoutServerMetadata(object)).toEqual(withoutServerMetadata(stored));
  });

  test.each(recorded)(
    'the creator of $name owns the same fields as on a real server',
    ({ sent, stored }) => {
      const schema = schemaOf(sent);
      const after = structuredClone(sent);
      schema.decode(after);
      schema.setDefaults(after);
      const [entry] = recordUpdate({
        type: schema.type,
        before: undefined,
        after,
        manager: 'node',
        apiVersion: sent.apiVersion ?? '',
        now: '',
      });
      expect(entry?.fieldsV1).toEqual(stored.metadata?.managedFields?.[0]?.fieldsV1);
    },
  );

  test.each(recorded)('$name is unchanged after it is read and defaulted again', ({ stored }) => {
    const schema = schemaOf(stored);
    const object = structuredClone(stored);
    expect(schema.prune(object)).toEqual([]);
    schema.decode(object);
    schema.setDefaults(object);
    expect(object).toEqual(stored);
  });

  test('prune removes unknown fields and returns their paths', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', nope: 1 },
      spec: { zoo: 1, containers: [{ name: 'x', foo: 1, env: [{ name: 'x', bar: 2 }] }] },
    };
    expect(schemaOf(pod).prune(pod)).toEqual([
      'metadata.nope',
      'spec.zoo',
      'spec.containers[0].foo',
      'spec.containers[0].env[0].bar',
    ]);
    expect(pod.spec).toEqual({ containers: [{ name: 'x', env: [{ name: 'x' }] }] });
  });

  // Recorded from kube-apiserver 1.36.3.
  test.each([
    [
      'apps/v1',
      'Deployment',
      { spec: { replicas: 'x' } },
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'apps/v1',
      'Deployment',
      { spec: { replicas: 1.5 } },
      'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'apps/v1',
      'Deployment',
      { spec: { replicas: 3e9 } },
      'json: cannot unmarshal number 3000000000 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'apps/v1',
      'Deployment',
      { spec: [] },
      'json: cannot unmarshal array into Go struct field Deployment.spec of type v1.DeploymentSpec',
    ],
    [
      'apps/v1',
      'Deployment',
      { metadata: { labels: { a: 1 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      'apps/v1',
      'Deployment',
      { metadata: { labels: [] } },
      'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
    ],
    [
      'apps/v1',
      'Deployment',
      { metadata: { creationTimestamp: 'x' } },
      'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
    ],
    [
      'apps/v1',
      'Deployment',
      { spec: { paused: 'x' } },
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.paused of type bool',
    ],
    [
      'v1',
      'Pod',
      { spec: { containers: [1] } },
      'json: cannot unmarshal number into Go struct field PodSpec.spec.containers of type v1.Container',
    ],
    [
      'v1',
      'Pod',
      { spec: { containers: [{ ports: {} }] } },
      'json: cannot unmarshal object into Go struct field Container.spec.containers.ports of type []v1.ContainerPort',
    ],
    [
      'v1',
      'Pod',
      { spec: { containers: [{ resources: { limits: { cpu: 'zz' } } }] } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    ['v1', 'Secret', { data: { x: '!!' } }, 'illegal base64 data at input byte 0'],
    [
      'coordination.k8s.io/v1',
      'Lease',
      { spec: { renewTime: '2026-01-01T00:00:00.5Z' } },
      'parsing time "2026-01-01T00:00:00.5Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse ".5Z" as ".000000"',
    ],
  ])('rejects %s %s %j with the message of Go', (apiVersion, kind, rest, message) => {
    const object = { apiVersion, kind, ...rest } as KubernetesObject;
    const version = apiVersion.split('/').at(-1) ?? '';
    const status = thrownStatus(() => schemaOf(object).decode(object));
    expect(status).toEqual({
      status: 'Failure',
      message: `${kind} in version "${version}" cannot be handled as a ${kind}: ${message}`,
      reason: 'BadRequest',
      code: 400,
    });
  });

  test('the status subresource of a definition has no members', () => {
    const definitions = builtinKindSchema(
      { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
      newestVersion,
    );
    const versions = [{ name: 'v1', subresources: { status: { a: 1 } } }];
    const definition = { spec: { versions } } as unknown as KubernetesObject;
    expect(definitions?.prune(definition)).toEqual(['spec.versions[0].subresources.status.a']);
    expect(versions[0]?.subresources.status).toEqual({});
  });

  test.each([
    [{ strategy: 'None', webhook: {} }, { strategy: 'None' }],
    [{ strategy: 'None', webhook: { conversionReviewVersions: [] } }, { strategy: 'None' }],
    [{ strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } }, undefined],
    [{ strategy: 'None', webhook: { clientConfig: {} } }, undefined],
  ])('a definition with the conversion %j is stored as in the internal form', (sent, stored) => {
    const definitions = builtinKindSchema(
      { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
      newestVersion,
    );
    const definition = { spec: { conversion: structuredClone(sent) } };
    definitions?.setDefaults(definition as unknown as KubernetesObject);
    expect(definition.spec.conversion).toEqual(stored ?? sent);
  });

  test('returns undefined for an unknown kind', () => {
    expect(
      builtinKindSchema({ group: 'apps', version: 'v1', kind: 'Nope' }, newestVersion),
    ).toBeUndefined();
  });
});

function contextOf(stored: Created['stored']): CreateContext {
  return {
    now: stored.metadata?.creationTimestamp ?? '',
    allocateClusterIp: () => stored.spec?.clusterIP ?? '',
    allocateNodePort: () => stored.spec?.ports?.[0]?.nodePort ?? 0,
  };
}

function withoutServerMetadata(object: KubernetesObject): KubernetesObject {
  const metadata = { ...object.metadata };
  for (const key of ['managedFields', 'creationTimestamp', 'generation', 'namespace'] as const) {
    delete metadata[key];
  }
  return { ...object, metadata };
}
