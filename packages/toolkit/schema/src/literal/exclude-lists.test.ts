import { describe, expect, test } from '@jest/globals';
import type { StructuralSchema } from './structural-schema.ts';
import { defineKind } from '../definition/define-kind.ts';
import type { KeywordsByPath } from '../standard/keywords-by-path.ts';
import type { SchemaInput } from '../standard/schema-input.ts';
import * as z from 'zod';

const names = { group: 'shop.example', version: 'v1', kind: 'Widget', plural: 'widgets' } as const;
const text = { type: 'string' } as const;

function kindOf(f: SchemaInput, keywords: KeywordsByPath = {}) {
  const isZod = '~standard' in f;
  const spec = isZod
    ? z.object({ f: f as z.ZodType })
    : { type: 'object', properties: { f: f as StructuralSchema } };
  return defineKind({ ...names, spec: spec as SchemaInput, keywords });
}

function schemaOf({ crd }: ReturnType<typeof kindOf>): unknown {
  const spec = crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec'];
  return spec?.properties?.['f'];
}

function fieldsRefused({ parse }: ReturnType<typeof kindOf>, f: unknown): unknown {
  try {
    parse({ metadata: { name: 'a' }, spec: { f } });
    return [];
  } catch (error) {
    return (error as { causes: { field: string }[] }).causes.map(({ field }) => field);
  }
}

// kube-apiserver 1.36.3 accepts a list for each of these texts without the limits of items, and refuses it with them.
describe('a text with a format', () => {
  test.each([
    ['email', 'a@b.co'],
    ['date-time', '2020-01-01T00:00:00Z'],
    ['byte', '++//'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000'],
    ['password', 'x'],
  ])('excludes lists beside the format %s', (format, valid) => {
    const kind = kindOf({ ...text, format });
    expect(schemaOf(kind)).toEqual({ ...text, format, minItems: 1, maxItems: 0 });
    expect(fieldsRefused(kind, valid)).toEqual([]);
    for (const list of [[], ['x'], [1, {}], [[]]]) {
      expect(fieldsRefused(kind, list)).toContain('spec.f');
    }
  });

  test('excludes lists in lists, maps and beside rules', () => {
    const email = { ...text, format: 'email' } as const;
    const excluded = { ...email, minItems: 1, maxItems: 0 };
    const list = kindOf({ type: 'array', items: email });
    expect(schemaOf(list)).toEqual({ type: 'array', items: excluded });
    expect(fieldsRefused(list, [['a']])).toEqual(['spec.f[0]']);
    const map = kindOf({ type: 'object', additionalProperties: email });
    expect(schemaOf(map)).toEqual({ type: 'object', additionalProperties: excluded });
    const rules = [{ rule: "self != 'x'", message: 'm' }];
    const ruled = kindOf({ ...email, maxLength: 9, 'x-kubernetes-validations': rules });
    expect(fieldsRefused(ruled, [])).toContain('spec.f');
  });

  test('excludes lists for a format that the option keywords adds', () => {
    const kind = kindOf(z.string(), { 'spec.properties.f': { format: 'date-time' } });
    expect(schemaOf(kind)).toEqual({ ...text, format: 'date-time', minItems: 1, maxItems: 0 });
  });

  test.each([
    ['email', z.email()],
    ['ipv4', z.ipv4()],
    ['uuid', z.uuid()],
    ['datetime', z.iso.datetime()],
    ['mac', z.mac()],
  ])('of zod has the pattern of %s alone', (_name, schema) => {
    const kind = kindOf(schema);
    expect(schemaOf(kind)).toEqual({ ...text, pattern: expect.any(String) as unknown });
    expect(fieldsRefused(kind, [])).toEqual(['spec.f']);
  });

  test('keeps the formats of numbers as they are', () => {
    expect(schemaOf(kindOf({ type: 'integer', format: 'int32' }))).toEqual({
      type: 'integer',
      format: 'int32',
    });
  });
});
