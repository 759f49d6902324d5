import { describe, expect, test } from '@jest/globals';
import { defineKind, type StructuralSchema } from '@keelson/schema';
import { readCustomKind } from '../../types/definition/custom-kind.ts';
import { kindModuleCode, newKindOptions } from './kind-code.ts';
import { checkSample, sampleSpec } from './sample-spec.ts';
import type { ProjectKind } from './project-kinds.ts';

const names = { group: 'shop.example', version: 'v1', kind: 'Page', plural: 'pages' };

function kindWith(spec: StructuralSchema): ProjectKind {
  const crd = defineKind({ ...names, spec }).crd as object;
  return { ...readCustomKind(crd), module: 'src/page.ts', crd };
}

describe('the spec of a sample', () => {
  test('has the required members, in the forms that the schema wants', async () => {
    const kind = kindWith({
      type: 'object',
      required: ['name', 'size', 'mode', 'since', 'parts', 'on', 'nested', 'email'],
      properties: {
        name: { type: 'string', minLength: 30, maxLength: 40 },
        size: { type: 'integer', minimum: 7, exclusiveMinimum: true },
        mode: { type: 'string', enum: ['slow', 'fast'] },
        since: { type: 'string', format: 'date-time' },
        parts: { type: 'array', minItems: 2, items: { type: 'string', pattern: '^v[0-9]+$' } },
        on: { type: 'boolean' },
        nested: { type: 'object', required: ['a'], properties: { a: { type: 'number' } } },
        email: { type: 'string', format: 'email' },
        optional: { type: 'string' },
      },
    });
    expect(await sampleSpec(kind)).toEqual({
      name: 'a'.repeat(30),
      size: 8,
      mode: 'slow',
      since: '2026-01-01T00:00:00Z',
      parts: ['v1', 'v1'],
      on: true,
      nested: { a: 1 },
      email: 'me@example.com',
    });
  });

  test('is refused with the reason of the server for a rule that it does not satisfy', async () => {
    const kind = kindWith({
      type: 'object',
      required: ['code'],
      properties: { code: { type: 'string', pattern: '^[A-Z]{2}-[0-9]{4}$' } },
    });
    await expect(sampleSpec(kind)).rejects.toMatchObject({
      code: 'SAMPLE_INVALID',
      facts: { kind: 'Page', reason: expect.stringContaining('spec.code') },
    });
    await expect(checkSample(kind, { code: 'AB-1234' })).resolves.toBeUndefined();
    await expect(checkSample(kind, { code: 'AB-1234', more: 1 })).rejects.toMatchObject({
      code: 'SAMPLE_INVALID',
    });
  });
});

test('the code of a new kind has the options of its definition', () => {
  const code = kindModuleCode(names);
  const literal = /defineKind\((\{[\s\S]*?\n\})\)/.exec(code)?.[1] ?? '';
  // Names, strings and numbers only: the literal is JSON after these replacements.
  const json = literal
    .replaceAll(/'([^']*)'/g, (_, text: string) => JSON.stringify(text))
    .replaceAll(/([{,]\s*)([a-zA-Z]+):/g, '$1"$2":')
    .replaceAll(/,(\s*[}\]])/g, '$1');
  expect(JSON.parse(json)).toEqual(newKindOptions(names));
});
