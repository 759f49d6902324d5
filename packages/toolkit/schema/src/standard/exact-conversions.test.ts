import { describe, expect, test } from '@jest/globals';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as Type from 'typebox';
import { Check } from 'typebox/value';
import * as v from 'valibot';
import * as z from 'zod';
import type { SchemaInput } from './schema-input.ts';
import { refused, storedBy } from './server-decision.test-support.ts';

/** A schema, the decision of its library, and values. */
interface Case {
  readonly schema: SchemaInput;
  readonly accepts: (value: unknown) => boolean;
}

function zod(f: z.ZodType): Case {
  const schema = z.object({ f });
  return { schema, accepts: (value) => schema.safeParse({ f: value }).success };
}

function valibot(f: v.GenericSchema): Case {
  const schema = v.object({ f });
  return {
    schema: toStandardJsonSchema(schema) as SchemaInput,
    accepts: (value) => v.safeParse(schema, { f: value }).success,
  };
}

function arktype(f: unknown): Case {
  const schema = type({ f: f as 'string' });
  return { schema, accepts: (value) => !(schema({ f: value }) instanceof type.errors) };
}

function typebox(f: Type.TSchema): Case {
  const schema = Type.Object({ f });
  return { schema, accepts: (value) => Check(schema, { f: value }) };
}

const loose = z.looseObject({ a: z.int() });
const kinds = z.discriminatedUnion('t', [
  z.object({ t: z.literal('a'), x: z.int() }),
  z.object({ t: z.literal('b') }),
]);

describe('the server decides and stores as the library:', () => {
  test.each<[string, Case, readonly unknown[]]>([
    [
      'two patterns of zod',
      zod(z.string().regex(/^a/).regex(/z$/).startsWith('ab')),
      ['abz', 'az', 'ab', 'bz'],
    ],
    [
      'a pattern and a colour of valibot',
      valibot(v.pipe(v.string(), v.regex(/^#/), v.hexColor())),
      ['#zz', '#fff', 'fff'],
    ],
    [
      'a pattern and an address of valibot',
      valibot(v.pipe(v.string(), v.regex(/^a/), v.email())),
      ['ax', 'a@b.co', 'b@b.co', []],
    ],
    [
      'an address before a pattern of valibot',
      valibot(v.pipe(v.string(), v.email(), v.regex(/^a/), v.endsWith('.co'), v.includes('b'))),
      ['ax', 'a@b.co', 'b@b.co', 'a@b.com', 'a@c.co'],
    ],
    [
      'a start and a date of valibot',
      valibot(v.pipe(v.string(), v.startsWith('2'), v.isoDate())),
      ['2', '2020-01-01', '1999-01-01'],
    ],
    ...(
      [
        ['ulid', v.ulid(), '01ARZ3NDEKTSV4RRFFQ69G5FAV', '01'],
        ['nanoid', v.nanoid(), 'V1StGXR8_Z5jdHi6B-myT', '\u00e9'],
        ['digits', v.digits(), '123', '12x'],
      ] as const
    ).map(([name, action, good, bad]): [string, Case, readonly unknown[]] => [
      `a pattern and ${name} of valibot`,
      valibot(v.pipe(v.string(), v.regex(/^[^x]*$/), action as never)),
      [good, bad],
    ]),
    [
      'a brand and readonly of valibot',
      valibot(v.pipe(v.string(), v.brand('a'), v.minLength(2), v.readonly())),
      ['a', 'ab'],
    ],
    [
      'two multiples of valibot',
      valibot(v.pipe(v.number(), v.multipleOf(4), v.multipleOf(6))),
      [12, 6, 4, 24],
    ],
    ['two multiples of zod', zod(z.int().multipleOf(4).multipleOf(6)), [12, 6, 4, 24]],
    ['two patterns of ArkType', arktype(type(/^a/).and(/z$/)), ['az', 'a', 'z']],
    [
      'loose & loose',
      zod(loose.and(z.looseObject({ b: z.int() }))),
      [{ a: 1, b: 2, c: 3 }, { a: 1 }],
    ],
    ['loose & object', zod(loose.and(z.object({ b: z.int() }))), [{ a: 1, b: 2, c: 3 }, { b: 1 }]],
    ['object & loose', zod(z.object({ b: z.int() }).and(loose)), [{ a: 1, b: 2, c: 3 }, { b: 1 }]],
    ['loose & strict', zod(loose.and(z.strictObject({ b: z.int() }))), [{ a: 1, b: 2, c: 3 }]],
    [
      'object & object',
      zod(z.object({ a: z.int() }).and(z.object({ b: z.int() }))),
      [{ a: 1, b: 2 }],
    ],
    [
      'described objects',
      zod(
        z
          .object({ a: z.int() })
          .describe('x')
          .and(z.object({ b: z.int() })),
      ),
      [{ a: 1, b: 2 }, { a: 1 }],
    ],
    [
      'an object & a union',
      zod(z.object({ k: z.int() }).and(kinds)),
      [{ t: 'a', k: 1, x: 1 }, { t: 'a', k: 1 }, { t: 'b', k: 1 }, { t: 'b' }],
    ],
    [
      'a union & a loose object',
      zod(
        z
          .discriminatedUnion('t', [
            z.object({ t: z.literal('a') }),
            z.object({ t: z.literal('b') }),
          ])
          .and(z.looseObject({ k: z.int() })),
      ),
      [{ t: 'a', k: 1, q: 2 }, { t: 'c', k: 1 }, { t: 'b' }],
    ],
    [
      'a nullable object & an object',
      zod(
        z
          .object({ a: z.int() })
          .nullable()
          .and(z.object({ b: z.int() })),
      ),
      [{ a: 1, b: 2 }],
    ],
    [
      'a nullable text & a text of valibot',
      valibot(v.intersect([v.nullable(v.string()), v.pipe(v.string(), v.minLength(2))])),
      ['ab', 'a', null],
    ],
    [
      'two nullable texts of valibot',
      valibot(
        v.intersect([v.nullable(v.string()), v.nullable(v.pipe(v.string(), v.minLength(2)))]),
      ),
      ['ab', 'a', null],
    ],
    [
      'null in one part of TypeBox',
      typebox(
        Type.Intersect([
          Type.Union([Type.Object({ a: Type.String() }), Type.Null()]),
          Type.Object({ b: Type.String() }),
        ]),
      ),
      [{ a: 'x', b: 'x' }, { a: 'x' }, null],
    ],
    [
      'null among types but not among values',
      typebox(Type.Unsafe({ type: ['string', 'null'], enum: ['a'] })),
      ['a', 'b', null],
    ],
    ['enumerations', zod(z.enum(['a', 'b']).and(z.enum(['b', 'c']))), ['a', 'b', 'c']],
    ['a constant & values', zod(z.literal('b').and(z.enum(['b', 'c']))), ['b', 'c']],
    ['an exclusive union of types', zod(z.xor([z.int(), z.string()])), [1, 'a', true]],
    [
      'an exclusive union of constants',
      zod(z.xor([z.literal('a'), z.literal('b')])),
      ['a', 'b', 'c'],
    ],
    [
      'an exclusive union of objects with constants',
      typebox(
        Type.Unsafe({
          oneOf: [
            Type.Object({ t: Type.Literal('a'), x: Type.Integer() }),
            Type.Object({ t: Type.Literal('b') }),
          ],
        }),
      ),
      [{ t: 'a', x: 1 }, { t: 'a' }, { t: 'b' }],
    ],
    [
      'a variant of valibot whose objects overlap',
      valibot(
        v.variant('t', [
          v.object({ t: v.literal('a'), x: v.number() }),
          v.object({ t: v.literal('b'), x: v.number() }),
        ]),
      ),
      [{ t: 'a', x: 1 }, { t: 'b' }],
    ],
    [
      'an int-or-string with a pattern',
      typebox(Type.Unsafe({ type: ['integer', 'string'], pattern: String.raw`^\d+$` })),
      [1, '1', 'a'],
    ],
    [
      'an exhaustive record with a default',
      zod(z.record(z.enum(['p', 'q']), z.int().default(1))),
      [{}, { p: 2 }],
    ],
  ])('%s', (title, { schema, accepts }, values) => {
    const stored = storedBy(schema);
    for (const value of values) {
      const found = stored(value);
      expect({ value, accepted: found !== refused }).toEqual({ value, accepted: accepts(value) });
      const isKept = found === refused || title.includes('default');
      if (!isKept) expect(found).toEqual(value);
    }
  });
});
