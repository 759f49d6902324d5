import { describe, expect, test } from '@jest/globals';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as Type from 'typebox';
import * as v from 'valibot';
import * as z from 'zod';
import { defineKind } from '../definition/define-kind.ts';
import { SchemaError } from '../errors.ts';
import type { SchemaInput } from './schema-input.ts';

const names = { group: 'shop.example', version: 'v1', kind: 'Widget', plural: 'widgets' } as const;

/** Returns `path: reason` of the refusal of a schema whose property `f` is given. */
function refusalOf(spec: SchemaInput, keywords = {}): string | undefined {
  try {
    defineKind({ ...names, spec, keywords });
    return undefined;
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    expect(error.facts['cure']).toEqual(expect.stringMatching(/.{10}/));
    const path = String(error.facts['path']).replace(/^defineKind\.spec(?:\.properties\.f)?/, '');
    return `${path}: ${String(error.facts['reason'])}`;
  }
}

const inZod = (f: z.ZodType): SchemaInput => z.object({ f });
const inValibot = (f: v.GenericSchema): SchemaInput =>
  toStandardJsonSchema(v.object({ f })) as SchemaInput;
const inArktype = (f: unknown): SchemaInput => type({ f: f as 'string' });
const inTypebox = (f: Type.TSchema): SchemaInput => Type.Object({ f });

describe('a transformation of ArkType is refused:', () => {
  const upper = type('string').pipe((text) => text.toUpperCase());
  test.each<[string, unknown, string]>([
    ['a function', upper, ''],
    ['a pipe to another type', type('string').pipe((text) => text.length), ''],
    ['a pipe to a type', type('string').pipe((text) => text.trim(), type('string')), ''],
    ['of an object', type({ a: 'string' }).pipe((object) => ({ ...object, b: 1 })), ''],
    ['of items', upper.array(), '.items'],
    ['of a map', type({ '[string]': upper }), '.additionalProperties'],
    ['of a member', type({ 'a?': upper }), '.properties.a'],
    ['beside null', upper.or('null'), ''],
    [
      'in an object of a union',
      type({ t: "'a'", n: 'string.numeric.parse' }).or({ t: "'b'" }),
      '.properties.n',
    ],
    ...[
      'string.lower',
      'string.upper',
      'string.capitalize',
      'string.trim',
      'string.normalize',
      'string.numeric.parse',
      'string.integer.parse',
      'string.json.parse',
      'string.date.parse',
      'string.url.parse',
      'string.numeric.parse | null',
      'object.json.stringify',
    ].map((keyword): [string, unknown, string] => [keyword, keyword, '']),
  ])('%s', (_title, schema, path) => {
    expect(refusalOf(inArktype(schema))).toBe(`${path}: a transformation`);
  });

  test.each<[string, unknown, string]>([
    ['undefined beside a text', type({ 'a?': 'string | undefined' }), '.properties.a'],
    ['undefined', 'undefined', ''],
    ['NaN', 'number.NaN', ''],
    ['a bigint', type.unit(1n), ''],
  ])('%s, which JSON lacks', (_title, schema, path) => {
    expect(refusalOf(inArktype(schema))).toMatch(
      new RegExp(`^${path.replaceAll('.', String.raw`\.`)}: a value that JSON cannot express`),
    );
  });
});

describe('a default that the JSON Schema omits is refused:', () => {
  const object = z.object({ n: z.int().prefault(3) });
  const omitted = '.properties.n: a default that the JSON Schema of the library omits';
  const unshared = '.properties.n: a default in some objects of a union';
  const union = z.discriminatedUnion('t', [
    z.object({ t: z.literal('a'), n: z.int().prefault(3) }),
    z.object({ t: z.literal('b') }),
  ]);
  test.each<[string, SchemaInput, string]>([
    ['of an object', inZod(object), omitted],
    ['behind a reference', inZod(object.meta({ id: 'ObjectWithPrefault' })), omitted],
    ['beside null', inZod(object.nullable()), omitted],
    ['in an intersection', inZod(object.and(z.looseObject({}))), omitted],
    ['in an object of a union', inZod(union), unshared],
    ['of ArkType beside null', inArktype(type({ n: 'number = 3' }).or('null')), omitted],
    [
      'of ArkType in an object of a union',
      inArktype(type({ t: "'a'", n: 'number = 3' }).or({ t: "'b'" })),
      unshared,
    ],
  ])('%s', (_title, schema, expected) => {
    expect(refusalOf(schema)).toBe(expected);
  });

  test('unless the option keywords has it', () => {
    const nullable = inArktype(type({ n: 'number = 3' }).or('null'));
    const keywords = { 'spec.properties.f.properties.n': { default: 3 } };
    expect(refusalOf(nullable, keywords)).toBeUndefined();
  });
});

describe('a default that a function makes anew is refused:', () => {
  let count = 0;
  const fresh = (): string => `x${(count += 1)}`;
  const reason = ': a default that a function makes anew for each value';
  test.each<[string, SchemaInput, string]>([
    ['of zod', inZod(z.string().default(fresh)), '.default'],
    ['of valibot', inValibot(v.optional(v.string(), fresh)), '.default'],
    ['of the clock', inZod(z.string().default(() => new Date().toISOString())), '.default'],
    ['of the clock as a number', inZod(z.number().default(() => Date.now())), '.default'],
    [
      'in a member',
      inZod(z.array(z.object({ a: z.string().default(fresh) }))),
      '.items.properties.a.default',
    ],
    ['beside null', inZod(z.string().nullable().default(fresh)), '.default'],
    ['within a default', inZod(z.array(z.string()).default(() => [fresh()])), '.default'],
  ])('%s', (_title, schema, path) => {
    expect(refusalOf(schema)).toBe(`${path}${reason}`);
  });

  test.each<[string, SchemaInput]>([
    ['an empty list of zod', inZod(z.array(z.string()).default(() => []))],
    ['an object of valibot', inValibot(v.optional(v.object({}), () => ({})))],
  ])('but not %s', (_title, schema) => {
    expect(refusalOf(schema)).toBeUndefined();
  });
});

describe('valibot refuses what its JSON Schema says otherwise:', () => {
  const text = v.string();
  const isObject = v.object({ a: v.number() });
  test.each<[string, v.GenericSchema, string]>([
    ['a value in place of null', v.nullable(v.number(), 3), ': a value in place of null'],
    ['a value in place of null or none', v.nullish(v.number(), 3), ': a value in place of null'],
    ['a default of a required member', v.undefinedable(text, 'a'), ': a default of a required'],
    ['a fallback', v.fallback(text, 'a'), ': a value in place of an invalid one'],
    ['trim', v.pipe(text, v.trim()), ': a transformation (trim)'],
    ['an action constructor', v.pipe(text, action('constructor')), ': The "constructor" action'],
    ['an action __proto__', v.pipe(text, action('__proto__')), ': The "__proto__" action'],
    ['a transformation at the end', v.pipe(text, v.transform(String)), ': a transformation'],
    [
      'a transformation between two schemas',
      v.pipe(text, v.transform(String), text) as v.GenericSchema,
      ': a pipe of several schemas',
    ],
    [
      'a pipe of two objects',
      v.pipe(isObject, v.looseObject({ a: v.number() })) as v.GenericSchema,
      ': a pipe of several schemas',
    ],
    ['an item that a list includes', v.pipe(v.array(text), v.includes('a')), ': the items of a'],
    ['a URL before an address', v.pipe(text, v.url(), v.email()), ': two different values of'],
    ['multiples of a fraction', v.pipe(v.number(), v.multipleOf(2), v.multipleOf(0.5)), ': two'],
    ['a flag of a second pattern', v.pipe(text, v.regex(/^a/), v.ip()), '.pattern: a regular'],
  ])('%s', (_title, schema, expected) => {
    const found = refusalOf(inValibot(schema)) ?? '';
    expect(found.startsWith(expected) || found.startsWith(`.properties.f${expected}`)).toBe(true);
  });
});

describe('TypeBox refuses what a CRD does not carry over:', () => {
  const text = Type.String();
  const isObject = Type.Object({ a: text });
  const either = { type: ['integer', 'string'] };
  const other = 'a keyword that a structural schema cannot express';
  const untyped = 'a keyword without a type, which concerns the values of one type only';
  test.each<[string, Type.TSchema, string]>([
    ['a refinement', Type.Refine(text, () => true), ': a refinement'],
    ['a transformation', Type.Decode(text, Number), ': a transformation'],
    ['a refinement of items', Type.Array(Type.Refine(text, () => true)), '.items: a refinement'],
    ['an unknown keyword', Type.String({ maxlength: 3 }), `.maxlength: ${other}`],
    ['an inherited name', Type.String({ constructor: 3 }), `.constructor: ${other}`],
    ['a length without a type', Type.Unsafe({ minLength: 2 }), `.minLength: ${untyped}`],
    ['a limit without a type', Type.Unsafe({ minimum: 2 }), `.minimum: ${untyped}`],
    ['members without a type', Type.Unsafe({ properties: {} }), `.properties: ${untyped}`],
    ['items without a type', Type.Unsafe({ items: {} }), `.items: ${untyped}`],
    [
      'a keyword of another type',
      Type.Unsafe({ type: 'integer', minLength: 2 }),
      '.minLength: a keyword that has no meaning for the type "integer"',
    ],
    [
      'required members without properties',
      Type.Unsafe({ type: 'object', required: ['a'] }),
      '.required: required members that the schema does not declare',
    ],
    [
      'required members of a map',
      Type.Unsafe({ type: 'object', additionalProperties: text, required: ['a'] }),
      '.required: required members that the schema does not declare',
    ],
    [
      'unevaluated members',
      Type.Object({ a: text }, { unevaluatedProperties: Type.Integer() }),
      '.unevaluatedProperties: values beside the declared properties',
    ],
    [
      'unevaluated items',
      Type.Array(text, { unevaluatedItems: false }),
      `.unevaluatedItems: ${other}`,
    ],
    [
      'conditions for names beside properties',
      Type.Object({ a: text }, { additionalProperties: true, propertyNames: { pattern: '^a' } }),
      '.propertyNames: conditions for the names of a map',
    ],
    ...['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map(
      (name): [string, Type.TSchema, string] => [
        `${name} of an int-or-string`,
        Type.Unsafe({ ...either, [name]: 2 }),
        `.${name}: a keyword that an int-or-string lacks`,
      ],
    ),
    [
      'look-ahead of an int-or-string',
      Type.Unsafe({ ...either, pattern: '^(?!a)' }),
      '.pattern: look-ahead or several patterns of an int-or-string',
    ],
    [
      'a format beside a pattern, which is another condition',
      Type.String({ format: 'email', pattern: '^a' }),
      '.format: the format email, which JavaScript and the API server read differently',
    ],
    [
      'an object that excludes the members of another one',
      Type.Intersect([isObject, Type.Object({ b: text }, { additionalProperties: false })]),
      '.properties.a: a property that another object of an intersection excludes',
    ],
    [
      'a map and an object',
      Type.Intersect([Type.Record(text, text), isObject]),
      ': an intersection of a map and another object',
    ],
    [
      'enumerations without a common value',
      Type.Intersect([Type.Enum(['a']), Type.Enum(['b'])]),
      '.enum: enumerations without a common value, so that no value is accepted',
    ],
  ])('%s', (_title, schema, expected) => {
    expect(refusalOf(inTypebox(schema))).toBe(expected);
  });

  test('but keywords for people, and those that begin with x-', () => {
    const people = {
      title: 'a',
      description: 'b',
      examples: ['c'],
      deprecated: true,
      $comment: 'd',
    };
    const schema = Type.String({ ...people, readOnly: true, $id: 'e', 'x-owner': 'f' });
    expect(refusalOf(inTypebox(schema))).toBeUndefined();
  });
});

describe('zod refuses what a CRD does not carry over:', () => {
  const strings = z.record(z.string(), z.string());
  test.each<[string, z.ZodType, string]>([
    ['a check by code', z.creditCard(), '.format: the format credit_card'],
    ['whether a value is valid', z.success(z.string()), ': a value that says whether another'],
    ['a promise', z.promise(z.string()), ': a promise'],
    [
      'a check of a property',
      z.string().check(z.property('length', z.number().min(3))),
      ': a check that its JSON Schema omits (property)',
    ],
    [
      'a text that is searched from a position',
      z.string().includes('a', { position: 3 }),
      ': a te',
    ],
    [
      'a default of keys that may be missing',
      z.partialRecord(z.enum(['a', 'b']), z.int().default(1)),
      '.additionalProperties.default: a default of keys that may be missing',
    ],
    [
      'a map and an object',
      strings.and(z.object({ a: z.string() })),
      '.additionalProperties: values',
    ],
    [
      'an object and a map',
      z.object({ a: z.string() }).and(strings),
      '.additionalProperties: values',
    ],
    [
      'an object of a union that another object leaves open',
      z
        .discriminatedUnion('t', [
          z.object({ t: z.literal('a'), x: z.string().optional() }),
          z.object({ t: z.literal('b') }),
        ])
        .and(z.looseObject({ k: z.int() })),
      '.properties.x: a property that another object of a union accepts with any value',
    ],
    ['constants', z.literal('a').and(z.enum(['b', 'c'])), '.enum: enumerations without a common'],
    ['enumerations', z.enum(['a']).and(z.enum(['b'])), '.enum: enumerations without a common'],
    [
      'an exclusive union of objects',
      z.xor([z.object({ a: z.int().optional() }), z.object({ b: z.int().optional() })]),
      ': an exclusive union whose choices may accept the same value',
    ],
    ['an exclusive union of texts', z.xor([z.string(), z.literal('a')]), ': an exclusive union'],
    [
      'an exclusive union of equal choices',
      z.xor([z.string(), z.string()]),
      ': an exclusive union',
    ],
    [
      'an exclusive union of numbers',
      z.xor([z.int(), z.number().min(1)]),
      ': an exclusive union whose choices may accept the same value',
    ],
    ['null of two choices', z.xor([z.string().nullable(), z.int().nullable()]), ': an exclusive'],
  ])('%s', (_title, schema, expected) => {
    const found = refusalOf(inZod(schema)) ?? '';
    expect(found.slice(0, expected.length)).toBe(expected);
  });
});

/** A condition of user code, with the name of its kind. */
function action(name: string): v.BaseValidation<string, string, v.BaseIssue<string>> {
  const parts = {
    kind: 'validation',
    type: name,
    reference: action,
    expects: null,
    async: false,
    requirement: 'x',
    '~run': (dataset: v.OutputDataset<string, v.BaseIssue<unknown>>) => dataset,
  } as const;
  return parts;
}
