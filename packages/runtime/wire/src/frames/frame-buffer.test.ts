import { describe, expect, test } from '@jest/globals';
import { FrameBuffer, MAX_FRAME_BYTES } from './frame-buffer.ts';

describe('FrameBuffer', () => {
  test('returns the bytes that were appended in parts', () => {
    const carry = new FrameBuffer();
    const bytes = Buffer.from('one two');
    carry.append(bytes, 0, 3);
    carry.append(bytes, 3, 7);
    expect(carry.take().toString()).toBe('one two');
    expect(carry).toHaveLength(0);
  });

  test('does not overwrite bytes that were taken until reuse()', () => {
    const carry = new FrameBuffer();
    const words = ['one', 'two', 'three', 'four'].map((word) => Buffer.from(word));
    for (let round = 0; round < 3; round++) {
      const taken = words.map((word) => {
        carry.append(word, 0, word.length);
        return carry.take();
      });
      expect(taken.map(String)).toEqual(words.map(String));
      carry.reuse();
    }
  });

  test('refuses a frame above the limit', () => {
    const carry = new FrameBuffer();
    const endless = Buffer.alloc(MAX_FRAME_BYTES);
    carry.append(endless, 0, 1);
    expect(() => carry.append(endless, 0, endless.length)).toThrow(
      expect.objectContaining({
        code: 'FRAME_TOO_LARGE',
        facts: { bytes: MAX_FRAME_BYTES + 1, most: MAX_FRAME_BYTES },
      }),
    );
  });
});
