import { describe, expect, test } from '@jest/globals';
import type { JsonSchema } from './json-schema.ts';
import { unknownMembers } from './unknown-members.ts';

const known: JsonSchema = { type: 'object', properties: { a: { type: 'string' } } };

describe('unknownMembers', () => {
  test.each<[string, JsonSchema, object, string[]]>([
    ['a member of an object', known, { a: 1, b: 2 }, ['spec.b']],
    ['an inherited name', known, { constructor: 1 }, ['spec.constructor']],
    ['a member of an item', { type: 'array', items: known }, [{ a: 1 }, { b: 2 }], ['spec[1].b']],
    [
      'a member of a value of a map',
      { type: 'object', additionalProperties: known },
      { x: { b: 1 } },
      ['spec.x.b'],
    ],
    ['every member of an object without properties', { type: 'object' }, { a: 1 }, ['spec.a']],
    ['no member of a map of any values', { additionalProperties: true }, { a: 1 }, []],
    [
      'an inner member of an object that keeps unknown members',
      { properties: { a: known }, 'x-kubernetes-preserve-unknown-fields': true },
      { a: { b: 1 }, c: 1 },
      ['spec.a.b'],
    ],
    [
      'a member of an embedded resource, apart from those of every object',
      { ...known, 'x-kubernetes-embedded-resource': true },
      { apiVersion: 'v1', kind: 'A', metadata: {}, b: 1 },
      ['spec.b'],
    ],
    ['no character of a text', { type: 'string' }, ['a'], []],
  ])('finds %s', (_title, schema, value, expected) => {
    expect(unknownMembers(schema, value as never, 'spec').map(({ path }) => path)).toEqual(
      expected,
    );
  });
});
