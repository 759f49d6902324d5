import { describe, expect, test } from '@jest/globals';
import { celLibrary } from '../rules/cel-library.ts';
import { compileRules } from '../rules/rule-tree.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import type { SentSchema } from './open-api-rules.ts';
import { validateRootSchema } from './validate-root-schema.ts';

function causesOf(root: JsonSchema, hasStatus = false): string[] {
  return validateRootSchema(root, 'schema', { hasStatus }).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

const text: JsonSchema = { type: 'string' };
const listType = 'x-kubernetes-list-type';
const mapKeys = 'x-kubernetes-list-map-keys';
const embedded = 'x-kubernetes-embedded-resource';
const item: JsonSchema = { type: 'object', properties: { a: text } };

/** Schemas of a member, and the causes of apiextensions-apiserver 0.36.3 with paths from the member. */
const refused: readonly (readonly [string, SentSchema, readonly string[]])[] = [
  [
    'an int-or-string that preserves unknown fields',
    { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true },
    [
      '.x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
    ],
  ],
  [
    'an embedded object with a schema of its values',
    { type: 'object', [embedded]: true, additionalProperties: text },
    [
      '.additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set',
      '.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    ],
  ],
  [
    'a description below a junctor',
    { ...item, anyOf: [{ description: 'x' } as JsonSchema] },
    ['.anyOf[0].description: Forbidden: must be empty to be structural'],
  ],
  [
    'metadata below a junctor',
    { ...item, properties: { metadata: text }, oneOf: [{ properties: { metadata: {} } }] },
    ['.oneOf[0].properties[metadata]: Forbidden: must not be specified in a nested context'],
  ],
  [
    'a map type of a string',
    { ...text, 'x-kubernetes-map-type': 'atomic' },
    ['.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified'],
  ],
  [
    'null items of a set',
    { type: 'array', [listType]: 'set', items: { ...text, nullable: true } },
    ['.items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set'],
  ],
  [
    'a null key',
    {
      type: 'array',
      [listType]: 'map',
      [mapKeys]: ['a'],
      items: { ...item, required: ['a'], properties: { a: { ...text, nullable: true } } },
    },
    [
      '.items.properties[a].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable',
    ],
  ],
  [
    'additionalItems',
    { type: 'array', items: text, additionalItems: false },
    ['.additionalItems: Forbidden: additionalItems is not supported'],
  ],
  ['an id', { ...text, id: 'x' }, ['.id: Forbidden: id is not supported']],
  [
    'properties beside a schema of other values',
    { ...item, additionalProperties: text },
    ['.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive'],
  ],
  [
    'an embedded default without a kind',
    {
      type: 'object',
      [embedded]: true,
      'x-kubernetes-preserve-unknown-fields': true,
      default: { apiVersion: 'v1' },
    },
    ['.default.kind: Required value'],
  ],
  [
    'a default with an unknown field and a wrong one',
    { type: 'object', properties: { a: { type: 'integer' } }, default: { a: 'x', b: 1 } },
    [
      '.default: Invalid value: {"a":"x","b":1}: must not have unknown fields',
      '.default.a: Invalid value: "string": a in body must be of type integer: "string"',
    ],
  ],
  [
    'a default that violates a rule',
    { ...text, default: 'x', 'x-kubernetes-validations': [{ rule: "self == 'y'" }] },
    [`.default: Invalid value: "x": failed rule: self == 'y'`],
  ],
];

describe('validateRootSchema', () => {
  test.each(refused)('refuses %s', (_, schema, expected) => {
    const causes = causesOf({ type: 'object', properties: { a: schema } });
    expect(causes).toEqual(expected.map((cause) => `schema.properties[a]${cause}`));
  });

  test('refuses a junctor of the root about a field that is not declared, and no other', () => {
    const anyOf: JsonSchema[] = [{ properties: { b: { minLength: 1 } } }];
    expect(causesOf({ type: 'object', anyOf })).toEqual([
      'schema.properties[b]: Required value: because it is defined in schema.anyOf[0].properties[b]',
    ]);
    const inner: JsonSchema = { type: 'object', anyOf };
    expect(causesOf({ type: 'object', properties: { a: inner } })).toEqual([]);
  });

  test('accepts properties beside any other values', () => {
    const schema: JsonSchema = { ...item, additionalProperties: true };
    expect(causesOf({ type: 'object', properties: { a: schema } })).toEqual([]);
  });

  test('accepts the two forms of an int-or-string', () => {
    const anyOf: JsonSchema[] = [{ type: 'integer' }, { type: 'string' }];
    const properties: Record<string, JsonSchema> = {
      a: { 'x-kubernetes-int-or-string': true, anyOf },
      b: { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf }, { pattern: 'x' }] },
    };
    expect(causesOf({ type: 'object', properties })).toEqual([]);
  });

  test('reports a keyword that Kubernetes cannot read and otherwise ignores', () => {
    const schema = { type: 'string', $schema: 'x' } as JsonSchema;
    expect(causesOf({ type: 'object', properties: { a: schema } })).toEqual([
      `schema: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`,
    ]);
  });

  test.each<[string, JsonSchema, string]>([
    [
      'type other than object',
      { type: 'string' },
      'type: Invalid value: "string": must be object at the root',
    ],
    [
      'null',
      { type: 'object', nullable: true },
      'nullable: Forbidden: nullable cannot be true at the root',
    ],
    [
      'schema of other members',
      { type: 'object', additionalProperties: true },
      'additionalProperties: Forbidden: must not be used at the root',
    ],
    [
      'schema of metadata other than the names',
      {
        type: 'object',
        properties: { metadata: { type: 'object', properties: { labels: item } } },
      },
      'properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
    [
      'kind that is no string',
      { type: 'object', properties: { kind: { type: 'integer' } } },
      'properties[kind].type: Invalid value: "integer": must be string',
    ],
    [
      'default of metadata',
      { type: 'object', properties: { kind: { type: 'string', default: 'A' } } },
      'properties[kind].default: Forbidden: must not be set in top-level kind',
    ],
  ])('refuses at the root a %s', (_, root, expected) => {
    expect(causesOf(root)).toContain(`schema.${expected}`);
  });

  test('accepts a status beside the keywords that keep their meaning without the object', () => {
    expect(causesOf({ type: 'object', required: ['a'] }, true)).toEqual([]);
    expect(causesOf({ type: 'object', minProperties: 1 }, true)).toEqual([
      expect.stringMatching(/only \[Description Type .*\] fields are allowed at the root/),
    ]);
    expect(causesOf({ type: 'object', minProperties: 1 })).toEqual([]);
  });

  const anything: JsonSchema = { 'x-kubernetes-preserve-unknown-fields': true };
  const rules = { 'x-kubernetes-validations': [{ rule: 'true' }, { rule: 'nothing' }] };
  const never = { 'x-kubernetes-validations': [{ rule: 'false' }] };
  const typed: JsonSchema = { type: 'string', maxLength: 9 };

  function object(properties: Record<string, JsonSchema>, more: JsonSchema = {}): JsonSchema {
    return { type: 'object', properties, ...more };
  }

  // The causes are those of kube-apiserver 1.36.3.
  test.each<[string, JsonSchema, string[]]>([
    ['a value of any type', { ...anything, ...rules }, ['']],
    ['a list of such values', { type: 'array', items: anything, ...rules }, ['']],
    ['an item of such a list', { type: 'array', items: { ...anything, ...rules } }, ['.items']],
    ['a map of such values', { type: 'object', additionalProperties: anything, ...rules }, ['']],
    [
      'a member below such a value with rules',
      { ...anything, ...rules, properties: { a: { ...typed, ...rules } } },
      ['.properties[a]', ''],
    ],
  ])('refuses rules of %s, which has no type in CEL', (_title, schema, paths) => {
    const causes = validateRootSchema(object({ a: schema }), 'at', { hasStatus: false });
    expect(causes).toEqual(
      paths.map((path) => ({
        reason: 'InternalError',
        field: `at.properties[a]${path}.x-kubernetes-validations`,
        message:
          'Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations',
      })),
    );
  });

  test('accepts the field path of a value without a schema', () => {
    const rule = { rule: 'true', fieldPath: '.any' };
    const open = { type: 'object', additionalProperties: true, 'x-kubernetes-validations': [rule] };
    expect(causesOf(object({ a: open }))).toEqual([]);
  });

  test('refuses rules of items that the type does not have, below a rule', () => {
    const number: JsonSchema = { type: 'number', items: { ...typed, ...rules } };
    expect(causesOf(object({ a: { ...number, ...never } }))).toEqual([
      'schema.properties[a].items.x-kubernetes-validations: Internal error: failed to convert to declType for CEL validation rules',
    ]);
    const wrong = { ...number, items: { ...typed, ...never } };
    expect(causesOf(object({ a: wrong }))).toEqual([]);
  });

  test('accepts and never evaluates rules below a value without a type', () => {
    const below = object({ a: { ...anything, properties: { a: { ...typed, ...never } } } });
    expect(validateRootSchema(below, 'at', { hasStatus: false })).toEqual([]);
    expect(compileRules(celLibrary(), below)).toBeUndefined();
  });
});
