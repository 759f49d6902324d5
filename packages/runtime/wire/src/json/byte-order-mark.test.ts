import { describe, expect, test } from '@jest/globals';
import { ByteOrderMark } from './byte-order-mark.ts';

describe('ByteOrderMark', () => {
  test('is skipped at the start of a string, in one chunk or in several', () => {
    const bytes = Buffer.from('\uFEFF{}');
    expect(new ByteOrderMark().skip(bytes, 0)).toBe(3);
    const mark = new ByteOrderMark();
    expect([mark.skip(bytes.subarray(0, 1), 0), mark.skip(bytes.subarray(1), 0)]).toEqual([1, 2]);
  });

  test('is not skipped later in the text', () => {
    const mark = new ByteOrderMark();
    expect(mark.skip(Buffer.from('{'), 0)).toBe(0);
    expect(mark.skip(Buffer.from('\uFEFF'), 0)).toBe(0);
  });
});
