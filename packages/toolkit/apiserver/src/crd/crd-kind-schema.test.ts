import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject, Status, StatusCause } from '@keelson/apimachinery';
import { crdKindSchema } from './crd-kind-schema.ts';
import type { KindSchema } from '../schema/kind-schema.ts';
import { readFixture } from '../kinds/recorded.test-support.ts';
import type { JsonSchema } from '@keelson/structural-schema';

interface Refused {
  name: string;
  sent: KubernetesObject;
  status: Status;
}

const refused = (readFixture('refused.json') as Refused[]).filter(
  ({ sent }) => sent.kind === 'Gadget',
);

const gadgets = readFixture('gadget-schema.json') as JsonSchema;

const gvk = { group: 'fixtures.keelson.test', version: 'v1', kind: 'Gadget' };
const schema = crdKindSchema({ ...gvk, schema: gadgets, hasStatus: true });

describe('crdKindSchema', () => {
  test.each(refused)('rejects $name as a real server does', ({ sent, status }) => {
    const object = structuredClone(sent);
    schema.prune(object);
    schema.decode(object);
    schema.setDefaults(object);
    expect(sorted(schema.validate(object))).toEqual(sorted(status.details?.causes ?? []));
  });

  test('sets defaults, also inside defaults and list items', () => {
    const object = gadget({ size: 1, rules: [{ host: 'a', port: 1 }] });
    schema.setDefaults(object);
    expect(object).toEqual(
      gadget({
        size: 1,
        mood: 'calm',
        nested: { depth: 3 },
        rules: [{ host: 'a', port: 1, weight: 1 }],
      }),
    );
  });

  test('treats a null that the schema does not allow as a missing value', () => {
    const object = gadget({ size: 1, mood: null, mode: null, maybe: null });
    schema.setDefaults(object);
    expect(object).toEqual(gadget({ size: 1, mood: 'calm', maybe: null, nested: { depth: 3 } }));
    expect(schema.validate(object)).toEqual([]);
  });

  test('prunes unknown fields unless the schema preserves them', () => {
    const object = gadget({
      size: 1,
      odd: 1,
      rules: [{ host: 'a', port: 1, odd: 2 }],
      free: { odd: { deep: 1 } },
      child: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', odd: 1 }, spec: {}, odd: 3 },
    });
    expect(schema.prune(object)).toEqual([
      'spec.child.odd',
      'spec.odd',
      'spec.rules[0].odd',
      'spec.child.metadata.odd',
    ]);
    expect(object).toEqual(
      gadget({
        size: 1,
        rules: [{ host: 'a', port: 1 }],
        free: { odd: { deep: 1 } },
        child: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: {} },
      }),
    );
  });

  test('defaults of a part of metadata lose the members that metadata does not have', () => {
    const metadata = {
      type: 'object',
      default: { name: 'a', zz: 'y', creationTimestamp: null, labels: {} },
      properties: { name: { type: 'string' } },
    };
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true };
    const child = { ...embedded, properties: { metadata } };
    const spec = { type: 'object', properties: { list: { type: 'array', items: child }, child } };
    const pruning = crdKindSchema({
      ...gvk,
      schema: { type: 'object', properties: { spec } },
      hasStatus: false,
    });
    const object = gadget({ list: [{ kind: 'Pod' }], child: { kind: 'Pod' } });
    pruning.setDefaults(object);
    const complete = { kind: 'Pod', metadata: { name: 'a' } };
    expect(object).toEqual(gadget({ list: [complete], child: complete }));
  });

  test('null metadata of an embedded object is dropped if the schema declares it, and an empty list of managers', () => {
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true };
    const properties = { metadata: { type: 'object' } };
    const declared = crdKindSchema({
      ...gvk,
      schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { a: { ...embedded, properties }, b: embedded } },
        },
      },
      hasStatus: false,
    });
    const object = gadget({ a: { metadata: null }, b: { metadata: { managedFields: [] } } });
    declared.decode(object);
    declared.setDefaults(object);
    expect(object).toEqual(gadget({ a: {}, b: { metadata: {} } }));
  });

  test('a definition without a schema keeps and accepts every field', () => {
    const open = crdKindSchema({ ...gvk, schema: undefined, hasStatus: false });
    const object = gadget({ anything: [1, { a: null }] });
    expect(open.prune(object)).toEqual([]);
    open.setDefaults(object);
    expect(open.validate(object)).toEqual([]);
    expect(object).toEqual(gadget({ anything: [1, { a: null }] }));
  });

  test('a new object has no status if status is a subresource', () => {
    const object = { ...gadget({ size: 1 }), status: { ready: true } };
    schema.prepareForCreate(object, {
      now: '',
      allocateClusterIp: () => '',
      allocateNodePort: () => 0,
    });
    expect(object).toEqual(gadget({ size: 1 }));
  });

  test('an update may keep invalid values but may not add any', () => {
    const before = gadget({ size: 0, mode: 'Fast' });
    expect(schema.validate(gadget({ size: 0, mode: 'Slow' }), before)).toEqual([]);
    expect(fieldsOf(schema, gadget({ size: 0, mode: 'Odd' }), before)).toEqual(['spec.mode']);
    expect(fieldsOf(schema, gadget({ size: -1, mode: 'Fast' }), before)).toEqual(['spec.size']);
  });

  test('decodes and validates metadata as for every kind', () => {
    const wrong = { ...gadget({ size: 1 }), metadata: { name: 'g', labels: { a: 1 } } };
    expect(() => schema.decode(wrong as unknown as KubernetesObject)).toThrow(
      'Gadget in version "v1" cannot be handled as a Gadget: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
    const misnamed = { ...gadget({ size: 1 }), metadata: { name: 'Bad_Name' } };
    expect(fieldsOf(schema, misnamed)).toEqual(['metadata.name']);
  });
});

function gadget(spec: unknown): KubernetesObject {
  return {
    apiVersion: 'fixtures.keelson.test/v1',
    kind: 'Gadget',
    metadata: { name: 'g' },
    spec,
  } as KubernetesObject;
}

function fieldsOf(of: KindSchema, object: KubernetesObject, old?: KubernetesObject): unknown[] {
  return of.validate(object, old).map(({ field }) => field);
}

function sorted(causes: readonly StatusCause[]): StatusCause[] {
  return causes.toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
}
