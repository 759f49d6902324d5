import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import { type JsonObject, type JsonValue, isJsonObject } from '@keelson/structural-schema';
import type { KindSchema, WrittenPart } from '../schema/kind-schema.ts';
import { readFixture, schemaOf, thrownStatus } from './recorded.test-support.ts';

interface Sample {
  readonly name: string;
  readonly sent: KubernetesObject;
}

/** The samples have this name. */
const inherited = 'constructor';

/** Names that every JavaScript object inherits, each with one that no object has. All are valid names in Kubernetes. */
const words = [
  [inherited, 'constructos'],
  ['__proto__', '__prott__'],
] as const;

/** The parts of an object with their own URL, by kind. */
const partsOfKind = new Map<string | undefined, readonly WrittenPart[]>([
  ['Pod', ['ephemeralcontainers', 'resize']],
  ['CertificateSigningRequest', ['approval']],
]);

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

describe.each(words)('the name %s, which every object inherits,', (name, unknown) => {
  test.each(samples)(
    'is handled as any unknown name, as a string and as a key of $name',
    ({ sent }) => {
      const object = sent as unknown as JsonObject;
      for (const [path, mutant] of [unchanged(object), ...mutants(object)]) {
        const found = responseTo(mutant, name, object);
        expect({ path, ...found }).toEqual({ path, ...responseTo(mutant, unknown, object) });
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

/**
 * Each mutant has a word instead of one text, or as the key of one more entry in an object. The value of that entry is the
 * value of the first entry.
 */
function* mutants(value: JsonValue, path = ''): Generator<Placed> {
  if (typeof value === 'string') yield [path, (word) => word];
  if (isJsonObject(value)) {
    yield [`${path}{}`, (word) => ({ ...value, [word]: Object.values(value)[0] ?? 'x' })];
  }
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

/**
 * Returns the results of creating an object, of updating the sample to it, and of updating it to the sample. The word is
 * replaced with `*`.
 */
function responseTo(mutant: Mutant, word: string, sample: JsonObject): object {
  const object = withWord(mutant(word), word);
  const schema = schemaOf(object);
  const warnings: string[] = [];
  const response: Record<string, unknown> = { pruned: schema.prune(object) };
  response['refused'] = thrownStatus(() => {
    schema.decode(object);
  });
  if (response['refused'] === undefined) {
    complete(schema, object, warnings);
    response['causes'] = [schema.validate(object), schema.validate(object, object, warnings)];
    response['warnings'] = [warnings, schema.warningsOf?.(object)];
    response['stored'] = object;
    const other = withWord(sample, word);
    schema.prune(other);
    schema.decode(other);
    complete(schema, other, []);
    const parts = ['object', 'status', ...(partsOfKind.get(object.kind) ?? [])] as const;
    response['updates'] = parts.flatMap((part) => [
      updated(schema, object, other, part),
      updated(schema, other, object, part),
    ]);
  }
  // A Secret has the texts of `stringData` as base64.
  const shown = JSON.stringify(response).replaceAll(word, '*').replaceAll(btoa(word), '*');
  return JSON.parse(shown) as object;
}

function withWord(value: JsonValue, word: string): KubernetesObject {
  return JSON.parse(JSON.stringify(value).replaceAll(inherited, word)) as KubernetesObject;
}

function complete(schema: KindSchema, object: KubernetesObject, warnings: string[]): void {
  schema.setDefaults(object);
  schema.prepareForCreate(object, {
    now: '2026-01-01T00:00:00Z',
    warnings,
    allocateClusterIp: () => '10.0.0.1',
    allocateNodePort: () => 30_000,
  });
}

/** Returns the object that an update would store, with its causes and warnings. */
function updated(
  schema: KindSchema,
  given: KubernetesObject,
  old: KubernetesObject,
  part: WrittenPart,
): object {
  const [object, warnings]: [KubernetesObject, string[]] = [structuredClone(given), []];
  const context = { part, now: '2026-01-02T00:00:00Z' };
  schema.prepareForUpdate?.(object, structuredClone(old), context);
  const causes = schema.validate(object, structuredClone(old), warnings, part);
  return { object, causes, warnings: [warnings, schema.warningsOf?.(object, old)] };
}
