import { describe, expect, test } from '@jest/globals';
import { SchemaError } from '../errors.ts';
import { checkSchema } from './check-schema.ts';

function refusal(schema: unknown): unknown {
  try {
    checkSchema(schema, 'spec');
  } catch (error) {
    if (error instanceof SchemaError)
      return `${String(error.facts['path'])}: ${String(error.facts['reason'])}`;
    throw error;
  }
  return undefined;
}

const text = { type: 'string' };
const keyed = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
};

describe('checkSchema', () => {
  test.each([
    ['an int-or-string', { 'x-kubernetes-int-or-string': true }],
    ['an open value', { 'x-kubernetes-preserve-unknown-fields': true }],
    ['a set', { type: 'array', items: text, 'x-kubernetes-list-type': 'set' }],
    [
      'a map list with a required key',
      { ...keyed, items: { type: 'object', properties: { name: text }, required: ['name'] } },
    ],
    [
      'a map list whose key has a default',
      { ...keyed, items: { type: 'object', properties: { name: { ...text, default: 'a' } } } },
    ],
    ['one literal at two places', { type: 'object', properties: { a: text, b: text } }],
  ])('accepts %s', (_title, schema) => {
    expect(refusal(schema)).toBeUndefined();
  });

  test.each([
    ['a text', 'string', 'spec: not a schema'],
    ['no type', {}, 'spec: no type'],
    ['an unknown type', { type: 'text' }, 'spec.type: unknown type'],
    ['a combinator', { type: 'string', anyOf: [] }, 'spec.anyOf: unknown keyword'],
    [
      'a typed int-or-string',
      { type: 'string', 'x-kubernetes-int-or-string': true },
      'spec.type: excluded by x-kubernetes-int-or-string',
    ],
    [
      'an embedded resource of another type',
      { type: 'string', 'x-kubernetes-embedded-resource': true },
      'spec: an embedded resource that is not an object',
    ],
    [
      'a closed embedded resource',
      { type: 'object', 'x-kubernetes-embedded-resource': true },
      'spec: an embedded resource without properties',
    ],
    [
      'properties of a text',
      { type: 'string', properties: {} },
      'spec: properties of a value that is not an object',
    ],
    [
      'a map with properties',
      { type: 'object', properties: {}, additionalProperties: text },
      'spec.additionalProperties: excluded by properties',
    ],
    [
      'an undeclared required name',
      { type: 'object', properties: {}, required: ['a'] },
      'spec.required: names no property: a',
    ],
    ['an array without items', { type: 'array' }, 'spec: an array without items'],
    [
      'items of a text',
      { type: 'string', items: text },
      'spec: list keywords of a value that is not an array',
    ],
    [
      'keys of an atomic list',
      { type: 'array', items: text, 'x-kubernetes-list-map-keys': ['a'] },
      'spec.x-kubernetes-list-map-keys: keys of a list that is not a map',
    ],
    [
      'a map list without keys',
      { type: 'array', items: text, 'x-kubernetes-list-type': 'map' },
      'spec: a list of type map without keys',
    ],
    [
      'an unknown key',
      { ...keyed, items: { type: 'object', properties: {} } },
      'spec.x-kubernetes-list-map-keys: names no property of the items: name',
    ],
    [
      'an optional key',
      { ...keyed, items: { type: 'object', properties: { name: text } } },
      'spec.x-kubernetes-list-map-keys: an optional key: name',
    ],
    [
      'a key that is an object',
      {
        ...keyed,
        items: { type: 'object', properties: { name: { type: 'object' } }, required: ['name'] },
      },
      'spec.x-kubernetes-list-map-keys: a key that is not a scalar: name',
    ],
    [
      'an open int-or-string',
      { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true },
      'spec.x-kubernetes-preserve-unknown-fields: excluded by x-kubernetes-int-or-string',
    ],
    [
      'a closed schema by a keyword',
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
      'spec.x-kubernetes-preserve-unknown-fields: not true',
    ],
    [
      'a map type of a text',
      { ...text, 'x-kubernetes-map-type': 'atomic' },
      'spec: a map type of a value that is not an object',
    ],
    [
      'null in a set',
      { type: 'array', items: { ...text, nullable: true }, 'x-kubernetes-list-type': 'set' },
      'spec.items.nullable: null in a list of type set',
    ],
    [
      'objects in a set',
      { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' },
      'spec.items: items of a set that are not atomic',
    ],
    [
      'texts in a map',
      { ...keyed, items: text },
      'spec.items: items of a list of type map that are not objects',
    ],
    [
      'a key twice',
      {
        ...keyed,
        'x-kubernetes-list-map-keys': ['name', 'name'],
        items: { type: 'object', properties: { name: text }, required: ['name'] },
      },
      'spec.x-kubernetes-list-map-keys: a key that occurs twice',
    ],
    [
      'a key that may be null',
      {
        ...keyed,
        items: {
          type: 'object',
          properties: { name: { ...text, nullable: true } },
          required: ['name'],
        },
      },
      'spec.x-kubernetes-list-map-keys: a key that may be null: name',
    ],
    [
      'an embedded resource whose kind is a number',
      {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: { kind: { type: 'integer' } },
      },
      'spec.properties.kind: not of the type string',
    ],
    [
      'an empty rule',
      { type: 'string', 'x-kubernetes-validations': [{ rule: ' ' }] },
      'spec.x-kubernetes-validations[0].rule: an empty rule',
    ],
    [
      'an error in the items of a map',
      { type: 'object', additionalProperties: { type: 'array', items: {} } },
      'spec.additionalProperties.items: no type',
    ],
  ])('refuses %s', (_title, schema, expected) => {
    expect(refusal(schema)).toBe(expected);
  });

  const wrongTypes: Readonly<Record<string, readonly unknown[]>> = {
    title: [5, null, {}],
    default: [() => 1, Number.NaN, { at: () => 1 }],
    enum: ['a', 5, null, [() => 1]],
    nullable: ['true', 1, null],
    minimum: ['1', Infinity, null, 10n],
    exclusiveMinimum: [1, null],
    maxLength: ['5', -1, 1.5, null],
    pattern: [/a/, 5, null],
    required: [null, 'a', [5]],
    properties: [null, [], 5],
    items: [null, [text]],
    'x-kubernetes-preserve-unknown-fields': [() => true, 'true'],
    'x-kubernetes-list-type': ['list', true, ''],
    'x-kubernetes-map-type': ['list', ''],
    'x-kubernetes-list-map-keys': ['name', [1]],
    'x-kubernetes-validations': [null, {}, [null], ['self > 1']],
  };

  test.each(
    Object.entries(wrongTypes).flatMap(([name, values]) => values.map((value) => [name, value])),
  )('refuses a wrong type of %s: %p', (name, value) => {
    const reason = `spec.${String(name)}: a value of a wrong type`;
    expect(refusal({ ...text, [String(name)]: value })).toBe(reason);
  });

  test.each([
    [{ message: 5 }, 'message: a value of a wrong type'],
    [{ messageExpression: true }, 'messageExpression: a value of a wrong type'],
    [{ optionalOldSelf: 'yes' }, 'optionalOldSelf: a value of a wrong type'],
    [{ fieldPath: ['.a'] }, 'fieldPath: a value of a wrong type'],
    [{ mesage: 'x' }, 'mesage: unknown member of a rule'],
  ])('refuses the member %j of a rule', (member, reason) => {
    const schema = { ...text, 'x-kubernetes-validations': [{ rule: 'true', ...member }] };
    expect(refusal(schema)).toBe(`spec.x-kubernetes-validations[0].${reason}`);
  });

  test('refuses a literal that contains itself', () => {
    const node = { type: 'object', properties: {} as Record<string, unknown> };
    node.properties['next'] = node;
    expect(refusal(node)).toBe('spec.properties.next: contains itself');
  });

  test('refuses a schema of too many levels or parts', () => {
    let deep: object = text;
    for (let level = 0; level < 20_000; level++) deep = { type: 'array', items: deep };
    expect(refusal(deep)).toMatch(/: more than 200 levels$/);
    let many: object = text;
    for (let level = 0; level < 40; level++) {
      many = { type: 'object', properties: { a: many, b: many } };
    }
    expect(refusal(many)).toMatch(/: more than 100000 parts$/);
  });
});
