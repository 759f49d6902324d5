import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { JsonValue } from '@keelson/structural-schema';
import { mergePatch } from './merge-patch.ts';

// The examples of RFC 7386, appendix A.
const examples: [JsonValue, JsonValue, JsonValue][] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

const json = fc.jsonValue() as fc.Arbitrary<JsonValue>;

describe('mergePatch', () => {
  test.each(examples)('%j merged with %j is %j', (target, patch, expected) => {
    expect(mergePatch(target, patch)).toEqual(expected);
  });

  test('property: a second application of a patch changes nothing', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = mergePatch(target, patch);
        expect(mergePatch(once, patch)).toEqual(once);
      }),
    );
  });

  test('property: the empty patch leaves an object unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), (target) => {
        expect(mergePatch(target, {})).toEqual(target);
      }),
    );
  });

  test('the result shares no objects with target or patch, and both stay unchanged', () => {
    const target = { a: { b: 1 } };
    const patch = { c: { d: 1 } };
    const merged = mergePatch(target, patch) as { a: { b: number }; c: { d: number } };
    merged.a.b = 2;
    merged.c.d = 2;
    expect([target, patch]).toEqual([{ a: { b: 1 } }, { c: { d: 1 } }]);
  });

  test('a member named __proto__ does not change the prototype', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true}}') as JsonValue;
    expect(Object.keys(mergePatch({}, patch) as object)).toEqual(['__proto__']);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
