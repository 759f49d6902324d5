import { describe, expect, test } from '@jest/globals';
import { createApiServer } from '@keelson/apiserver';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as Type from 'typebox';
import * as v from 'valibot';
import * as z from 'zod';
import { defineKind } from '../kind/define-kind.ts';
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
      expect(new Set(spec?.properties?.['is']?.enum)).toEqual(new Set([one, other]));

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

function widget(spec: object): object {
  return {
    apiVersion: 'shop.example/v1',
    kind: 'Widget',
    metadata: { generateName: 'w-' },
    spec,
  };
}
