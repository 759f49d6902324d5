import { describe, expect, test } from '@jest/globals';
import type { ObjectOf } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as Type from 'typebox';
import * as v from 'valibot';
import * as z from 'zod';
import { defineKind } from '../definition/define-kind.ts';
import type { CustomResourceDefinition } from '../kind/single-kind.ts';
import { InvalidObjectError } from '../parse/invalid-object-error.ts';
import type { SchemaInput } from './schema-input.ts';

const names = { group: 'shop.example', version: 'v1', kind: 'Widget', plural: 'widgets' } as const;
const portList = {
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
} as const;
const rules = { 'x-kubernetes-validations': [{ rule: 'self.size < 10', message: 'too large' }] };

const zod = z
  .object({
    size: z.int().min(1),
    colour: z.enum(['red', 'green']).default('red'),
    note: z.string().nullable().optional(),
    target: z.union([z.int(), z.string()]),
    labels: z.record(z.string(), z.string()),
    ports: z
      .array(z.object({ name: z.string(), port: z.number().gt(0).optional() }))
      .meta(portList),
    source: z.discriminatedUnion('type', [
      z.object({ type: z.literal('git'), url: z.string() }),
      z.object({ type: z.literal('none') }),
    ]),
    extra: z.unknown().optional(),
  })
  .meta(rules);

const valibot = toStandardJsonSchema(
  v.pipe(
    v.object({
      size: v.pipe(v.number(), v.integer(), v.minValue(1)),
      colour: v.optional(v.picklist(['red', 'green']), 'red'),
      note: v.optional(v.nullable(v.string())),
      target: v.union([v.pipe(v.number(), v.integer()), v.string()]),
      labels: v.record(v.string(), v.string()),
      ports: v.pipe(
        v.array(v.object({ name: v.string(), port: v.optional(v.pipe(v.number(), v.gtValue(0))) })),
        v.metadata({ ...portList, 'x-kubernetes-list-map-keys': ['name'] }),
      ),
      source: v.variant('type', [
        v.object({ type: v.literal('git'), url: v.string() }),
        v.object({ type: v.literal('none') }),
      ]),
      extra: v.optional(v.unknown()),
    }),
    v.metadata(rules),
  ),
);

const arktype = type({
  size: 'number.integer >= 1',
  colour: "'red' | 'green' = 'red'",
  'note?': 'string | null',
  target: 'number.integer | string',
  labels: { '[string]': 'string' },
  ports: type({ name: 'string', 'port?': 'number > 0' }).array(),
  source: type({ type: "'git'", url: 'string' }).or({ type: "'none'" }),
  'extra?': 'unknown',
});

const typebox = Type.Object(
  {
    size: Type.Integer({ minimum: 1 }),
    colour: Type.Optional(Type.Enum(['red', 'green'], { default: 'red' })),
    note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    target: Type.Union([Type.Integer(), Type.String()]),
    labels: Type.Record(Type.String(), Type.String()),
    ports: Type.Array(
      Type.Object({
        name: Type.String(),
        port: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
      }),
      portList,
    ),
    source: Type.Union([
      Type.Object({ type: Type.Literal('git'), url: Type.String() }),
      Type.Object({ type: Type.Literal('none') }),
    ]),
    extra: Type.Optional(Type.Unknown()),
  },
  rules,
);

const libraries: readonly (readonly [string, SchemaInput])[] = [
  ['zod', zod],
  ['valibot', valibot],
  ['typebox', typebox],
  ['arktype', arktype],
];

/** ArkType writes neither metadata nor defaults as JSON Schema, so that the option has them. */
function keywordsFor(library: string): object {
  const colour = { default: 'red' };
  const keywords = {
    spec: rules,
    'spec.properties.ports': portList,
    'spec.properties.colour': colour,
  };
  return library === 'arktype' ? { keywords } : {};
}

function kindOf(library: string, spec: SchemaInput): ReturnType<typeof defineKind> {
  return defineKind({ ...names, spec, ...keywordsFor(library) });
}

const source = {
  type: 'object',
  required: ['type'],
  properties: { type: { type: 'string', enum: ['git', 'none'] }, url: { type: 'string' } },
  'x-kubernetes-validations': [
    {
      rule: '!(self.type in ["git"]) || has(self.url)',
      message: 'is required if type is git',
      reason: 'FieldValueRequired',
      fieldPath: '.url',
    },
    {
      rule: 'self.type in ["git"] || !has(self.url)',
      message: 'is allowed only if type is git',
      reason: 'FieldValueForbidden',
      fieldPath: '.url',
    },
  ],
};

const structural = {
  type: 'object',
  required: ['labels', 'ports', 'size', 'source', 'target'],
  properties: {
    size: { type: 'integer', minimum: 1 },
    colour: { type: 'string', enum: ['green', 'red'], default: 'red' },
    note: { type: 'string', nullable: true },
    target: { 'x-kubernetes-int-or-string': true },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    ports: {
      type: 'array',
      ...portList,
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          port: { type: 'number', minimum: 0, exclusiveMinimum: true },
        },
      },
    },
    source,
    extra: { 'x-kubernetes-preserve-unknown-fields': true, nullable: true },
  },
  ...rules,
};

/** The integers of zod are those that JavaScript can represent. */
const integers = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const boundedStructural = {
  ...structural,
  properties: {
    ...structural.properties,
    size: { ...integers, ...structural.properties.size },
    target: { ...integers, ...structural.properties.target },
  },
};

function specOf(crd: CustomResourceDefinition): unknown {
  const [version] = crd.spec.versions;
  return version?.schema?.openAPIV3Schema?.properties?.['spec'];
}

/** Sorts the lists of a schema whose order has no meaning. */
function sorted(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member: unknown) =>
    ['required', 'enum'].includes(key) ? sortedTexts(member as string[]) : member,
  );
  return JSON.parse(text);
}

function sortedTexts(texts: readonly string[]): string[] {
  return texts.toSorted((one, other) => one.localeCompare(other));
}

async function post(url: string, body: object): Promise<{ status: number; body: unknown }> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

const valid = { size: 2, target: 'http', labels: { a: 'b' }, ports: [], source: { type: 'none' } };

/** Never executed: the test is that the compiler accepts or rejects each line. */
function compiles(): void {
  const ofZod = defineKind({ ...names, spec: zod }).resource;
  const ofValibot = defineKind({ ...names, spec: valibot }).resource;
  const ofArktype = defineKind({ ...names, spec: arktype }).resource;
  const ofTypebox = defineKind({ ...names, spec: typebox }).resource;
  type Specs = [
    ObjectOf<typeof ofZod>['spec'],
    ObjectOf<typeof ofValibot>['spec'],
    ObjectOf<typeof ofArktype>['spec'],
    ObjectOf<typeof ofTypebox>['spec'],
  ];
  const ports = [{ name: 'web', port: 80 }];
  const spec = { size: 1, colour: 'red' as const, target: 80, labels: {}, ports, note: null };
  const git = { type: 'git' as const, url: 'x' };
  const accepted: Specs = [
    { ...spec, source: git },
    { ...spec, source: git },
    { ...spec, source: git },
    { ...spec, source: git },
  ];
  expect(accepted).toHaveLength(4);
  // @ts-expect-error size is a number
  const [wrongZod]: [Specs[0]] = [{ ...spec, source: git, size: '1' }];
  // @ts-expect-error no such colour
  const [wrongValibot]: [Specs[1]] = [{ ...spec, source: git, colour: 'blue' }];
  // @ts-expect-error the values of the map are strings
  const [wrongArktype]: [Specs[2]] = [{ ...spec, source: git, labels: { a: 1 } }];
  // @ts-expect-error url is required
  const [wrongTypebox]: [Specs[3]] = [{ ...spec, source: { type: 'git' } }];
  expect([wrongZod, wrongValibot, wrongArktype, wrongTypebox]).toHaveLength(4);
}

describe('schemas of libraries', () => {
  test('give the types of their output', () => {
    expect(compiles).toBeInstanceOf(Function);
  });

  test.each(libraries)('%s gives the structural schema', (library, schema) => {
    const { crd } = kindOf(library, schema);
    expect(sorted(specOf(crd))).toEqual(sorted(library === 'zod' ? boundedStructural : structural));
  });

  test.each(libraries)('the API server accepts the definition of %s', async (library, schema) => {
    await using server = await createApiServer();
    const { crd, parse } = kindOf(library, schema);
    const definitions = `${server.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
    expect(await post(definitions, crd)).toMatchObject({ status: 201 });
    await server.idle();
    const widgets = `${server.url}/apis/shop.example/v1/namespaces/default/widgets`;
    const object = { ...kindAndName('a'), spec: valid };
    expect(parse(object)).toMatchObject({ spec: { ...valid, colour: 'red' } });
    expect(await post(widgets, object)).toMatchObject({
      status: 201,
      body: { spec: { colour: 'red' } },
    });
    for (const change of [
      { size: 11 },
      { source: { type: 'git' } },
      { source: { type: 'none', url: 'x' } },
      { target: true },
    ]) {
      const refused = { ...kindAndName('b'), spec: { ...valid, ...change } };
      expect(await post(widgets, refused)).toMatchObject({ status: 422 });
      expect(() => parse(refused)).toThrow(InvalidObjectError);
    }
  });

  const isOrdered = ({ from, to }: { from: number; to: number }): boolean => from <= to;
  const refined: readonly (readonly [string, SchemaInput])[] = [
    [
      'zod',
      z
        .object({ from: z.int(), to: z.int() })
        .refine(isOrdered, { message: 'from exceeds to', path: ['from'] }),
    ],
    [
      'valibot',
      toStandardJsonSchema(
        v.pipe(
          v.object({ from: v.number(), to: v.number() }),
          v.forward(v.check(isOrdered, 'from exceeds to'), ['from']),
        ),
      ),
    ],
    [
      'arktype',
      type({ from: 'number', to: 'number' }).narrow(
        (value, context) =>
          isOrdered(value) || context.reject({ path: ['from'], message: 'from exceeds to' }),
      ),
    ],
  ];

  test.each(refined)('a refinement of %s is checked by parse', (_library, spec) => {
    const { parse } = defineKind({ ...names, spec });
    expect(parse({ ...kindAndName('a'), spec: { from: 1, to: 2 } }).spec).toEqual({
      from: 1,
      to: 2,
    });
    const cause = {
      reason: 'FieldValueInvalid',
      field: 'spec.from',
      message: 'Invalid value: from exceeds to',
    };
    expect(() => parse({ ...kindAndName('a'), spec: { from: 2, to: 1 } })).toThrow(
      expect.objectContaining({ causes: [cause] }),
    );
  });

  test('an asynchronous refinement is refused by parse', () => {
    const spec = z.object({}).refine(() => Promise.resolve(true));
    const { parse } = defineKind({ ...names, spec });
    expect(() => parse({ ...kindAndName('a'), spec: {} })).toThrow(/asynchronous/);
  });

  test.each<[string, SchemaInput, string, string]>([
    ['a date', z.object({ at: z.date() }), 'defineKind.spec', 'Date cannot be represented'],
    [
      'a transformation',
      toStandardJsonSchema(v.object({ at: v.pipe(v.string(), v.transform(Number)) })),
      'defineKind.spec.properties.at',
      'transform',
    ],
    [
      'a transformation to another type',
      z.object({ at: z.string().transform(Number).pipe(z.int()) }),
      'defineKind.spec.properties.at',
      'a transformation from "string" to "integer"',
    ],
    [
      'a recursive schema',
      z.object({
        get next(): z.ZodOptional<z.ZodUnknown> {
          return recursive.optional() as never;
        },
      }),
      'defineKind.spec.properties.next.properties.next',
      'contains itself',
    ],
    [
      'a default that the library omits',
      arktype,
      'defineKind.spec.properties.colour',
      'the JSON Schema of the library omits',
    ],
    [
      'a tuple',
      z.object({ pair: z.tuple([z.string(), z.int()]) }),
      'defineKind.spec.properties.pair.prefixItems',
      'cannot express',
    ],
    ['a date of ArkType', type({ at: 'Date' }), 'defineKind.spec', '(date)'],
    [
      'a date that ArkType parses',
      type({ at: 'string.date.parse' }),
      'defineKind.spec.properties.at',
      'a transformation',
    ],
    ['a bigint of ArkType', type({ at: 'bigint' }), 'defineKind.spec', '(domain)'],
    [
      'a tuple of TypeBox',
      Type.Object({ pair: Type.Tuple([Type.String(), Type.Integer()]) }),
      'defineKind.spec.properties.pair.items',
      'a tuple',
    ],
  ])('%s is refused with its path', (_title, spec, path, reason) => {
    expect(() => defineKind({ ...names, spec })).toThrow(
      expect.objectContaining({
        code: 'SCHEMA_INVALID',
        facts: expect.objectContaining({
          path,
          reason: expect.stringContaining(reason) as unknown,
        }) as unknown,
      }),
    );
  });

  test('keywords name a part of the schema', () => {
    const keywords = { 'spec.properties.lost': { maxLength: 1 } };
    expect(() => defineKind({ ...names, spec: zod, keywords })).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});

const recursive = z.object({
  get next(): z.ZodOptional<z.ZodUnknown> {
    return recursive.optional() as never;
  },
});

function kindAndName(name: string): object {
  return { apiVersion: 'shop.example/v1', kind: 'Widget', metadata: { name } };
}
