import { describe, expect, test } from '@jest/globals';
import type { KubernetesObject } from '@keelson/apimachinery';
import { schemaOf } from '../recorded.test-support.ts';

const listType = 'x-kubernetes-list-type';
const text = { type: 'string' };
const item = { type: 'object', properties: { a: text } };
const names = { plural: 'gizmos', singular: 'gizmo', kind: 'Gizmo', listKind: 'GizmoList' };
const version = {
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object' } as object },
};

function keyed(keys: string[], items: object): object {
  return { type: 'array', [listType]: 'map', 'x-kubernetes-list-map-keys': keys, items };
}

function definitionOf(
  spec: object,
  change: object = {},
): KubernetesObject & { spec: Record<string, unknown> } {
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'gizmos.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names,
      versions: [{ ...version, schema }],
      ...change,
    },
  };
}

/** The causes for a definition whose `spec` has this schema. */
function causesOf(spec: object): string[] {
  const definition = definitionOf(spec);
  return schemaOf(definition)
    .validate(definition)
    .map(({ field, message }) => `${field}: ${message}`);
}

describe('validate of a definition', () => {
  test('requires properties or preserved fields for an embedded object', () => {
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true };
    expect(causesOf(embedded)).toEqual([
      expect.stringMatching(/properties\[spec\]\.properties: Required value: must not be empty if/),
    ]);
    expect(causesOf({ ...embedded, properties: { spec: { type: 'object' } } })).toEqual([]);
    expect(causesOf({ ...embedded, 'x-kubernetes-preserve-unknown-fields': true })).toEqual([]);
  });

  test.each<[string, object, RegExp]>([
    [
      'an unknown list type',
      { type: 'array', [listType]: 'bag', items: text },
      /Unsupported value: "bag"/,
    ],
    ['a list type without a list', { type: 'object', [listType]: 'set' }, /must be array if/],
    [
      'a set of objects',
      { type: 'array', [listType]: 'set', items: item },
      /must be atomic as item/,
    ],
    [
      'a map without keys',
      { type: 'array', [listType]: 'map', items: item },
      /must not be empty if/,
    ],
    ['a map with an unknown key', keyed(['b'], item), /must all be names of item properties/],
    ['a map with an optional key', keyed(['a'], item), /must have a default or be a required/],
    [
      'an unknown map type',
      { type: 'object', 'x-kubernetes-map-type': 'x' },
      /"atomic", "granular"/,
    ],
    [
      'unique items',
      { type: 'array', uniqueItems: true, items: text },
      /uniqueItems cannot be set/,
    ],
    ['a reference', { $ref: '#/x' }, /\$ref is not supported/],
    ['an invalid pattern', { ...text, pattern: '(' }, /must be a valid regular expression/],
    [
      'a default with unknown fields',
      { ...item, default: { b: 1 } },
      /must not have unknown fields/,
    ],
    [
      'a type below a junctor',
      { ...item, anyOf: [{ type: 'object' }] },
      /must be empty to be structural/,
    ],
    [
      'a default below a junctor',
      { ...item, not: { default: 1 } },
      /must be undefined to be structural/,
    ],
    [
      'nothing preserved',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
      /must be true or undefined/,
    ],
  ])('rejects %s', (_, spec, cause) => {
    expect(causesOf(spec)).toEqual([expect.stringMatching(cause)]);
  });

  test('accepts a map whose keys are required or have a default', () => {
    expect(causesOf(keyed(['a'], { ...item, required: ['a'] }))).toEqual([]);
    const properties = { a: { ...text, default: 'x' } };
    expect(causesOf(keyed(['a'], { ...item, properties }))).toEqual([]);
  });

  test.each<[object, string]>([
    [{ names: { ...names, plural: 'Gizmos' } }, 'spec.names.plural'],
    [{ names: { ...names, kind: 'Giz mo' } }, 'spec.names.kind'],
    [{ names: { ...names, listKind: 'Gizmo' } }, 'spec.names.listKind'],
    [{ names: { ...names, shortNames: ['g.z'] } }, 'spec.names.shortNames[0]'],
    [{ group: 'example' }, 'spec.group'],
    [{ versions: [{ ...version, name: 'V 1' }] }, 'spec.versions[0].name'],
    [{ versions: [version, { ...version, storage: false }] }, 'spec.versions'],
  ])('rejects the names %j', (change, field) => {
    const wrong = definitionOf(item, change);
    const found = schemaOf(wrong)
      .validate(wrong)
      .map((cause) => cause.field);
    expect(found).toContain(field);
  });

  test('an established definition keeps its names, scope and stored versions', () => {
    const status = {
      conditions: [{ type: 'Established', status: 'True' }],
      storedVersions: ['v0', 'v1'],
    };
    const old = { ...definitionOf(item), status };
    const changed = { ...definitionOf(item, { scope: 'Cluster' }), status };
    changed.spec['names'] = { ...names, kind: 'Gadget' };
    const found = schemaOf(old)
      .validate(changed, old)
      .map((cause) => cause.field);
    expect(found).toEqual(['spec.scope', 'spec.names.kind', 'status.storedVersions[0]']);
  });
});
