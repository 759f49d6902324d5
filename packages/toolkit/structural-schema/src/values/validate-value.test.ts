import { describe, expect, test } from '@jest/globals';
import type { JsonValue } from '../json/json-value.ts';
import type { JsonSchema } from '../validation/json-schema.ts';
import { PatternMatcher } from '../validation/pattern-matcher.ts';
import { validateValue } from './validate-value.ts';

const body = 'spec in body';

function causesOf(schema: JsonSchema, value: JsonValue, old?: JsonValue): string[] {
  return validateValue(schema, value, 'spec', new PatternMatcher(), old).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

function outOfType(subject: string, format = '(default format)', type = 'integer'): string {
  return `<nil>: Invalid value: "": ${subject} value must be of type ${type} ${format} in spec`;
}

/** Schemas with values, and the causes of apiextensions-apiserver 0.36.3. */
const decided: readonly (readonly [string, JsonSchema, JsonValue, readonly string[]])[] = [
  [
    'null with nullable and enum',
    { type: 'string', nullable: true, enum: ['x'] },
    null,
    ['spec: Unsupported value: null: supported values: "x"'],
  ],
  ['a double that is cut to a choice', { type: 'number', enum: [1] }, 1.5, []],
  [
    'a double that is cut to no choice',
    { type: 'number', enum: [2] },
    1.5,
    ['spec: Unsupported value: 1.5: supported values: "2"'],
  ],
  [
    'an integer that is the code of a choice',
    { 'x-kubernetes-int-or-string': true, enum: ['A'] },
    65,
    [],
  ],
  [
    'an integer that is the code of no character',
    { 'x-kubernetes-int-or-string': true, enum: ['\ufffd'] },
    -1,
    [],
  ],
  ['a list among the choices', { type: 'array', items: { type: 'integer' }, enum: [[1]] }, [1], []],
  ['an integer above the cut minimum', { type: 'number', minimum: 4.5 }, 4, []],
  [
    'a double below the minimum',
    { type: 'number', minimum: 4.5 },
    4.25,
    [`spec: Invalid value: 4.25: ${body} should be greater than or equal to 4.5`],
  ],
  [
    'an integer whose minimum has a fraction',
    { type: 'integer', minimum: 0.5 },
    7,
    [outOfType('Minimum boundary')],
  ],
  [
    'an integer whose maximum has a fraction',
    { type: 'integer', maximum: 9.5 },
    7,
    [outOfType('Maximum boundary')],
  ],
  [
    'an integer whose multipleOf has a fraction',
    { type: 'integer', multipleOf: 0.5 },
    7,
    [outOfType('MultipleOf')],
  ],
  [
    'an integer whose multipleOf is cut to zero',
    { type: 'number', multipleOf: 0.5 },
    7,
    ['spec: Invalid value: 0: factor MultipleOf declared for spec must be positive: 0'],
  ],
  ['a double that is a multiple', { type: 'number', multipleOf: 0.5 }, 7.5, []],
  [
    'a double that is no multiple',
    { type: 'number', multipleOf: 0.5 },
    7.25,
    [`spec: Invalid value: 7.25: ${body} should be a multiple of 0.5`],
  ],
  [
    'an integer beyond its format',
    { type: 'integer', format: 'int32' },
    2 ** 31,
    [outOfType('Checked', 'with format int32')],
  ],
  [
    'a bound beyond the format',
    { type: 'integer', format: 'int32', maximum: 2 ** 31 },
    5,
    [outOfType('Maximum boundary', 'with format int32')],
  ],
  [
    'a double beyond its format',
    { type: 'number', format: 'float' },
    3.5e38,
    [outOfType('Checked', 'with format float', 'number')],
  ],
  ['a double with an unknown format', { type: 'number', format: 'float32' }, 3.5e38, []],
  ['a double near an integer', { type: 'integer' }, 2.0000000001, [outOfType('Checked')]],
  [
    'a negative double near an integer',
    { type: 'integer' },
    -2.0000000001,
    [
      `spec: Invalid value: "number": ${body} must be of type integer: "number"`,
      outOfType('Checked'),
    ],
  ],
  ['a list for a string with a format', { type: 'string', format: 'date' }, ['x'], []],
  [
    'a number for a string with a format',
    { type: 'string', format: 'date' },
    1.5,
    [`spec: Invalid value: "float64": ${body} must be of type date: "float64"`],
  ],
  ['an astral character of length 1', { type: 'string', maxLength: 1 }, '\u{1f600}', []],
  [
    'an astral character shorter than 2',
    { type: 'string', minLength: 2 },
    '\u{1f600}',
    [`spec: Invalid value: "\u{1f600}": ${body} should be at least 2 chars long`],
  ],
  [
    'a no-break space that is no space of RE2',
    { type: 'string', pattern: '^\\s$' },
    '\u00a0',
    [`spec: Invalid value: "\\u00a0": ${body} should match '^\\s$'`],
  ],
  ['an astral character for a dot', { type: 'string', pattern: '^.$' }, '\u{1f600}', []],
  ['a line separator for a dot', { type: 'string', pattern: '^.$' }, '\u2028', []],
  [
    'the branch of anyOf with the most checks',
    {
      type: 'object',
      anyOf: [{ required: ['c'] }, { properties: { a: { minimum: 1 }, b: { minimum: 5 } } }],
    },
    { a: 2, b: 2 },
    [
      '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
      'spec.b: Invalid value: 2: spec.b in body should be greater than or equal to 5',
    ],
  ],
  [
    'every branch of allOf',
    { type: 'integer', allOf: [{ minimum: 5 }, { maximum: 1 }] },
    3,
    [
      `spec: Invalid value: 3: ${body} should be greater than or equal to 5`,
      `spec: Invalid value: 3: ${body} should be less than or equal to 1`,
      '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf). None validated',
    ],
  ],
  [
    'a member that additionalProperties forbids',
    { type: 'object', additionalProperties: false },
    { a: 1 },
    ['spec: Invalid value: "a": spec.a in body is a forbidden property'],
  ],
];

describe('validateValue', () => {
  test.each(decided)('decides on %s as Kubernetes does', (_, schema, value, expected) => {
    expect(causesOf(schema, value)).toEqual(expected);
  });

  test('reports the second of equal items once', () => {
    const schema = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
    expect(causesOf(schema, ['a', 'a', 'a'])).toEqual(['spec[1]: Duplicate value: "a"']);
  });

  test('accepts repeated items if the old value had some', () => {
    const schema = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
    expect(causesOf(schema, ['a', 'a'], ['b', 'b'])).toEqual([]);
    expect(causesOf(schema, ['a', 'a'], ['b', 'c'])).toHaveLength(1);
  });

  test('validates the type and the metadata of embedded objects', () => {
    const schema = { type: 'object', 'x-kubernetes-embedded-resource': true };
    expect(
      causesOf(schema, { apiVersion: 'a/b/c', kind: 'A b', metadata: { name: 'a/b' } }),
    ).toEqual([
      'spec.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      expect.stringMatching(/^spec\.kind: Invalid value: "A b": may have mixed case/),
      `spec.metadata.name: Invalid value: "a/b": may not contain '/'`,
    ]);
    expect(causesOf(schema, {})).toEqual([
      'spec.apiVersion: Required value',
      'spec.kind: Required value',
    ]);
  });
});

describe('the metadata of an embedded object', () => {
  const schema = { type: 'object', 'x-kubernetes-embedded-resource': true };

  test.each([
    [5, 'spec.metadata'],
    [{ name: {} }, 'spec.metadata.name'],
    [{ labels: { a: 1 } }, 'spec.metadata.labels'],
    [{ finalizers: [1] }, 'spec.metadata.finalizers'],
    [{ ownerReferences: ['a'] }, 'spec.metadata.ownerReferences'],
    [{ generateName: false }, 'spec.metadata.generateName'],
  ])('is refused for another type in %j', (metadata, field) => {
    expect(causesOf(schema, { apiVersion: 'v1', kind: 'A', metadata })).toEqual([
      expect.stringMatching(`^${field.replaceAll('.', '\\.')}: Invalid value: `),
    ]);
  });

  test.each([null, {}, { name: null, labels: null }])('may be %j', (metadata) => {
    expect(causesOf(schema, { apiVersion: 'v1', kind: 'A', metadata })).toEqual([]);
  });
});

describe('an update', () => {
  const low: JsonSchema = { type: 'integer', minimum: 5 };
  const keyed: JsonSchema = {
    type: 'array',
    items: { type: 'object', properties: { name: { type: 'string' }, size: low } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
  };

  test('accepts an unchanged invalid member, and refuses a changed one', () => {
    const schema = { type: 'object', properties: { a: low, b: low } };
    expect(causesOf(schema, { a: 1, b: 2 }, { a: 1, b: 1 })).toEqual([
      expect.stringMatching(/^spec\.b: /),
    ]);
  });

  test('finds the old item of a list with keys by its key', () => {
    const old = [
      { name: 'x', size: 1 },
      { name: 'y', size: 2 },
    ];
    expect(
      causesOf(
        keyed,
        [
          { name: 'y', size: 2 },
          { name: 'x', size: 1 },
        ],
        old,
      ),
    ).toEqual([]);
    expect(causesOf(keyed, [{ name: 'z', size: 1 }], old)).toHaveLength(1);
  });

  test('finds no old item in other lists', () => {
    const { 'x-kubernetes-list-type': _, ...atomic } = keyed;
    const old = [{ name: 'x', size: 1 }];
    expect(causesOf(atomic, [...old, { name: 'y', size: 9 }], old)).toHaveLength(1);
    expect(causesOf(atomic, old, old)).toEqual([]);
  });

  test('validates an object anew that has a member without a schema', () => {
    const schema: JsonSchema = {
      type: 'object',
      required: ['b'],
      properties: { a: { type: 'integer' } },
      'x-kubernetes-preserve-unknown-fields': true,
    };
    expect(causesOf(schema, { a: 1, other: 1 }, { a: 1, other: 1 })).toHaveLength(1);
    expect(causesOf(schema, { a: 1 }, { a: 1 })).toEqual([]);
  });
});
