import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject, ObjectMeta, Status, StatusCause } from '@keelson/apimachinery';
import type { WrittenPart } from '../schema/kind-schema.ts';
import { readFixture, schemaOf } from './recorded.test-support.ts';

interface Change {
  name: string;
  /** The object to update; only in the first entry of a kind. */
  stored?: KubernetesObject;
  sent?: KubernetesObject;
  status?: number;
  causes?: StatusCause[];
  warnings?: string[];
}

interface Refused {
  name: string;
  sent: KubernetesObject;
  status: Status;
}

const refused = (readFixture('refused.json') as Refused[]).filter(
  ({ sent }) => sent.kind !== 'Gadget',
);
const changed = readFixture('changed.json') as (Refused & { before: KubernetesObject })[];
/** Errors of registries and allocators, which occur before validation. */
const beforeValidation =
  /failed to allocate|not configured (on|for)|must specify at least one Policy/;
/** The parts of random sessions, recorded by `record:fragments` of `e2e/fidelity`. */
const fragments = (
  readFixture('fragments.json') as {
    name: string;
    sent: KubernetesObject;
    status: number;
    causes: StatusCause[];
    warnings: string[];
  }[]
)
  .filter(({ status }) => status === 201 || status === 422)
  // The conversation test compares errors before validation.
  .filter(({ causes }) => !causes.some(({ message = '' }) => beforeValidation.test(message)));
const workloads = new Set(['Deployment', 'ReplicaSet', 'StatefulSet', 'Job', 'CronJob', 'Pod']);
/** The same parts as updates of an object and of its status. */
const changes = readFixture('fragment-changes.json') as Change[];
const befores = new Map(
  changes.flatMap(({ stored }) => (stored === undefined ? [] : [[stored.kind, stored]])),
);
const created = readFixture('created.json') as { name: string; stored: KubernetesObject }[];

describe('validate of a built-in kind', () => {
  test.each(refused)('rejects $name as a real server does', ({ sent, status }) => {
    const schema = schemaOf(sent);
    const object = prepared(sent);
    if (object.metadata?.generateName !== undefined) {
      object.metadata.name = /"(Bad_.{5})"/.exec(status.message ?? '')?.[1] ?? '';
    }
    expect(comparable(schema.validate(object))).toEqual(comparable(status.details?.causes ?? []));
  });

  test.each(fragments)('validates $name as a real server does', ({ sent, causes }) => {
    const found = schemaOf(sent).validate(prepared(sent));
    // Compared in the order of the server, since its message lists the causes.
    expect(found.map(normal)).toEqual(causes.map(normal));
  });

  test.each(fragments.filter(({ sent, status }) => status === 201 && isWorkload(sent)))(
    'warns about $name as a real server does',
    ({ sent, warnings }) => {
      const found = schemaOf(sent).warningsOf?.(prepared(sent)) ?? [];
      expect(found.map(asHeader)).toEqual(warnings.filter((text) => !isDecoding(text)));
    },
  );

  test.each(changes.filter(({ sent, status }) => sent && (status === 200 || status === 422)))(
    'validates the change of $name as a real server does',
    ({ name, sent = {}, status, causes = [], warnings = [] }) => {
      const before = befores.get(sent.kind) ?? {};
      const part = name.includes(' to status ') ? 'status' : 'object';
      const next = updated(before, sent, part);
      const found = schemaOf(sent).validate(next, before, [], part);
      expect(found.map(normal)).toEqual(causes.map(normal));
      if (status !== 200 || part === 'status') return;
      const shown = schemaOf(sent).warningsOf?.(next, before) ?? [];
      expect(shown.map(asHeader)).toEqual(warnings.filter((text) => !isDecoding(text)));
    },
  );

  test.each(changed.filter(({ status }) => status.code === 422))(
    'rejects the change of $name as a real server does',
    ({ before, sent, status }) => {
      const schema = schemaOf(sent);
      const object = structuredClone(sent);
      schema.decode(object);
      schema.setDefaults(object);
      expect(comparable(schema.validate(object, before))).toEqual(
        comparable(status.details?.causes ?? []),
      );
    },
  );

  test.each(created)('accepts $name when new and when unchanged', ({ stored }) => {
    const schema = schemaOf(stored);
    expect(schema.validate(stored)).toEqual([]);
    expect(schema.validate(stored, stored)).toEqual([]);
  });

  // The first case is recorded from kube-apiserver 1.36.3.
  test.each([
    [
      { replicas: -1 },
      [
        'status.replicas: Invalid value: -1: must be greater than or equal to 0',
        'status.updatedReplicas: Invalid value: 0: cannot be greater than status.replicas',
        'status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas',
        'status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas',
      ],
    ],
    [
      { replicas: 2, readyReplicas: 1, availableReplicas: 2 },
      ['status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas'],
    ],
    [{ replicas: 2, readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 }, []],
  ])('validates the counts of a status: %j', (status, expected) => {
    const { stored } = created.find(({ name }) => name === 'a deployment') ?? {};
    const after = { ...stored, status } as KubernetesObject;
    const causes = schemaOf(after).validate(after, stored);
    expect(causes.map(({ field, message }) => `${field}: ${message}`)).toEqual(expected);
  });

  test('rejects changes of an immutable config map', () => {
    const before = configMap({ a: '1' }, true);
    const schema = schemaOf(before);
    const detail = 'Forbidden: field is immutable when `immutable` is set';
    expect(schema.validate(configMap({ a: '2' }, true), before)).toEqual([
      { reason: 'FieldValueForbidden', message: detail, field: 'data' },
    ]);
    expect(schema.validate(configMap({ a: '1' }, false), before)).toEqual([
      { reason: 'FieldValueForbidden', message: detail, field: 'immutable' },
    ]);
  });
});

test('a changed roleRef is shown with the member names of the internal struct', () => {
  const binding = (name: string): KubernetesObject => {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
    const metadata = { name: 'b', namespace: 'default' };
    return {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef,
    } as KubernetesObject;
  };
  const group = 'rbac.authorization.k8s.io';
  expect(schemaOf(binding('two')).validate(binding('two'), binding('one'))).toEqual([
    {
      reason: 'FieldValueInvalid',
      message: `Invalid value: {"APIGroup":"${group}","Kind":"Role","Name":"two"}: cannot change roleRef`,
      field: 'roleRef',
    },
  ]);
});

function configMap(data: Record<string, string>, immutable: boolean): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a' },
    data,
    immutable,
  } as KubernetesObject;
}

/** The object in the form in which the server validates it. */
function prepared(sent: KubernetesObject): KubernetesObject {
  const schema = schemaOf(sent);
  const object = structuredClone(sent);
  schema.decode(object);
  schema.setDefaults(object);
  object.metadata = { ...object.metadata, uid: '00000000-0000-0000-0000-000000000000' };
  schema.prepareForCreate(object, {
    now: time,
    allocateClusterIp: () => '10.0.0.9',
    allocateNodePort: () => 30_000,
  });
  return object;
}

/** The update in the form in which the server validates it. */
function updated(
  before: KubernetesObject,
  sent: KubernetesObject,
  part: WrittenPart,
): KubernetesObject {
  const schema = schemaOf(sent);
  const object = structuredClone(sent);
  schema.decode(object);
  schema.setDefaults(object);
  const { uid: id, creationTimestamp, generation = 0, resourceVersion } = before.metadata ?? {};
  const { namespace = '' } = before.metadata ?? {};
  const kept = { uid: id, creationTimestamp, generation, resourceVersion, namespace };
  const status = Reflect.get(part === 'status' ? object : before, 'status') as unknown;
  const next = { ...(part === 'status' ? before : object), status } as KubernetesObject;
  next.metadata = { ...object.metadata, ...kept } as ObjectMeta;
  if (sent.kind === 'Pod') keepPriority(next, before);
  schema.prepareForUpdate?.(next, before, { part, now: time });
  const isSame = isDeepStrictEqual(Reflect.get(next, 'spec'), Reflect.get(before, 'spec'));
  if (!isSame) next.metadata.generation = generation + 1;
  return next;
}

function isWorkload({ kind = '' }: KubernetesObject): boolean {
  return workloads.has(kind);
}

/** Keeps priority fields as the priority admission plugin does. */
function keepPriority(pod: KubernetesObject, before: KubernetesObject): void {
  const { priority, preemptionPolicy } = Reflect.get(before, 'spec') as Record<string, unknown>;
  const spec = Reflect.get(pod, 'spec') as Record<string, unknown>;
  Reflect.set(pod, 'spec', { priority, preemptionPolicy, ...spec });
}

/** True if a warning comes from decoding: only these report unknown fields. */
function isDecoding(text: string): boolean {
  return text.includes('unknown field');
}

function asHeader(warning: string): string {
  return `299 - ${JSON.stringify(warning)}`;
}

const time = '2024-01-01T00:00:00Z';
const uid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Sorts causes. Omits printed objects, which have the form of Go's internal structs. */
function comparable(causes: readonly StatusCause[]): StatusCause[] {
  return causes
    .map(normal)
    .toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
}

function normal(cause: StatusCause): StatusCause {
  const message = (cause.message ?? '')
    .split('\n', 1)
    .join('')
    .replaceAll(uid, '<uid>')
    .replace(/^(Invalid|Unsupported) value: (null|[[{].*[\]}]): /, '$1 value: …: ');
  return { ...cause, message };
}
