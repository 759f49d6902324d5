import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject, Status } from '@keelson/apimachinery';
import { readFixture, schemaOf, thrownStatus } from '../kinds/recorded.test-support.ts';
import type { JsonObject, JsonValue } from '@keelson/structural-schema';
import { strategicMergePatch } from './strategic-merge-patch.ts';

interface Recorded {
  before: KubernetesObject;
  patches: { name: string; patch: JsonObject; after: KubernetesObject & Status }[];
}

const recorded = readFixture('patched.json') as Recorded;

const schema = schemaOf({ apiVersion: 'apps/v1', kind: 'Deployment' });

describe('strategicMergePatch', () => {
  test.each(recorded.patches.filter(({ after }) => after.kind !== 'Status'))(
    'merges $name as kube-apiserver does',
    ({ patch, after }) => {
      const patched = strategicMergePatch(schema.type, recorded.before as JsonObject, patch);
      schema.decode(patched);
      schema.setDefaults(patched);
      expect(withoutServerMetadata(patched)).toEqual(withoutServerMetadata(after));
    },
  );

  test.each(recorded.patches.filter(({ after }) => after.kind === 'Status'))(
    'refuses $name as kube-apiserver does',
    ({ patch, after }) => {
      const status = thrownStatus(() =>
        strategicMergePatch(schema.type, recorded.before as JsonObject, patch),
      );
      expect(status).toMatchObject({ code: after.code, message: after.message });
    },
  );

  test.each([[[]], [1], ['x']] as JsonValue[][])('refuses the body %j with 400', (body) => {
    const status = thrownStatus(() => strategicMergePatch(schema.type, {}, body));
    expect(status).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  test.each<[string, JsonObject, string]>([
    [
      'a directive that is invalid for a map',
      { metadata: { labels: { $patch: 'merge', m: '1' } } },
      'unknown patch type: merge in map: map[$patch:merge m:1]',
    ],
    [
      'an item that $setElementOrder does not list in this place',
      {
        spec: {
          template: {
            spec: {
              '$setElementOrder/containers': [{ name: 'a' }],
              containers: [{ name: 'b', image: 'i' }],
            },
          },
        },
      },
      "The order in patch list:\n[map[image:i name:b]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n",
    ],
  ])('%s is refused', (_, patch, message) => {
    const status = thrownStatus(() =>
      strategicMergePatch(schema.type, recorded.before as JsonObject, patch),
    );
    expect(status).toMatchObject({ code: 500, message });
  });

  test('keeps items with equal keys if the target has no such list', () => {
    const containers = (more: JsonObject): JsonObject => ({
      spec: { template: { spec: { containers: [{ name: 'c', ...more }] } } },
    });
    const env = [
      { name: 'A', value: 'b' },
      { name: 'A', value: 'c' },
    ];
    const patch = containers({ env: [...env, { name: 'B', $patch: 'delete' }] });
    expect(strategicMergePatch(schema.type, containers({}), patch)).toEqual(containers({ env }));
  });

  const { type: podType } = schemaOf({ apiVersion: 'v1', kind: 'Pod' });
  const pod: JsonObject = {
    metadata: { finalizers: ['a.b/c'] },
    spec: {
      containers: [
        {
          name: 'c',
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '2' },
            { name: 'B', value: '3' },
          ],
        },
      ],
      imagePullSecrets: [{}, { name: 'x' }],
    },
  };
  const env = (...items: JsonValue[]): JsonObject => ({
    spec: { containers: [{ name: 'c', env: items }] },
  });

  // Recorded from kube-apiserver 1.36.3.
  test.each<[string, JsonObject, string]>([
    [
      'an item of another type',
      env(null),
      'list element types are not identical: [[map[name:A value:1] map[name:A value:2] map[name:B value:3]] [<nil>]]',
    ],
    [
      'a value of another type',
      { metadata: { finalizers: [1] } },
      'list element types are not identical: [[a.b/c] [1]]',
    ],
    [
      'a deletion of another type',
      { metadata: { '$deleteFromPrimitiveList/finalizers': [{}] } },
      'list element types are not identical: [[a.b/c] [map[]]]',
    ],
    [
      'a stored item without a key',
      { spec: { imagePullSecrets: [{ name: 'a' }] } },
      'map: map[] does not contain declared merge key: name',
    ],
    [
      'a replacement without a key',
      env({ $patch: 'replace' }, { value: '1' }),
      'map: map[value:1] does not contain declared merge key: name',
    ],
    [
      'a merge of a list',
      env({ $patch: 'merge' }),
      'merging lists cannot yet be specified in the patch',
    ],
    [
      'a directive that is null',
      { spec: { $patch: null } },
      'unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]',
    ],
    [
      'a directive that is a number',
      { spec: { $patch: 1 } },
      'unknown patch type: %!s(int64=1) in map: map[$patch:1]',
    ],
    [
      'null as an order',
      { spec: { '$setElementOrder/containers': null } },
      'expected a []interface {}, but received a %!s(<nil>)',
    ],
    [
      'an object as an ordered list',
      { spec: { '$setElementOrder/containers': [], containers: {} } },
      'expected a []interface {}, but received a map[string]interface {}',
    ],
    [
      'an order of strings for objects',
      { spec: { '$setElementOrder/containers': ['c'], containers: [{ name: 'c' }] } },
      'expected a map[string]interface {}, but received a string',
    ],
    [
      'an order of items without a key',
      { spec: { '$setElementOrder/containers': [{}], containers: [{ name: 'c' }] } },
      'map: map[] does not contain declared merge key: name',
    ],
    [
      'an order of an unknown field',
      { spec: { '$setElementOrder/foo': [] } },
      'unable to find api field in struct PodSpec for the json field "foo"',
    ],
    [
      'an order of a string',
      { spec: { '$setElementOrder/nodeName': [] } },
      'expected slice or array type, but got: struct',
    ],
  ])('%s is refused with 500', (_, patch, message) => {
    const status = thrownStatus(() => strategicMergePatch(podType, pod, patch));
    expect(status).toMatchObject({ code: 500, message });
  });

  test.each([
    ['$setElementOrder', 'invalid patch format of setElementOrder list'],
    ['$deleteFromPrimitiveList', 'invalid patch format of primitive list'],
  ])('%s without a list is refused with 400', (key, message) => {
    const status = thrownStatus(() => strategicMergePatch(podType, pod, { spec: { [key]: [] } }));
    expect(status).toMatchObject({ code: 400, reason: 'BadRequest', message });
  });

  test.each<[string, JsonObject, string[], JsonValue]>([
    [
      'deletes all items with a key',
      env({ name: 'A', $patch: 'delete' }),
      ['spec', 'containers', '0', 'env'],
      [{ name: 'B', value: '3' }],
    ],
    [
      'keeps the directives of a new item as unknown fields',
      { spec: { volumes: [], containers: [{ name: 'd', $retainKeys: ['name'] }] } },
      ['spec', 'containers', '0'],
      { name: 'd', $retainKeys: ['name'] },
    ],
    [
      'ignores a new object and an item with $patch',
      {
        spec: { nodeSelector: { $patch: 'replace', x: 'y' }, tolerations: [{ $patch: 'delete' }] },
      },
      ['spec', 'nodeSelector'],
      null,
    ],
  ])('%s', (_, patch, path, expected) => {
    let found: unknown = strategicMergePatch(podType, pod, patch);
    for (const step of path) found = (found as JsonObject)[step];
    expect(found ?? null).toEqual(expected);
  });

  test('does not change the target', () => {
    const before = structuredClone(recorded.before);
    strategicMergePatch(schema.type, recorded.before as JsonObject, {
      metadata: { labels: { x: null }, finalizers: ['n.io/n'] },
    });
    expect(recorded.before).toEqual(before);
  });

  test('does not change the patch, nor shares a part of it with the result', () => {
    const patch: JsonObject = {
      metadata: { labels: { a: 'b' }, finalizers: ['n.io/n'] },
      spec: { template: { spec: { containers: [{ name: 'new', image: 'i', ports: [] }] } } },
    };
    const before = structuredClone(patch);
    for (const target of [recorded.before as JsonObject, {}]) {
      deepChange(strategicMergePatch(schema.type, target, patch));
      expect(patch).toEqual(before);
    }
  });
});

/** Adds a member to each object, and an item to each list. */
function deepChange(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const inner of Object.values(value)) deepChange(inner);
  if (Array.isArray(value)) value.push('added');
  else Object.assign(value, { added: true });
}

function withoutServerMetadata(object: KubernetesObject): KubernetesObject {
  const { name, labels, finalizers } = object.metadata ?? {};
  return {
    ...object,
    metadata: { name, labels, finalizers } as KubernetesObject['metadata'] & object,
  };
}

describe('strategicMergePatch of long lists', () => {
  const size = 8000;
  const values = Array.from({ length: size }, (_, at) => at);

  /** A merge that compares each item with each other would read 64 million names. */
  test('reads the names of 8 000 keyed items a constant number of times', () => {
    const { type } = schemaOf({ apiVersion: 'v1', kind: 'Pod' });
    let reads = 0;
    const counted = (item: JsonObject): JsonObject =>
      new Proxy(item, {
        get(target, member) {
          reads += 1;
          return Reflect.get(target, member) as unknown;
        },
      });
    const env = values.map((at) => counted({ name: `n${at}`, value: 'a' }));
    const next = values.map((at) => counted({ name: `n${size - at}`, value: 'b' }));
    const gone = values
      .slice(1000, 3000)
      .map((at) => counted({ $patch: 'delete', name: `n${at}` }));
    const containers = (list: JsonValue, more: JsonObject = {}): JsonObject => ({
      spec: { containers: [{ name: 'c', env: list, ...more }] },
    });
    const merged = strategicMergePatch(type, containers(env), containers(next));
    strategicMergePatch(type, containers(env), containers(gone));
    const $order = {
      '$setElementOrder/env': values.map((at) => counted({ name: `n${size - at}` })),
    };
    strategicMergePatch(type, containers(env), containers(next, $order));
    expect(reads).toBeGreaterThan(size);
    expect(reads).toBeLessThan(100 * size);
    expect(JSON.stringify(merged).split('"name":"n')).toHaveLength(size + 2);
  });

  /** Quadratic work on so many values exceeds the time limit of the test. */
  test('merges and deletes 300 000 plain values', () => {
    const { type } = schemaOf({ apiVersion: 'v1', kind: 'Pod' });
    const finalizers = Array.from({ length: 300_000 }, (_, at) => `x.io/${at}`);
    const metadata = { '$deleteFromPrimitiveList/finalizers': finalizers };
    const same = strategicMergePatch(
      type,
      { metadata: { finalizers } },
      { metadata: { finalizers } },
    );
    // Jest takes seconds to compare them.
    expect(isDeepStrictEqual(same, { metadata: { finalizers } })).toBe(true);
    expect(strategicMergePatch(type, { metadata: { finalizers } }, { metadata })).toEqual({
      metadata: { finalizers: [] },
    });
  });
});
