import { describe, expect, test } from '@jest/globals';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { ark, type } from 'arktype';
import * as Type from 'typebox';
import { Check } from 'typebox/value';
import * as v from 'valibot';
import * as z from 'zod';
import { SchemaError } from '../errors.ts';
import type { SchemaInput } from './schema-input.ts';
import { refused, storedBy } from './server-decision.test-support.ts';

/** The schema of an object with the property `f`, and the decision of the library about its values. */
interface Decided {
  readonly schema: SchemaInput;
  /** True for a library that takes a list for an object without required members. */
  readonly takesLists?: boolean;
  readonly accepts: (spec: object) => boolean;
}

const texts = [
  '',
  'a',
  'ab',
  'A',
  'abc',
  ' a ',
  'a\n',
  '😀',
  '1',
  '1.5',
  'true',
  '[]',
  '{}',
  'null',
  'a@b.co',
  '.a@b.co',
  'b.co',
  'https://b.co/',
  'https://b.co',
  '#fff',
  '2020-02-30',
  '10.0.0.1',
  '2020-01-01',
  '2020-01-01T00:00:00Z',
  '2020-01-01T00:00',
  '10:00',
  '10:00:00',
  'P1D',
  '::1',
  '10.0.0.0/8',
  '::/0',
  '00:11:22:33:44:55',
  'YWFh',
  'deadbeef',
  '4111111111111111',
  '0.5',
  '4111111111111112',
  '123e4567-e89b-12d3-a456-426614174000',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',

  'cjld2cjxh0000qzrmn831i7rn',
  'tz4a98xxat96iws9zmbrgj3a',
  '+4912345678',
  'EUR',
  'GB33BUKB20201555555555',
  '9m4e2mr0ui3e8a215n4g',
  '0ujtsYcgvSTl8PAuAdqWYSMnLOv',
  'V1StGXR8_Z5jdHi6B-myT',
  '2020-W01',
];
const values: readonly unknown[] = [
  undefined,
  ...texts,
  0,
  1,
  2,
  3,
  1.5,
  -1,
  0.1,
  2 ** 40,
  true,
  false,
  [],
  ['a'],
  [1],
  ['a', 'a'],
  {},
  { a: 'x' },
  { a: 1 },
  { a: 'x', b: 1 },
];

/** The builders of some library that are converted. */
const isConverted: ReadonlySet<string> = new Set([
  'any',
  'array',
  'boolean',
  'check',
  'default',
  'discriminatedUnion',
  'email',
  'enum',
  'int',
  'includes',
  'integer',
  'intersect',
  'intersection',
  'ipv4',
  'iso',
  'lazy',
  'literal',
  'mac',

  'looseObject',
  'maxLength',
  'minLength',
  'multipleOf',
  'nullable',
  'number',
  'object',
  'ulid',
  'optional',
  'partialRecord',
  'picklist',
  'record',
  'regex',
  'startsWith',
  'strictObject',
  'string',
  'union',
  'unknown',
  'variant',
  'brand',
  'readonly',
  'string.email',
  'string.alpha',
  'number.integer',
  'string.ip.v4',
  'string.uuid.v4',
  'string.lower.preformatted',
  'Any',
  'Array',
  'Boolean',
  'Enum',
  'Integer',
  'Intersect',
  'KeyOf',
  'Literal',
  'Number',
  'Object',
  'Record',
  'Record of names',
  'String',
  'TemplateLiteral',
  'Union',
  'Unknown',
]);

/** Asserts that the server accepts what the library does; a schema that `defineKind` refuses is fine too. */
function expectEqualDecisions({
  schema,
  accepts,
  takesLists = false,
}: Decided): 'converted' | 'refused' {
  let stored: (value: unknown) => unknown;
  try {
    stored = storedBy(schema);
  } catch (error) {
    if (error instanceof SchemaError) return 'refused';
    throw error;
  }
  for (const value of values) {
    const spec = value === undefined ? {} : { f: value };
    const found = stored(value);
    const isAccepted = accepts(structuredClone(spec));
    // The server drops members that the schema does not declare, and a strict object refuses them.
    const isPruned = found !== refused && JSON.stringify(found) !== JSON.stringify(value);
    const isList = Array.isArray(value) && isAccepted && takesLists;
    if (isPruned || isList) continue;
    expect({ value, server: found !== refused }).toEqual({ value, server: isAccepted });
  }
  return 'converted';
}

function inZod(f: z.ZodType): Decided {
  const schema = z.object({ f });
  return { schema, accepts: (spec) => schema.safeParse(spec).success };
}

const text = z.string();
const zodFormats = {
  base64: z.base64(),
  base64url: z.base64url(),
  cidrv4: z.cidrv4(),
  cidrv6: z.cidrv6(),
  creditCard: z.creditCard(),
  cuid: z.cuid(),
  cuid2: z.cuid2(),
  currencyCode: z.currencyCode(),
  e164: z.e164(),
  email: z.email(),
  emoji: z.emoji(),
  guid: z.guid(),
  hash: z.hash('md5'),
  hex: z.hex(),
  hostname: z.hostname(),
  httpUrl: z.httpUrl(),
  iban: z.iban(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  jwt: z.jwt(),
  ksuid: z.ksuid(),
  mac: z.mac(),
  nanoid: z.nanoid(),
  ulid: z.ulid(),
  url: z.url(),
  uuid: z.uuid(),
  uuidv4: z.uuidv4(),
  uuidv6: z.uuidv6(),
  uuidv7: z.uuidv7(),
  xid: z.xid(),
  stringFormat: z.stringFormat('x', /^a/),
};
const object = z.object({ a: text });
const zodSchemas: Readonly<Record<string, z.ZodType | readonly z.ZodType[]>> = {
  ...zodFormats,
  any: z.any(),
  array: [z.array(text), z.array(text).min(1).max(1), z.array(text).nonempty()],
  bigint: z.bigint(),
  boolean: z.boolean(),
  catch: text.catch('a'),
  check: text.check((context) => void context),
  codec: z.codec(text, z.number(), { decode: Number, encode: String }),
  coerce: [z.coerce.string(), z.coerce.number(), z.coerce.boolean()],
  custom: z.custom(),
  date: z.date(),
  default: text.default('a'),
  discriminatedUnion: z.discriminatedUnion('a', [z.object({ a: z.literal('x') })]),
  endsWith: text.endsWith('a'),
  enum: z.enum(['a', 'b']),
  exactOptional: z.exactOptional(text),
  file: z.file(),
  float32: z.float32(),
  float64: z.float64(),
  function: z.custom(),
  gt: [z.number().gt(1), z.number().gt(0.5)],
  gte: [z.number().gte(1), z.number().gte(0.5)],
  includes: [text.includes('a'), text.includes('a', { position: 1 })],
  instanceof: z.instanceof(Date),
  int: z.int(),
  int32: z.int32(),
  int64: z.int64(),
  intersection: z.intersection(object, z.looseObject({})),
  invertCodec: z.invertCodec(z.codec(text, z.number(), { decode: Number, encode: String })),
  iso: [
    z.iso.date(),
    z.iso.datetime(),
    z.iso.duration(),
    z.iso.time(),
    z.iso.datetime({ local: true }),
  ],
  json: z.json(),
  keyof: z.keyof(object),
  lazy: z.lazy(() => text),
  length: [text.length(1), z.array(text).length(1)],
  literal: [z.literal('a'), z.literal(['a', 'b']), z.literal([1, 2]), z.literal(true)],
  looseObject: z.looseObject({ a: text }),
  looseRecord: [z.looseRecord(text, text), z.looseRecord(text.regex(/^a/), text)],
  lowercase: text.lowercase(),
  lt: [z.number().lt(1), z.number().lt(0.5)],
  lte: [z.number().lte(1), z.number().lte(0.5)],
  map: z.map(text, text),
  maxLength: text.max(1),
  maxSize: z.set(text).max(1),
  mime: z.file().mime('image/png'),
  minLength: text.min(2),
  minSize: z.set(text).min(1),
  multipleOf: [z.int().multipleOf(2), z.number().multipleOf(0.5)],
  nan: z.nan(),
  nativeEnum: z.enum({ A: 'a', B: 'b' } as const),
  negative: z.number().negative(),
  never: z.never(),
  nonnegative: z.number().nonnegative(),
  nonoptional: z.nonoptional(z.optional(text)),
  nonpositive: z.number().nonpositive(),
  normalize: text.normalize(),
  null: z.null(),
  nullable: z.nullable(text),
  nullish: z.nullish(text),
  number: z.number(),
  object,
  optional: z.optional(text),
  overwrite: text.overwrite((each) => each),
  partialRecord: z.partialRecord(z.enum(['a', 'b']), text),
  pipe: z.pipe(text, text),
  positive: z.number().positive(),
  prefault: z.prefault(text, 'a'),
  preprocess: z.preprocess(String, text),
  promise: z.promise(text),
  property: text.check(z.property('length', z.number().min(2))),
  properties: text,
  readonly: z.readonly(object),
  record: [z.record(text, text), z.record(z.enum(['a']), text), z.record(text.min(2), text)],
  refine: text,
  regex: [text.regex(/^a/), text.regex(/a$/)],
  set: z.set(text),
  size: z.set(text).size(1),
  slugify: text.slugify(),
  startsWith: text.startsWith('a'),
  strictObject: z.strictObject({ a: text, b: z.number().optional() }),
  string: text,
  stringbool: z.stringbool(),
  success: z.success(text),
  superRefine: text,
  symbol: z.symbol(),
  templateLiteral: z.templateLiteral(['a', z.string().max(1)]),
  toLowerCase: text.toLowerCase(),
  toUpperCase: text.toUpperCase(),
  transform: text.transform(String),
  trim: text.trim(),
  tuple: z.tuple([text]),
  uint32: z.uint32(),
  uint64: z.uint64(),
  undefined: z.undefined(),
  union: [z.union([text, z.int()]), z.union([z.literal('a'), z.literal('b')])],
  unknown: z.unknown(),
  uppercase: text.uppercase(),
  void: z.void(),
  xor: [z.xor([text, z.int()]), z.xor([text, z.literal('a')])],
};

const zodOthers = new Set([
  'clone',
  'compile',
  'config',
  'decode',
  'decodeAsync',
  'deepPartial',
  'describe',
  'encode',
  'encodeAsync',
  'flattenError',
  'formatError',
  'fromJSONSchema',
  'getDiscriminatedOption',
  'getErrorMap',
  'memoizer',
  'meta',
  'output',
  'input',
  'parse',
  'parseAsync',
  'prettifyError',
  'registry',
  'safeDecode',
  'safeDecodeAsync',
  'safeEncode',
  'safeEncodeAsync',
  'safeParse',
  'safeParseAsync',
  'setErrorMap',
  'toJSONSchema',
  'toZod',
  'treeifyError',
  'validate',
  'validateAsync',
  'withParser',
]);

const zodCases = Object.entries(zodSchemas).flatMap(([name, schemas]) =>
  (Array.isArray(schemas) ? (schemas as z.ZodType[]) : [schemas as z.ZodType]).map(
    (schema, index) => [index === 0 ? name : '', index, schema] as const,
  ),
);

describe('zod', () => {
  test('has no builder that these tests do not know', () => {
    const builders = Object.entries(z).filter(
      ([name, value]) => /^[a-z]/.test(name) && typeof value === 'function',
    );
    const unknown = builders
      .map(([name]) => name)
      .filter((name) => !Object.hasOwn(zodSchemas, name) && !zodOthers.has(name));
    expect(unknown).toEqual([]);
  });

  test.each(zodCases)('%s %i decides as the server, or is refused', (name, _index, schema) => {
    const result = expectEqualDecisions(inZod(schema));
    if (isConverted.has(name)) expect(result).toBe('converted');
  });
});

type Action = v.PipeItem<never, unknown, never>;

function inValibot(f: v.GenericSchema): Decided {
  const schema = v.object({ f });
  return {
    schema: toStandardJsonSchema(schema) as SchemaInput,
    accepts: (spec) => v.safeParse(schema, spec).success,
    takesLists: true,
  };
}

const valibotArguments: Readonly<Record<string, readonly unknown[]>> = {
  array: [v.string()],
  args: [],
  custom: [() => true],
  check: [() => true],
  checkItems: [() => true],
  brand: ['a'],
  flavor: ['a'],
  description: ['a'],
  endsWith: ['a'],
  enum: [{ A: 'a' }],
  enum_: [{ A: 'a' }],
  everyItem: [() => true],
  exactOptional: [v.string()],
  examples: [['a']],
  excludes: ['a'],
  fallback: [v.string(), 'a'],
  filterItems: [() => true],
  findItem: [() => true],
  hash: [['md5']],
  includes: ['a'],
  instance: [Date],
  intersect: [[v.string(), v.pipe(v.string(), v.minLength(2))]],
  lazy: [() => v.string()],
  literal: ['a'],
  looseObject: [{ a: v.string() }],
  looseTuple: [[v.string()]],
  map: [v.string(), v.string()],
  mapItems: [String],
  metadata: [{ title: 'a' }],
  mimeType: [['image/png']],
  nonNullable: [v.nullable(v.string())],
  nonNullish: [v.nullish(v.string())],
  nonOptional: [v.optional(v.string())],
  nullable: [v.string()],
  nullish: [v.string()],
  object: [{ a: v.string() }],
  objectWithRest: [{ a: v.string() }, v.number()],
  optional: [v.string()],
  partial: [v.object({ a: v.string() })],
  partialCheck: [[['a']], () => true],
  picklist: [['a', 'b']],
  rawCheck: [() => undefined],
  rawTransform: [String],
  record: [v.string(), v.string()],
  reduceItems: [String, ''],
  regex: [/^a/],
  required: [v.object({ a: v.string() })],
  set: [v.string()],
  someItem: [() => true],
  startsWith: ['a'],
  strictObject: [{ a: v.string() }],
  strictTuple: [[v.string()]],
  title: ['a'],
  transform: [String],
  tuple: [[v.string()]],
  tupleWithRest: [[v.string()], v.string()],
  undefinedable: [v.string()],
  union: [[v.string(), v.pipe(v.number(), v.integer())]],
  values: [['a', 'b']],
  notValues: [['a', 'b']],
  value: ['a'],
  notValue: ['a'],
  variant: ['a', [v.object({ a: v.literal('x') })]],
};

/** Calls a builder of valibot: alone, or as an action of a text, a number, a list and an object. */
function valibotSchemas(name: string): readonly v.GenericSchema[] {
  const builder = (v as unknown as Record<string, (...args: unknown[]) => unknown>)[name];
  const given = valibotArguments[name] ?? [2];
  let made: unknown;
  try {
    made = builder?.(...given);
  } catch {
    return [];
  }
  if (typeof made !== 'object' || made === null || !('kind' in made)) return [];
  if (made.kind === 'schema') return [made as v.GenericSchema];
  const bases = [v.string(), v.number(), v.array(v.string()), v.object({ a: v.string() })];
  return bases.map((base) => v.pipe(base, made as Action as never) as v.GenericSchema);
}

/** The compiler refuses an action of another type, which throws or accepts nothing. */
function isForBase(schema: v.GenericSchema): boolean {
  if (!('pipe' in schema)) return true;
  try {
    return values.some((value) => v.safeParse(schema, value).success);
  } catch {
    return false;
  }
}

describe('valibot', () => {
  const builders = Object.entries(v)
    .filter(([name, value]) => /^[a-z]/.test(name) && typeof value === 'function')
    .map(([name]) => name)
    .filter((name) => !name.endsWith('Async'));

  test.each(builders)('%s decides as the server, or is refused', (name) => {
    // An action may be one of several types; two of them show the conversion.
    const results = valibotSchemas(name)
      .filter(isForBase)
      .slice(0, 2)
      .map((schema) => expectEqualDecisions(inValibot(schema)));
    if (isConverted.has(name)) expect(results).toContain('converted');
  });
});

describe('ArkType', () => {
  const keywords = Object.keys(ark.json).map((name) => name.replace(/\.root$/, ''));

  test.each(keywords)('%s decides as the server, or is refused', (keyword) => {
    let f: unknown;
    try {
      f = type(keyword as 'string');
    } catch {
      return;
    }
    const schema = type({ f: f as 'string' });
    // Refinements are functions; only parse runs them.
    if (JSON.stringify(schema.json).includes('"predicate"')) return;
    const decided = {
      schema,
      accepts: (spec: object) => !(schema(spec) instanceof type.errors),
      takesLists: true,
    };
    const result = expectEqualDecisions(decided);
    if (isConverted.has(keyword)) expect(result).toBe('converted');
  });
});

describe('TypeBox', () => {
  const string = Type.String();
  test.each<[string, Type.TSchema]>([
    ['Any', Type.Any()],
    ['Array', Type.Array(string, { minItems: 1, uniqueItems: true })],
    ['BigInt', Type.BigInt()],
    ['Boolean', Type.Boolean()],
    ['Composite', Type.Evaluate(Type.Intersect([Type.Object({ a: string }), Type.Object({})]))],
    ['Enum', Type.Enum(['a', 'b'])],
    ['Function', Type.Function([string], string)],
    ['Immutable', Type.Immutable(Type.Array(string))],
    ['Integer', Type.Integer({ minimum: 1, multipleOf: 2 })],
    [
      'Intersect',
      Type.Intersect([Type.Object({ a: string }), Type.Object({})], {
        unevaluatedProperties: false,
      }),
    ],
    ['KeyOf', Type.KeyOf(Type.Object({ a: string, b: string }))],
    ['Literal', Type.Literal('a')],
    ['Never', Type.Never()],
    ['Null', Type.Null()],
    ['Number', Type.Number({ exclusiveMinimum: 0.5 })],
    ['Object', Type.Object({ a: string })],
    ['Record', Type.Record(string, string)],
    ['Record of numbers', Type.Record(Type.Number(), string)],
    ['Record of names', Type.Record(Type.Enum(['a', 'b']), string)],
    ['Refine', Type.Refine(string, (each) => each === 'a')],
    ['String', Type.String({ minLength: 2, pattern: '^a' })],
    ['Symbol', Type.Symbol()],
    ['TemplateLiteral', Type.TemplateLiteral('a${string}')],
    ['Tuple', Type.Tuple([string])],
    ['Undefined', Type.Undefined()],
    ['Union', Type.Union([string, Type.Integer()])],
    ['Unknown', Type.Unknown()],
    ['Void', Type.Void()],
  ])('%s decides as the server, or is refused', (name, f) => {
    const schema = Type.Object({ f });
    const decided = { schema, accepts: (spec: object) => Check(schema, spec) };
    const result = expectEqualDecisions(decided);
    if (isConverted.has(name)) expect(result).toBe('converted');
  });
});
