import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import { type JsonObject, type JsonValue, isJsonObject } from '@keelson/structural-schema';
import { readFixture, schemaOf, thrownStatus } from './recorded.test-support.ts';

interface Sample {
  readonly name: string;
  readonly sent: KubernetesObject;
}

/** A name that every JavaScript object inherits, and one that no object has. Both are valid names in Kubernetes. */
const [inherited, unknown] = ['constructor', 'constructos'];

const affinity = {
  podAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      {
        labelSelector: { matchLabels: { app: 'a' } },
        matchLabelKeys: ['app'],
        mismatchLabelKeys: ['tenant'],
        topologyKey: 'kubernetes.io/hostname',
      },
    ],
  },
};
const withMoreMembers: readonly Sample[] = [
  {
    name: 'a pod with keys of labels',
    sent: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', labels: { app: 'a', tenant: 'b' } },
      spec: { affinity, containers: [{ name: 'a', image: 'a' }] },
    } as KubernetesObject,
  },
  {
    name: 'a volume of some nodes',
    sent: {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'a' },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        local: { path: '/a' },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
          },
        },
      },
    } as KubernetesObject,
  },
  {
    name: 'a version 1 autoscaler with metrics',
    sent: {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: {
        name: 'a',
        annotations: {
          'autoscaling.alpha.kubernetes.io/metrics': JSON.stringify([{ type: inherited }]),
        },
      },
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'a' }, maxReplicas: 2 },
    } as KubernetesObject,
  },
];
const samples = [...(readFixture('created.json') as Sample[]), ...withMoreMembers];

describe('a name that every object inherits', () => {
  test.each(samples)(
    'is handled as any unknown name, as a string and as a key of $name',
    ({ sent }) => {
      const object = sent as unknown as JsonObject;
      for (const [path, mutant] of [unchanged(object), ...mutants(object)]) {
        const [found, expected] = [inherited, unknown].map((word) => responseTo(mutant, word));
        expect({ path, ...found }).toEqual({ path, ...expected });
      }
    },
  );
});

type Mutant = (word: string) => JsonValue;
type Placed = readonly [path: string, mutant: Mutant];

/** A sample may have the word already. */
function unchanged(object: JsonObject): Placed {
  return ['unchanged', () => object];
}

/** Each mutant has a word instead of one text, or as the key of one more entry in an object. */
function* mutants(value: JsonValue, path = ''): Generator<Placed> {
  if (typeof value === 'string') yield [path, (word) => word];
  if (isJsonObject(value)) yield [`${path}{}`, (word) => ({ ...value, [word]: 'x' })];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (path === '' && (key === 'apiVersion' || key === 'kind')) continue;
    for (const [place, mutant] of mutants(child as JsonValue, `${path}/${key}`)) {
      yield [place, (word) => withMember(value, key, mutant(word))];
    }
  }
}

function withMember(parent: JsonValue, key: string, member: JsonValue): JsonValue {
  if (Array.isArray(parent)) return parent.with(Number(key), member);
  return { ...(parent as JsonObject), [key]: member };
}

/** Returns the results of creating and updating an object. The word is replaced with `*`. */
function responseTo(mutant: Mutant, word: string): object {
  const text = JSON.stringify(mutant(word)).replaceAll(inherited, word);
  const object = JSON.parse(text) as KubernetesObject;
  const schema = schemaOf(object);
  const warnings: string[] = [];
  const response: Record<string, unknown> = { pruned: schema.prune(object) };
  response['refused'] = thrownStatus(() => {
    schema.decode(object);
  });
  if (response['refused'] === undefined) {
    schema.setDefaults(object);
    schema.prepareForCreate(object, {
      now: '2026-01-01T00:00:00Z',
      warnings,
      allocateClusterIp: () => '10.0.0.1',
      allocateNodePort: () => 30_000,
    });
    response['causes'] = [schema.validate(object), schema.validate(object, object, warnings)];
    response['warnings'] = [warnings, schema.warningsOf?.(object)];
    response['stored'] = object;
  }
  // A Secret has the texts of `stringData` as base64.
  const shown = JSON.stringify(response).replaceAll(word, '*').replaceAll(btoa(word), '*');
  return JSON.parse(shown) as object;
}
