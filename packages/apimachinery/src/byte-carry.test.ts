import { describe, expect, test } from '@jest/globals';
import { ByteCarry, largestFrame } from './byte-carry.ts';

describe('ByteCarry', () => {
  test('gives back what was appended in parts', () => {
    const carry = new ByteCarry();
    const bytes = Buffer.from('one two');
    carry.append(bytes, 0, 3);
    carry.append(bytes, 3, 7);
    const { length } = carry;
    expect(carry.take().toString('utf8', 0, length)).toBe('one two');
    expect(carry).toHaveLength(0);
  });

  test('refuses what never ends', () => {
    const carry = new ByteCarry();
    const endless = Buffer.alloc(largestFrame);
    carry.append(endless, 0, 1);
    expect(() => carry.append(endless, 0, endless.length)).toThrow(
      expect.objectContaining({
        code: 'FRAME_TOO_LARGE',
        facts: { bytes: largestFrame + 1, most: largestFrame },
      }),
    );
  });
});
