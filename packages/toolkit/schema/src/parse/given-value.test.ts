import { describe, expect, test } from '@jest/globals';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import * as z from 'zod';
import { defineKind } from '../definition/define-kind.ts';
import type { SchemaInput } from '../standard/schema-input.ts';

const names = { group: 'shop.example', version: 'v1', kind: 'Widget', plural: 'widgets' } as const;

function parserOf(spec: SchemaInput): (value: object, options?: object) => unknown {
  const { parse } = defineKind({ ...names, spec });
  return (value, options) => parse({ metadata: { name: 'a' }, spec: value }, options).spec;
}

describe('the library reads what the caller gave', () => {
  test.each<[string, SchemaInput]>([
    ['zod', z.object({ f: z.number() })],
    ['valibot', toStandardJsonSchema(v.object({ f: v.number() }))],
    ['arktype', type({ f: 'number' })],
  ])('large numbers stay numbers for %s', (_library, spec) => {
    for (const f of [1e16, 2 ** 53, -(2 ** 60), 1e300, 1.5]) {
      expect(parserOf(spec)({ f })).toEqual({ f });
    }
  });

  test('defaults of the server are missing', () => {
    const spec = z.strictObject({ a: z.string().optional() }).refine(({ a }) => a === undefined);
    const keywords = { 'spec.properties.a': { default: 'x' } };
    const { parse } = defineKind({ ...names, spec, keywords });
    expect(parse({ metadata: { name: 'a' }, spec: {} }).spec).toEqual({ a: 'x' });
    expect(() => parse({ metadata: { name: 'a' }, spec: { a: 'x' } })).toThrow('spec: Invalid');
  });

  test('null in the place of a missing value is refused by the library', () => {
    const spec = z.object({ a: z.string().optional() });
    expect(() => parserOf(spec)({ a: null })).toThrow('spec.a');
  });

  test('members without a value are missing, and unknown fields are dropped on request', () => {
    const spec = z.strictObject({ a: z.string().optional() });
    expect(parserOf(spec)({ a: undefined })).toEqual({});
    expect(parserOf(spec)({ b: 1 }, { unknownFields: 'drop' })).toEqual({});
    expect(() => parserOf(spec)({ b: 1 })).toThrow('spec.b: Forbidden: unknown field');
  });

  test('a member that the update leaves unchanged is not validated by the library', () => {
    const spec = z.object({ a: z.string().refine((text) => text !== 'old') });
    const { parse } = defineKind({ ...names, spec });
    const object = { metadata: { name: 'a' }, spec: { a: 'old' } };
    expect(parse(object, { old: object }).spec).toEqual({ a: 'old' });
  });
});
