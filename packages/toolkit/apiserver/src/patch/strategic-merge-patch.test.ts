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

  test('does not change the target', () => {
    const before = structuredClone(recorded.before);
    strategicMergePatch(schema.type, recorded.before as JsonObject, {
      metadata: { labels: { x: null }, finalizers: ['n.io/n'] },
    });
    expect(recorded.before).toEqual(before);
  });
});

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
