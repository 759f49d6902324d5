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

const intOrString: JsonSchema = { 'x-kubernetes-int-or-string': true };

describe('checkContent', () => {
  test.each<[string, JsonSchema]>([
    ['a fraction as a maximum', { type: 'number', maximum: 1.5, minimum: -1.5 }],
    ['an exclusive minimum', { type: 'number', minimum: 0.5, exclusiveMinimum: true }],
    ['fractions as choices', { type: 'number', enum: [0.5, 1.5] }],
    ['choices of an int-or-string', { ...intOrString, enum: ['auto', 1] }],
    ['the limits of int32', { type: 'integer', format: 'int32', minimum: -(2 ** 31) }],
    ['a whole multiple', { type: 'number', multipleOf: 5 }],
  ])('accepts %s', (_title, schema) => {
    expect(refusal(within(schema))).toBeUndefined();
  });

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
      'a default that breaks its own rule',
      {
        type: 'integer',
        default: 1,
        'x-kubernetes-validations': [{ rule: 'self > 1', message: 'too small' }],
      },
      `SCHEMA_INVALID ${at}.default: Invalid value: 1: too small`,
    ],
    [
      'a default that breaks a rule within it',
      {
        ...within({ type: 'string', 'x-kubernetes-validations': [{ rule: "self == 'b'" }] }),
        default: { a: 'a' },
      },
      `SCHEMA_INVALID ${at}.default: `,
    ],
    [
      'a default that no object may have at first',
      {
        type: 'integer',
        default: 1,
        'x-kubernetes-validations': [
          { rule: 'oldSelf.hasValue() || self > 1', optionalOldSelf: true },
        ],
      },
      `SCHEMA_INVALID ${at}.default: `,
    ],
    ['a default of null', { type: 'string', nullable: true, default: null }, `${at}.default: `],
    [
      'a fraction as a limit of integers',
      { type: 'integer', minimum: 0.5 },
      `SCHEMA_INVALID ${at}.minimum: a limit that is not an integer`,
    ],
    [
      'a limit beyond the format',
      { type: 'integer', format: 'int32', maximum: 2 ** 31 },
      `SCHEMA_INVALID ${at}.maximum: `,
    ],
    ['a limit beyond 64 bits', { type: 'integer', maximum: 2 ** 63 }, `${at}.maximum: `],
    [
      'a limit that the server truncates',
      { type: 'number', minimum: 0.5 },
      `SCHEMA_INVALID ${at}.minimum: a limit that the API server compares`,
    ],
    [
      'an exclusive limit that the server truncates',
      { type: 'number', maximum: 0.5, exclusiveMaximum: true },
      `${at}.maximum: `,
    ],
    ['a large limit', { type: 'number', maximum: 1e300 }, `${at}.maximum: `],
    ['a limit of an int-or-string', { ...intOrString, minimum: 0.5 }, `${at}.minimum: `],
    ['a fraction as multipleOf', { type: 'number', multipleOf: 0.5 }, `${at}.multipleOf: `],
    ['no multiple', { type: 'integer', multipleOf: 0 }, `${at}.multipleOf: `],
    [
      'an enumeration beside nullable',
      { type: 'string', nullable: true, enum: ['a'] },
      `SCHEMA_INVALID ${at}.enum: an enumeration beside nullable`,
    ],
    ['whole numbers', { type: 'number', enum: [1, 2.5] }, `${at}.enum: whole numbers`],
    ['a letter as a number', { ...intOrString, enum: ['A', 1] }, `${at}.enum: a text of one`],
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
