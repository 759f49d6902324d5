import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '@keelson/apiserver';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as Type from 'typebox';
import * as v from 'valibot';
import * as z from 'zod';
import { defineKind } from '../definition/define-kind.ts';
import { InvalidObjectError } from '../parse/invalid-object-error.ts';
import type { SchemaInput } from '../standard/schema-input.ts';

const names = { group: 'shop.example', version: 'v1', kind: 'Widget', plural: 'widgets' } as const;

type Value = number | boolean | string;

/** Two objects that the values of `is` tell apart; the first requires `size`. */
const libraries: readonly (readonly [string, (one: Value, other: Value) => SchemaInput])[] = [
  [
    'zod',
    (one, other) =>
      z.discriminatedUnion('is', [
        z.object({ is: z.literal(one), size: z.int() }),
        z.object({ is: z.literal(other) }),
      ]),
  ],
  [
    'valibot',
    (one, other) =>
      toStandardJsonSchema(
        v.variant('is', [
          v.object({ is: v.literal(one), size: v.pipe(v.number(), v.integer()) }),
          v.object({ is: v.literal(other) }),
        ]),
      ),
  ],
  [
    'arktype',
    (one, other) =>
      type({ is: type.unit(one), size: 'number.integer' }).or({ is: type.unit(other) }),
  ],
  [
    'typebox',
    (one, other) =>
      Type.Union([
        Type.Object({ is: Type.Literal(one), size: Type.Integer() }),
        Type.Object({ is: Type.Literal(other) }),
      ]),
  ],
];

const values: readonly (readonly [string, Value, Value])[] = [
  ['string', 'a', 'b'],
  ['integer', 1, -2],
  ['number', 1, 2.5],
  ['boolean', true, false],
];

function casesOf(): [string, string, Value, Value, SchemaInput][] {
  return libraries.flatMap(([library, schemaOf]) =>
    values.map(([name, one, other]): [string, string, Value, Value, SchemaInput] => [
      library,
      name,
      one,
      other,
      schemaOf(one, other),
    ]),
  );
}

async function post(url: string, body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  await response.body?.cancel();
  return response.status;
}

describe('discriminated unions', () => {
  test.each(casesOf())(
    'of %s may have a discriminator of type %s',
    async (_library, typeName, one, other, union) => {
      const { crd, parse } = defineKind({ ...names, spec: union });
      const spec = crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec'];
      expect(spec?.properties?.['is']?.type).toBe(typeName);
      const choices = spec?.properties?.['is']?.enum;
      // A rule has the values of which the server would truncate one.
      if (typeName === 'number') expect(choices).toBeUndefined();
      else expect(new Set(choices)).toEqual(new Set([one, other]));

      await using server = await createApiServer();
      const api = `${server.url}/apis`;
      const definitions = `${api}/apiextensions.k8s.io/v1/customresourcedefinitions`;
      expect(await post(definitions, crd)).toBe(201);
      await server.idle();
      const send = (content: object): Promise<number> =>
        post(`${api}/shop.example/v1/namespaces/default/widgets`, widget(content));
      for (const content of [{ is: one, size: 1 }, { is: other }]) {
        expect(parse(widget(content))).toMatchObject({ spec: content });
        expect(await send(content)).toBe(201);
      }
      for (const content of [{ is: one }, { is: other, size: 1 }, { is: 7, size: 1 }]) {
        expect(() => parse(widget(content))).toThrow(InvalidObjectError);
        expect(await send(content)).toBe(422);
      }
    },
  );

  test.each(['constructor', '__proto__'])(
    'may have a property %s, which every object inherits, in one object',
    (name) => {
      const one = Type.Object({ is: Type.Literal('a'), [name]: Type.Optional(Type.Integer()) });
      const other = Type.Object({ is: Type.Literal('b') });
      const spec = Type.Union([one, other]);
      const { crd, parse } = defineKind({ ...names, spec });
      const schema = crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec'];
      expect(Object.keys(schema?.properties ?? {}).toSorted()).toEqual([name, 'is'].toSorted());
      expect(parse(widget({ is: 'a', [name]: 1 }))).toMatchObject({ spec: { is: 'a', [name]: 1 } });
      expect(parse(widget({ is: 'b' }))).toMatchObject({ spec: { is: 'b' } });
      expect(() => parse(widget({ is: 'b', [name]: 1 }))).toThrow(InvalidObjectError);
    },
  );

  test.each(libraries)(
    'of %s are refused with the discriminator if its values have several types',
    (_library, schemaOf) => {
      expect(() => defineKind({ ...names, spec: schemaOf('a', 1) })).toThrow(
        expect.objectContaining({
          code: 'SCHEMA_INVALID',
          facts: {
            path: 'defineKind.spec.properties.is.enum',
            reason: expect.stringContaining('values of different types') as unknown,
            cure: 'use values of one type',
          },
        }),
      );
    },
  );
});

/** Returns the path and the reason of the refusal, or the schema of `spec`. */
function converted(spec: SchemaInput): unknown {
  try {
    const { crd } = defineKind({ ...names, spec });
    return crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec'];
  } catch (error) {
    const { path, reason } = (error as { facts: Record<string, unknown> }).facts;
    return `${String(path)}: ${String(reason)}`;
  }
}

const a = { is: z.literal('a') };
const b = { is: z.literal('b') };

describe('the keywords of the objects of a union', () => {
  const open = { 'x-kubernetes-preserve-unknown-fields': true };

  test.each<[string, SchemaInput]>([
    ['zod', z.discriminatedUnion('is', [z.looseObject(a), z.looseObject(b)])],
    [
      'valibot',
      toStandardJsonSchema(
        v.variant('is', [
          v.looseObject({ is: v.literal('a') }),
          v.looseObject({ is: v.literal('b') }),
        ]),
      ),
    ],
    [
      'arktype',
      type({ is: "'a'", '[string]': 'unknown' }).or({ is: "'b'", '[string]': 'unknown' }),
    ],
    [
      'typebox',
      Type.Union(
        ['a', 'b'].map((each) =>
          Type.Object({ is: Type.Literal(each) }, { additionalProperties: true }),
        ),
      ),
    ],
  ])('other members are kept if every object of %s accepts them', (_library, spec) => {
    expect(converted(spec)).toMatchObject(open);
    const { parse } = defineKind({ ...names, spec });
    const given = { is: 'a', more: { deep: [1] } };
    expect(parse(widget(given))).toMatchObject({ spec: given });
  });

  test('rules hold for their objects only', () => {
    const ordered = { rule: 'self.x <= self.y', message: 'x exceeds y' };
    const fixed = { rule: "self.x == oldSelf.x || self.x == '//'.size()" };
    const first = z
      .object({ ...a, x: z.int(), y: z.int() })
      .meta({ 'x-kubernetes-validations': [ordered, fixed] });
    const spec = z.discriminatedUnion('is', [first, z.object(b)]);
    const { parse } = defineKind({ ...names, spec });
    expect(parse(widget({ is: 'b' }))).toMatchObject({ spec: { is: 'b' } });
    expect(() => parse(widget({ is: 'a', x: 2, y: 1 }))).toThrow('x exceeds y');
    const old = widget({ is: 'a', x: 1, y: 3 });
    expect(() => parse(widget({ is: 'a', x: 3, y: 3 }), { old })).toThrow('failed rule');
    expect(parse(widget({ is: 'a', x: 3, y: 3 }), { old: widget({ is: 'b' }) })).toMatchObject({});
  });

  test('descriptions, titles and examples are joined', () => {
    const spec = z.discriminatedUnion('is', [
      z
        .object({ is: z.literal('a').describe('first'), x: z.string().describe('one') })
        .meta({ description: 'A', title: 'T', examples: [{ is: 'a', x: '' }] }),
      z
        .object({ is: z.literal('b').describe('second'), x: z.string().describe('two') })
        .meta({ description: 'B' }),
    ]);
    expect(converted(spec)).toMatchObject({
      description: 'A\nB',
      title: 'T',
      example: { is: 'a', x: '' },
      properties: {
        is: { description: 'first\nsecond' },
        x: { type: 'string', description: 'one\ntwo' },
      },
    });
  });

  test.each<[string, SchemaInput, string]>([
    [
      'other members of one object',
      z.discriminatedUnion('is', [z.looseObject(a), z.object(b)]),
      'spec: additionalProperties of some objects of a union',
    ],
    [
      'other members of a type',
      z.discriminatedUnion('is', [
        z.object(a).catchall(z.string()),
        z.object(b).catchall(z.string()),
      ]),
      'spec.additionalProperties: values beside the declared properties',
    ],
    [
      'a property beside other members',
      z.discriminatedUnion('is', [z.looseObject({ ...a, x: z.int() }), z.looseObject(b)]),
      'spec.properties.x: a property that another object of a union accepts with any value',
    ],
    [
      'the number of members of one object',
      z.discriminatedUnion('is', [z.object(a).meta({ minProperties: 2 }), z.object(b)]),
      'spec: minProperties of some objects of a union',
    ],
    [
      'null in a property of one object',
      z.discriminatedUnion('is', [z.object({ ...a, x: z.string().nullable() }), z.object(b)]),
      'spec.properties.x: null in a property of some objects of a union, which CEL rules read as missing',
    ],
    [
      'a keyword of the discriminator',
      z.discriminatedUnion('is', [
        z.object({ is: z.literal('a').meta({ 'x-kubernetes-validations': [] }) }),
        z.object(b),
      ]),
      'spec.properties.is.x-kubernetes-validations: a keyword of the property that tells the objects of a union apart',
    ],
    [
      'a comment in a rule',
      z.discriminatedUnion('is', [
        z.object(a).meta({ 'x-kubernetes-validations': [{ rule: 'true // always' }] }),
        z.object(b),
      ]),
      'spec.x-kubernetes-validations: a comment in a rule of a union',
    ],
  ])('that one schema cannot have are refused: %s', (_title, spec, expected) => {
    expect(converted(spec)).toBe(`defineKind.${expected}`);
  });
});

function widget(spec: object): object {
  return {
    apiVersion: 'shop.example/v1',
    kind: 'Widget',
    metadata: { generateName: 'w-' },
    spec,
  };
}
