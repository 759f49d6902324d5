import { describe, expect, test } from '@jest/globals';
import { assert, property, string } from 'fast-check';
import { fieldHash } from './field-hash.ts';

/** FNV-1a by its definition. */
function reference(value: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(value)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash;
}

const whole = (value: string): bigint => {
  const { high, low } = fieldHash(value);
  return (BigInt(high) << 32n) | BigInt(low);
};

describe('fieldHash', () => {
  test.each([
    ['', 0xcbf29ce484222325n],
    ['a', 0xaf63dc4c8601ec8cn],
    ['foobar', 0x85944171f73967e8n],
  ])('has the value of %j that the authors of FNV publish', (value, hash) => {
    expect(whole(value)).toBe(hash);
  });

  test('is FNV-1a of the UTF-8 bytes of any text', () => {
    assert(
      property(string({ unit: 'binary' }), (value) => {
        expect(whole(value)).toBe(reference(value));
      }),
    );
  });
});
