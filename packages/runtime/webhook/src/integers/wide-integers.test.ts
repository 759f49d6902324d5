import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { parseExactly } from './exact-json.ts';
import { WideIntegers } from './wide-integers.ts';

const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

/** The text of a value in which the integers of an object have their digits again. */
function restored(object: string, value: unknown): string {
  return JSON.stringify(new WideIntegers([parseExactly(object)], 'w').restore(value));
}

describe('WideIntegers', () => {
  test.each([
    ['{"a":9007199254740993}', { b: 9007199254740992 }, '{"b":9007199254740993}'],
    ['{"a":-9007199254740993}', [[-9007199254740992]], '[[-9007199254740993]]'],
    ['{"a":9223372036854775807}', { a: 2 ** 63 }, '{"a":9223372036854775807}'],
    ['{"a":9007199254740993}', { a: 2 ** 53 + 4, b: 1.5 }, '{"a":9007199254740996,"b":1.5}'],
    ['{"a":9007199254740993}', { a: '9007199254740992 s' }, '{"a":"9007199254740993 s"}'],
    ['{"a":9007199254740993,"b":"9007199254740993"}', 2 ** 53, '9007199254740993'],
    [
      '{"n":9007199254740997,"a":"{\\"x\\":9007199254740993}"}',
      { x: 2 ** 53 },
      '{"x":9007199254740993}',
    ],
    ['{"a":9007199254740993}', { a: 'b9007199254740992' }, '{"a":"b9007199254740992"}'],
  ])('restores the digits of %s', (object, value, text) => {
    expect(restored(object, value)).toBe(text);
  });

  test('keeps a text that the object has', () => {
    const object = '{"a":9007199254740993,"b":"at 9007199254740992"}';
    expect(restored(object, { b: 'at 9007199254740992' })).toBe('{"b":"at 9007199254740992"}');
  });

  test('refuses a number to which two integers are rounded', () => {
    const object = '{"a":9007199254740993,"b":[9007199254740992]}';
    expect(restored(object, { a: 1 })).toBe('{"a":1}');
    expect(() => restored(object, { a: 9007199254740992 })).toThrow(
      expect.objectContaining({ code: 'WEBHOOK_RESULT' }),
    );
  });

  test('restores any object that was parsed, or refuses it', () => {
    const digits = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
    const text = fc
      .dictionary(fc.string(), fc.array(fc.oneof(digits, fc.constant('"a"'), fc.constant('{}'))))
      .map((members) => {
        const all = Object.entries(members);
        return `{${all.map(([name, items]) => `${JSON.stringify(name)}:[${items.join(',')}]`).join(',')}}`;
      });
    fc.assert(
      fc.property(text, (object) => {
        const value: unknown = JSON.parse(object);
        try {
          expect(restored(object, value)).toBe(JSON.stringify(parseExactly(object) ?? value));
        } catch (error) {
          if (!(error instanceof Error && 'code' in error)) throw error;
          const integers = [...new Set(object.match(/-?\d{16,}/g))];
          expect(new Set(integers.map(Number)).size).toBeLessThan(integers.length);
        }
      }),
      { numRuns: Math.ceil(500 * multiple) },
    );
  });
});

describe('parseExactly', () => {
  test.each([
    '{"a":9007199254740991}',
    '{"a":"9007199254740993"}',
    '{"a":9007199254740993.5}',
    '{"a":1e300}',
    '{"a":0.12345678901234567890}',
  ])('has no result for %s', (text) => {
    expect(parseExactly(text)).toBeUndefined();
  });
});
