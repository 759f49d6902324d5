import * as fc from 'fast-check';
import type { JsonSchema, JsonValue } from '@keelson/structural-schema';
import { mostly } from './member.ts';

/** Integers near the limits of Go's types. */
export const integers: fc.Arbitrary<number> = fc.oneof(
  { arbitrary: fc.integer({ min: -3, max: 9 }), weight: 6 },
  {
    arbitrary: fc.constantFrom(
      65,
      2 ** 31 - 1,
      2 ** 31,
      -(2 ** 31),
      -(2 ** 31) - 1,
      2 ** 32,
      2 ** 53,
      -(2 ** 53),
      2 ** 62,
      2 ** 63,
      -(2 ** 63),
    ),
    weight: 1,
  },
);

/** Numbers with fractions and great exponents. */
export const numbers: fc.Arbitrary<number> = fc.constantFrom(
  0.5,
  1.5,
  2.5,
  -0.5,
  0.1,
  0.3,
  4.2,
  1e-9,
  1.0000000001,
  2.9999999999,
  1e21,
  1e300,
  3.4e38,
  3.5e38,
  -1e39,
  1e16,
  0.01,
);

/** Texts with characters that lengths, patterns and formats read in different ways. */
export const texts: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom('', 'a', 'b', 'abc', 'ab', 'A', 'x-y', 'name', 'v1'), weight: 5 },
  {
    arbitrary: fc.constantFrom(
      '\u{1f600}',
      '\u{1f600}a',
      '\u00e9',
      '\u00a0',
      '\u2028',
      '\ufeff',
      '\n',
      'a\nb',
      ' ',
      '\t\v',
      'e\u0301',
      '\u0130',
      '\u212a',
      '\u0000',
      '\u{10ffff}',
      '\ud83d',
      'a\ude00b',
    ),
    weight: 2,
  },
  {
    arbitrary: fc.constantFrom(
      '2020-01-02',
      '2020-02-30',
      '2020-01-02T03:04:05Z',
      '2020-01-02t03:04:05.123+02:00',
      '2020-01-02T24:00:00Z',
      '10s',
      '1h5m',
      '22 ns',
      '1 day',
      '-1s',
      '.5m',
      'a@b.c',
      'A <a@b.c>',
      'a@[::1]',
      'a',
      'example.com',
      'a_b',
      '-a.b',
      '1.2.3.4',
      '01.2.3.4',
      '::1',
      '::ffff:1.2.3.4',
      '1.2.3.4/24',
      'fe80::1%eth0',
      '::/129',
      '1.2.3',
      '10.0.0.0/033',
      '00:11:22:33:44:55',
      '00-11-22-33-44-55',
      '0011.2233.4455',
      'http://a',
      '/a',
      'a:b',
      'http://[::1]:80/',
      'http://a b',
      '//x',
      'http:',
      '?',
      '00000000-0000-0000-0000-000000000000',
      '6ba7b810-9dad-41d1-80b4-00c04fd430c8',
      '6ba7b8109dad31d180b400c04fd430c8',
      '6BA7B810-9DAD-51D1-80B4-00C04FD430C8',
      '0321751043',
      '978-0321751041',
      '080442957X',
      '4111111111111111',
      '4111-1111-1111-1111',
      '111-11-1111',
      '111111111',
      '#fff',
      'fff',
      '#ffff',
      'rgb(1,2,3)',
      'rgb(255, 2 , 3)',
      'rgb(256,0,0)',
      'YQ==',
      'YQ',
      'YWI=',
      'a+/=',
      '507f1f77bcf86cd799439011',
      'a.b.c',
      'a-b',
      'A-b',
    ),
    weight: 3,
  },
);

/** JSON values of every type. */
export const anyValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    { arbitrary: texts, weight: 5 },
    { arbitrary: integers, weight: 4 },
    { arbitrary: numbers, weight: 2 },
    { arbitrary: fc.boolean(), weight: 2 },
    { arbitrary: fc.constant(null), weight: 1 },
    { arbitrary: fc.array(tie('value'), { maxLength: 3 }), weight: 2 },
    {
      arbitrary: fc.dictionary(
        fc.constantFrom('a', 'b', 'c', 'name', 'kind', 'apiVersion', 'metadata'),
        tie('value'),
        { maxKeys: 3, noNullPrototype: true },
      ),
      weight: 2,
    },
  ),
})).value;

/** Values near a schema: of its type, with its members, in a quarter of the parts something else. */
export function valueOf(schema: JsonSchema): fc.Arbitrary<JsonValue> {
  const odd = schema.type === 'object' || schema.type === 'array' ? 6 : 15;
  return mostly(typical(schema), odd, anyValue);
}

function typical(schema: JsonSchema): fc.Arbitrary<JsonValue> {
  const { enum: choices = [], nullable } = schema;
  const own = ofType(schema);
  const chosen = choices.length > 0 ? mostly(fc.constantFrom(...choices), 30, own) : own;
  return nullable === true
    ? mostly(chosen, 15, fc.constant(null))
    : mostly(chosen, 2, fc.constant(null));
}

function ofType(schema: JsonSchema): fc.Arbitrary<JsonValue> {
  if (schema['x-kubernetes-int-or-string'] === true) return fc.oneof(integers, texts);
  switch (schema.type) {
    case 'string':
      return texts;
    case 'integer':
      return mostly(integers, 10, numbers);
    case 'number':
      return fc.oneof(integers, numbers);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(valueOf(schema.items ?? {}), { maxLength: 4 });
    case 'object':
      return objectOf(schema);
    default:
      return anyValue;
  }
}

function objectOf(schema: JsonSchema): fc.Arbitrary<JsonValue> {
  const { properties = {}, additionalProperties: values } = schema;
  const embedded = schema['x-kubernetes-embedded-resource'] === true ? typeMeta : {};
  const own = Object.entries({ ...embedded, ...properties }).map(([name, property]) =>
    mostly<[string, JsonValue] | undefined>(
      valueOf(property).map((value) => [name, value]),
      25,
      fc.constant(undefined),
    ),
  );
  const other = typeof values === 'object' ? valueOf(values) : anyValue;
  const rest = fc.dictionary(fc.constantFrom('a', 'c', 'z'), other, {
    maxKeys: typeof values === 'object' ? 3 : 1,
    noNullPrototype: true,
  });
  return fc.tuple(fc.tuple(...own), rest).map(([known, more]) => ({
    ...more,
    ...Object.fromEntries(known.filter((each) => each !== undefined)),
  }));
}

const managedFields: JsonSchema = {
  type: 'object',
  properties: {
    manager: { type: 'string', enum: ['m', '', 'x'.repeat(129), 'a\nb'] },
    operation: { type: 'string', enum: ['Apply', 'Update', 'x'] },
    fieldsType: { type: 'string', enum: ['FieldsV1', '', 'x'] },
    subresource: { type: 'string', enum: ['status', 'x'.repeat(257)] },
  },
};

const typeMeta: Readonly<Record<string, JsonSchema>> = {
  apiVersion: { type: 'string', enum: ['v1', 'a/v1', 'a/b/c', ''] },
  kind: { type: 'string', enum: ['Pod', 'A b', '', 'X'] },
  metadata: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      namespace: { type: 'string', enum: ['a', 'A_b', '', 'x.y'] },
      generation: { type: 'integer', enum: [-1, 0, 5] },
      finalizers: {
        type: 'array',
        items: { type: 'string', enum: ['orphan', 'foregroundDeletion', 'a.b/c', ''] },
      },
      creationTimestamp: { type: 'string', enum: ['2020-01-01T00:00:00Z'], nullable: true },
      managedFields: { type: 'array', items: managedFields },
    },
  },
};
