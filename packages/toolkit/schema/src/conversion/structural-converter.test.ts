import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '@keelson/structural-schema';
import { SchemaError } from '../errors.ts';
import { jsonSchemaReading, type Reading } from '../pattern/reading.ts';
import { toStructuralSchema } from './structural-converter.ts';

const text = { type: 'string' };
const open = { 'x-kubernetes-preserve-unknown-fields': true };
const anything = { ...open, nullable: true };
const choice = { reason: 'FieldValueInvalid' };

function rules(rule: string, message: string, more: object = {}): object {
  return { 'x-kubernetes-validations': [{ rule, message, ...more }] };
}

function converted(schema: JsonValue, reading?: Reading): unknown {
  try {
    return toStructuralSchema(schema, 'spec', reading);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return `${String(error.facts['path'])}: ${String(error.facts['reason'])}`;
  }
}

describe('toStructuralSchema', () => {
  test.each<[string, JsonValue, unknown]>([
    ['true', true, anything],
    ['an empty schema', {}, anything],
    ['a description alone', { description: 'any' }, { ...anything, description: 'any' }],
    ['a value that is open by a keyword, and may exclude null', open, open],
    ['a list of types with null', { type: ['string', 'null'] }, { ...text, nullable: true }],
    ['integer and string', { type: ['integer', 'string'] }, { 'x-kubernetes-int-or-string': true }],
    ['a constant', { const: 'a' }, { ...text, enum: ['a'] }],
    [
      'an enumeration with null, which the server would compare with the enumeration too',
      { enum: ['a', null] },
      { ...text, nullable: true, ...rules('self in ["a"]', 'must be one of a', choice) },
    ],
    [
      'whole and other numbers, of which the server would truncate the others',
      { enum: [1, 1.5] },
      { type: 'number', ...rules('self in [1.0,1.5]', 'must be one of 1, 1.5', choice) },
    ],
    ['other numbers', { enum: [0.5, 1.5] }, { type: 'number', enum: [0.5, 1.5] }],
    ['a whole number', { type: 'number', const: 1 }, { type: 'integer', enum: [1] }],
    [
      'a limit that the server would truncate',
      { type: 'number', minimum: 0.5, exclusiveMaximum: 2.5 },
      {
        type: 'number',
        'x-kubernetes-validations': [
          { rule: 'self >= 0.5', message: 'should be greater than or equal to 0.5' },
          { rule: 'self < 2.5', message: 'should be less than 2.5' },
        ],
      },
    ],
    [
      'a fraction as a limit that the server does not truncate',
      { type: 'number', exclusiveMinimum: 0.5, maximum: 2.5 },
      { type: 'number', minimum: 0.5, exclusiveMinimum: true, maximum: 2.5 },
    ],
    [
      'the limits of every number',
      { type: 'number', minimum: -Number.MAX_VALUE, maximum: Number.MAX_VALUE },
      { type: 'number' },
    ],
    [
      'a fraction as a limit of integers',
      { type: 'integer', minimum: -0.5, exclusiveMaximum: 2.5 },
      { type: 'integer', minimum: 0, maximum: 2 },
    ],
    [
      'a limit of integers beyond 64 bits',
      { type: 'integer', minimum: -1e20, maximum: 2 ** 63 },
      { type: 'integer' },
    ],
    [
      'a union of constants',
      { anyOf: [{ const: 1 }, { const: 2 }] },
      { type: 'integer', enum: [1, 2] },
    ],
    ['a text or a constant', { anyOf: [text, { ...text, const: 'auto' }] }, text],
    [
      'an integer or a number',
      { anyOf: [{ type: 'integer' }, { type: 'number' }] },
      { type: 'number' },
    ],
    ['equal choices', { anyOf: [text, text] }, text],
    ['anything or null', { anyOf: [{}, { type: 'null' }] }, anything],
    [
      'exclusive bounds',
      { type: 'number', exclusiveMinimum: 0, minimum: -1, exclusiveMaximum: 9, maximum: 8 },
      { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 8 },
    ],
    [
      'bounds of the integers of JavaScript',
      { type: 'integer', minimum: Number.MIN_SAFE_INTEGER },
      { type: 'integer', minimum: Number.MIN_SAFE_INTEGER },
    ],
    [
      'a reference',
      { $ref: '#/$defs/a~1b', description: 'x', $defs: { 'a/b': { ...text, maxLength: 3 } } },
      { ...text, maxLength: 3, description: 'x' },
    ],
    [
      'one definition at two places',
      {
        type: 'object',
        properties: {
          a: { $ref: '#/$defs/t' },
          b: { anyOf: [{ $ref: '#/$defs/t' }, { type: 'null' }] },
        },
        $defs: { t: text },
      },
      { type: 'object', properties: { a: text, b: { ...text, nullable: true } } },
    ],
    [
      'allOf',
      {
        allOf: [
          { type: 'object', properties: { a: text }, required: ['a'] },
          { type: 'object', properties: { a: { maxLength: 2 }, b: text }, required: ['b'] },
        ],
      },
      {
        type: 'object',
        properties: { a: { ...text, maxLength: 2 }, b: text },
        required: ['a', 'b'],
      },
    ],
    [
      'unique items',
      { type: 'array', items: text, uniqueItems: true, maxItems: 2 },
      { type: 'array', items: text, 'x-kubernetes-list-type': 'set', maxItems: 2 },
    ],
    ['a list of anything', { type: 'array' }, { type: 'array', items: anything }],
    ['any object', { type: 'object' }, { type: 'object', ...open }],
    [
      'a closed object',
      { type: 'object', properties: {}, additionalProperties: false },
      { type: 'object', properties: {} },
    ],
    [
      'an object with other members',
      { type: 'object', properties: { a: text }, additionalProperties: true },
      { type: 'object', properties: { a: text }, ...open },
    ],
    [
      'a map of enumerated keys',
      {
        type: 'object',
        propertyNames: { enum: ['a', 'b'] },
        additionalProperties: text,
        required: ['a'],
      },
      { type: 'object', properties: { a: text, b: text }, required: ['a'] },
    ],
    [
      'a required member with a default',
      { type: 'object', properties: { a: { ...text, default: 'x' } }, required: ['a'] },
      { type: 'object', properties: { a: { ...text, default: 'x' } } },
    ],
    [
      'a format without a meaning',
      { ...text, format: 'password' },
      { ...text, format: 'password' },
    ],
    [
      'descriptions of choices',
      {
        anyOf: [
          { ...text, description: 'any' },
          { const: 'auto', type: 'string', description: 'chosen' },
        ],
      },
      { ...text, description: 'any\nchosen' },
    ],
    [
      'an int-or-string by metadata',
      {
        anyOf: [text, { type: 'integer', minimum: 1 }],
        'x-kubernetes-int-or-string': true,
        pattern: 'a',
      },
      { 'x-kubernetes-int-or-string': true, pattern: 'a' },
    ],
    ['examples', { ...text, examples: ['a', 'b'] }, { ...text, example: 'a' }],
  ])('converts %s', (_title, schema, expected) => {
    expect(converted(schema)).toEqual(expected);
  });

  test.each(['base64', 'date', 'date-time', 'duration', 'email', 'ipv4', 'mac', 'uuid'])(
    'omits the format %s of a library, which its pattern says',
    (format) => {
      const reading = { ...jsonSchemaReading, vendor: 'valibot' };
      expect(converted({ ...text, format, pattern: '^[0-9]$' }, reading)).toEqual({
        ...text,
        pattern: '^[0-9]$',
      });
      const ahead = rules('!self.matches("^(?:a)")', "should match '^(?!a)'");
      expect(converted({ ...text, format, pattern: '^(?!a)' }, reading)).toEqual({
        ...text,
        ...ahead,
      });
    },
  );

  test.each<[string, JsonValue, string]>([
    ['false', false, 'spec: a schema that accepts no value'],
    [
      'a recursion',
      { type: 'array', items: { $ref: '#' } },
      'spec.items: the schema contains itself by #',
    ],
    [
      'a recursion of a definition',
      {
        $ref: '#/$defs/a',
        $defs: { a: { type: 'object', properties: { b: { $ref: '#/$defs/a' } } } },
      },
      'spec.properties.b: the schema contains itself by #/$defs/a',
    ],
    [
      'another document',
      { $ref: 'https://x.example/a' },
      'spec: a reference to another document: https://x.example/a',
    ],
    ...['constructor', '__proto__'].map((name): [string, JsonValue, string] => [
      `a name that every object inherits as a reference: ${name}`,
      { $ref: `#/${name}` },
      `spec: a reference to another document: #/${name}`,
    ]),
    [
      'an inherited name as a type',
      { type: 'constructor', minLength: 1 },
      'spec.minLength: a keyword that has no meaning for the type "constructor"',
    ],
    [
      'an inherited name as a keyword of an intersection',
      { allOf: [{ type: 'string' }, { type: 'string', constructor: 3 }] },
      'spec.constructor: a keyword that a structural schema cannot express',
    ],
    ...['constructor', '__proto__'].map((name): [string, JsonValue, string] => [
      `an inherited name as a keyword of the objects of a union: ${name}`,
      {
        anyOf: ['a', 'b'].map((each) => ({
          type: 'object',
          properties: { is: { const: each } },
          required: ['is'],
          [name]: 3,
        })),
      },
      `spec.${name}: a keyword that a structural schema cannot express`,
    ]),
    ['two types', { type: ['string', 'boolean'] }, 'spec.type: not one type: "string" "boolean"'],
    [
      'a limit that no integer meets',
      { type: 'integer', minimum: 1e20 },
      'spec: a limit that no integer of 64 bits meets',
    ],
    [
      'a fraction as multipleOf',
      { type: 'number', multipleOf: 0.5 },
      'spec.multipleOf: a multipleOf that the API server truncates to a whole number',
    ],
    [
      'a format without a pattern',
      { ...text, format: 'jwt' },
      'spec.format: the format jwt, which JavaScript and the API server read differently',
    ],
    ['null alone', { type: 'null' }, 'spec.type: not one type: "null"'],
    [
      'values of two types',
      { enum: ['a', 1] },
      'spec.enum: values of different types: string integer',
    ],
    [
      'a union of a text and a boolean',
      { anyOf: [text, { type: 'boolean' }] },
      'spec: a union that a structural schema cannot express',
    ],
    [
      'a bounded integer or a text',
      { anyOf: [{ type: 'integer', minimum: 1 }, text] },
      'spec: a union that a structural schema cannot express',
    ],
    [
      'not',
      { ...text, not: { const: 'a' } },
      'spec.not: a keyword that a structural schema cannot express',
    ],
    [
      'a tuple',
      { type: 'array', prefixItems: [text] },
      'spec.prefixItems: a keyword that a structural schema cannot express',
    ],
    ['a tuple of older drafts', { type: 'array', items: [text] }, 'spec.items: a tuple'],
    [
      'unique objects',
      { type: 'array', items: { type: 'object' }, uniqueItems: true },
      'spec.uniqueItems: unique items that are not scalars',
    ],
    [
      'typed members beside properties',
      { type: 'object', properties: { a: text }, additionalProperties: text },
      'spec.additionalProperties: values beside the declared properties',
    ],
    [
      'patterns of names',
      { type: 'object', patternProperties: { '^a': text } },
      'spec.patternProperties: values that depend on their name',
    ],
    [
      'conditions for names',
      { type: 'object', propertyNames: { maxLength: 3 }, additionalProperties: text },
      'spec.propertyNames: conditions for the names of a map',
    ],
    [
      'a contradiction',
      { allOf: [text, { type: 'boolean' }] },
      'spec: two different values of type for one value',
    ],
    [
      'different schemas of one property in a union',
      {
        oneOf: ['a', 'b'].map((type, index) => ({
          type: 'object',
          required: ['type'],
          properties: { type: { const: type }, size: index === 0 ? text : { type: 'integer' } },
        })),
      },
      'spec.properties.size: different schemas of one property in a union',
    ],
    [
      'a default in one object of a union',
      {
        oneOf: [
          { type: 'object', required: ['type'], properties: { type: { const: 'a' } } },
          {
            type: 'object',
            required: ['type'],
            properties: { type: { const: 'b' }, size: { ...text, default: 'x' } },
          },
        ],
      },
      'spec.properties.size: a default that the server would set in every object of the union',
    ],
  ])('refuses %s', (_title, schema, expected) => {
    expect(converted(schema)).toBe(expected);
  });

  test('refuses references that multiply the schema', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, level) => {
        const inner = { $ref: `#/$defs/d${level + 1}` };
        return [`d${level}`, { type: 'object', properties: { a: inner, b: inner } }];
      }),
    );
    const schema = { $ref: '#/$defs/d0', $defs: { ...$defs, d40: text } };
    expect(converted(schema)).toMatch(/: more than 100000 parts$/);
  });
});
