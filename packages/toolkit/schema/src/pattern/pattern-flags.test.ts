import { describe, expect, test } from '@jest/globals';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as Type from 'typebox';
import * as v from 'valibot';
import * as z from 'zod';
import { defineKind } from '../definition/define-kind.ts';
import type { SchemaInput } from '../standard/schema-input.ts';

const names = { group: 'shop.example', version: 'v1', kind: 'Widget', plural: 'widgets' } as const;

const libraries: readonly (readonly [string, (expression: RegExp) => SchemaInput])[] = [
  ['zod', (expression) => z.object({ a: z.string().regex(expression).optional() })],
  [
    'valibot',
    (expression) => toStandardJsonSchema(v.object({ a: v.pipe(v.string(), v.regex(expression)) })),
  ],
  ['arktype', (expression) => type({ a: expression })],
  ['typebox', (expression) => Type.Object({ a: Type.String({ pattern: expression }) })],
];

const refused = [/^a$/i, /^a$/m, /a.b/s, /^[a--b]$/v, /a/y, /^a$/iu, /^a$/dgi];
const kept = [/^a$/, /^a$/u, /^a$/d, /^a$/g];

function casesOf(expressions: readonly RegExp[]): [string, RegExp, SchemaInput][] {
  return libraries.flatMap(([library, schemaOf]) =>
    expressions.map((each): [string, RegExp, SchemaInput] => [library, each, schemaOf(each)]),
  );
}

function refusal(path: string, reason: string): unknown {
  const facts: unknown = expect.objectContaining({
    path,
    reason: expect.stringContaining(reason) as unknown,
    cure: expect.any(String) as unknown,
  });
  return expect.objectContaining({ code: 'SCHEMA_INVALID', facts });
}

describe('the flags of a regular expression', () => {
  test.each(casesOf(refused))(
    'that a pattern cannot express are refused: %s %s',
    (_library, expression, spec) => {
      const path = 'defineKind.spec.properties.a.pattern';
      const [flag] = expression.flags.replaceAll(/[dgu]/g, '');
      const reason = `a regular expression with the flag ${flag}: ${String(expression)}`;
      expect(() => defineKind({ ...names, spec })).toThrow(refusal(path, reason));
    },
  );

  test.each(casesOf(kept))(
    'that change nothing are dropped: %s %s',
    (_library, { source: pattern }, spec) => {
      const { crd } = defineKind({ ...names, spec });
      const found = crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec'];
      expect(found?.properties?.['a']).toEqual({ type: 'string', pattern });
    },
  );

  test.each<[string, SchemaInput, string]>([
    ['a list', z.object({ a: z.array(z.string().regex(/x/i)) }), 'properties.a.items'],
    [
      'a map',
      z.object({ a: z.record(z.string(), z.string().regex(/x/i)) }),
      'properties.a.additionalProperties',
    ],
    ['a union', z.object({ a: z.string().regex(/x/i).nullable() }), 'properties.a'],
    ['two expressions', z.object({ a: z.string().regex(/x/).regex(/y/s) }), 'properties.a'],
    [
      'an intersection',
      z.object({ a: z.string().regex(/x/i).and(z.string().regex(/x/m)) }),
      'properties.a',
    ],
    ['a format', z.object({ a: z.email({ pattern: /x/i }) }), 'properties.a'],
    ['a list of ArkType', type({ a: type(/x/i).array() }), 'properties.a.items'],
    ['a map of ArkType', type({ a: { '[string]': /x/i } }), 'properties.a.additionalProperties'],
    ['a union of ArkType', type({ a: type(/x/i).or('null') }), 'properties.a'],
    ['a definition of ArkType', type({ 'a?': type({ b: /x/i }) }), 'properties.a.properties.b'],
  ])('are refused with the path in %s', (_title, spec, path) => {
    expect(() => defineKind({ ...names, spec })).toThrow(
      refusal(`defineKind.spec.${path}.pattern`, 'with the flag'),
    );
  });

  test.each<[string, SchemaInput]>([
    ['zod', z.object({ a: z.string().regex(/x/).regex(/y/) })],
    ['arktype', type({ a: type(/x/).and(/y/) })],
  ])('two patterns of %s become a pattern and a rule', (_library, spec) => {
    const { crd } = defineKind({ ...names, spec });
    const schema = crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec'];
    expect(schema?.properties?.['a']).toEqual({
      type: 'string',
      pattern: 'x',
      'x-kubernetes-validations': [{ rule: 'self.matches("y")', message: "should match 'y'" }],
    });
  });
});
