import { describe, expect, test } from '@jest/globals';
import { defaultValues } from './validation/default-values.ts';
import { normalFieldPath } from './rules/rule-field-path.ts';
import { PatternMatcher } from './validation/pattern-matcher.ts';
import { validateValue } from './values/validate-value.ts';

/** Names of members that every JavaScript object inherits. */
describe('fields with the names of inherited members', () => {
  test('are reported if they are required and missing', () => {
    const schema = { type: 'object', required: ['constructor'] };
    expect(validateValue(schema, {}, '', new PatternMatcher())).toEqual([
      expect.objectContaining({ field: 'constructor', reason: 'FieldValueRequired' }),
    ]);
  });

  test('are validated like other keys of a map', () => {
    const schema = { type: 'object', additionalProperties: { type: 'string' } };
    expect(
      validateValue({ ...schema, properties: {} }, { toString: 1 }, '', new PatternMatcher()),
    ).toHaveLength(1);
  });

  test('identify items of a map list', () => {
    const schema = {
      type: 'array',
      items: { type: 'object', properties: { constructor: { type: 'string', default: 'a' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['constructor'],
    };
    expect(
      validateValue(
        schema,
        [{ constructor: 'a' }, { constructor: 'a' }],
        'list',
        new PatternMatcher(),
      ),
    ).toHaveLength(1);
  });

  test('take their defaults', () => {
    const schema = {
      type: 'object',
      properties: { constructor: { type: 'string', default: 'a' } },
    };
    const object = {};
    defaultValues(schema, object);
    expect(Object.entries(object)).toEqual([['constructor', 'a']]);
  });

  test('are unknown on paths that do not declare them', () => {
    expect(normalFieldPath({ type: 'object', properties: {} }, '.valueOf')).toBeUndefined();
  });
});
