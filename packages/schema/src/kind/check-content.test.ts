import { describe, expect, test } from '@jest/globals';
import type { JsonSchema, JsonValue } from '@keelson/structural-schema';
import { SchemaError } from '../errors.ts';
import { checkContent } from './check-content.ts';

function refusal(spec: JsonSchema, validations: object[] = []): string | undefined {
  const root = { type: 'object', properties: { spec }, 'x-kubernetes-validations': validations };
  try {
    checkContent(root, 'defineKind');
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    const { path, reason } = error.facts;
    return `${error.code} ${String(path)}: ${String(reason)}`;
  }
  return undefined;
}

function within(schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { a: schema } };
}

const at = 'defineKind.spec.properties.a';

describe('checkContent', () => {
  test('accepts a default with a pattern and a rule', () => {
    const rules = [{ rule: 'self.startsWith("a")', messageExpression: '"not " + self' }];
    const text = {
      type: 'string',
      pattern: '^a',
      default: 'ab',
      'x-kubernetes-validations': rules,
    };
    expect(refusal(within(text), [{ rule: 'self.spec.a != self.metadata.name' }])).toBeUndefined();
  });

  test.each<[string, JsonSchema, string]>([
    ['a pattern', { type: 'string', pattern: '(?=a)' }, `SCHEMA_INVALID ${at}.pattern: `],
    ['a default', { type: 'string', default: 1 }, `SCHEMA_INVALID ${at}.default: Invalid value`],
    [
      'an unknown field of a default',
      { ...within({ type: 'string' }), default: { b: 1 } satisfies JsonValue },
      `SCHEMA_INVALID ${at}.default: unknown field default.b`,
    ],
    [
      'a message of two lines',
      { type: 'string', 'x-kubernetes-validations': [{ rule: 'true', message: 'a\nb' }] },
      `RULE_INVALID ${at}.x-kubernetes-validations[0].message: Invalid value`,
    ],
    [
      'a path of no field',
      { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.b' }] },
      `RULE_INVALID ${at}.x-kubernetes-validations[0].fieldPath: Invalid value`,
    ],
    [
      'a rule in the values of a map',
      {
        type: 'object',
        additionalProperties: {
          type: 'integer',
          'x-kubernetes-validations': [{ rule: 'self == "1"' }],
        },
      },
      `RULE_INVALID ${at}.additionalProperties.x-kubernetes-validations[0].rule: Invalid value`,
    ],
    [
      'an old value of an item without keys',
      {
        type: 'array',
        maxItems: 3,
        items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
      },
      `RULE_INVALID ${at}.items.x-kubernetes-validations[0].rule: Invalid value`,
    ],
  ])('refuses %s', (_title, schema, expected) => {
    expect(refusal(within(schema))).toContain(expected);
  });

  test('names a rule of the whole object by the option', () => {
    const rules = [{ rule: 'self.lost' }];
    expect(refusal(within({ type: 'string' }), rules)).toContain(
      'RULE_INVALID defineKind.validations[0].rule: ',
    );
  });
});
