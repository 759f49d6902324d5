import * as fc from 'fast-check';

/**
 * Generates any text of Unicode. `fc.string({ unit: 'binary' })` would make a table of a million characters first,
 * which costs two seconds in each test file.
 */
export function anyText(maxLength = 10): fc.Arbitrary<string> {
  const codePoint = fc.oneof(
    fc.integer({ max: 0xd7ff, min: 0 }),
    fc.integer({ max: 0x10_ffff, min: 0xe000 }),
  );
  return fc
    .array(codePoint, { maxLength })
    .map((codePoints) => String.fromCodePoint(...codePoints));
}
