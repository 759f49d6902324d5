import { describe, expect, test } from '@jest/globals';
import { defaultValues } from './default-values.ts';
import { normalFieldPath } from '../../rules/rule-field-path.ts';
import { PatternCache } from './pattern-cache.ts';
import { validateValue } from './validate-value.ts';

/** Every object of JavaScript seems to have these. */
describe('fields named like what objects inherit', () => {
  test('are missing where they are required and not there', () => {
    const schema = { type: 'object', required: ['constructor'] };
    expect(validateValue(schema, {}, '', new PatternCache())).toEqual([
      expect.objectContaining({ field: 'constructor', reason: 'FieldValueRequired' }),
    ]);
  });

  test('are checked like any other key of a map', () => {
    const schema = { type: 'object', additionalProperties: { type: 'string' } };
    expect(
      validateValue({ ...schema, properties: {} }, { toString: 1 }, '', new PatternCache()),
    ).toHaveLength(1);
  });

  test('tell the items of a map list apart', () => {
    const schema = {
      type: 'array',
      items: { type: 'object', properties: { constructor: { type: 'string', default: 'a' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['constructor'],
    };
    expect(
      validateValue(schema, [{}, { constructor: 'a' }], 'list', new PatternCache()),
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

  test('are no fields of a path that does not declare them', () => {
    expect(normalFieldPath({ type: 'object', properties: {} }, '.valueOf')).toBeUndefined();
  });
});
