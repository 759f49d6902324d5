import { describe, expect, test } from '@jest/globals';
import { murmur3, slotOf, SLOTS } from './slots.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('slots', () => {
  test.each([
    ['', 0],
    ['a', 0x3c2569b2],
    ['test', 0xba6bd213],
    ['Hello, world!', 0xc0363e43],
    ['The quick brown fox jumps over the lazy dog', 0x2e4ff723],
  ])('the hash of %j is that of MurmurHash3', (text, hash) => {
    expect(murmur3(bytes(text))).toBe(hash);
  });

  test('the hash reads the bytes of a view with an offset', () => {
    expect(murmur3(bytes('xtest').subarray(1))).toBe(murmur3(bytes('test')));
  });

  test.each([
    ['t0 to t23', (at: number) => `t${at}`, 24],
    ['tenant-000 to tenant-999', (at: number) => `tenant-${String(at).padStart(3, '0')}`, 1000],
    ['team-a/web-0 and so on', (at: number) => `team-a/web-${at}`, 5000],
    ['numbers', (at: number) => String(at), 5000],
  ])('spreads %s evenly over 2, 3 and 4 parts', (_names, nameOf, count) => {
    for (const parts of [2, 3, 4]) {
      const sizes = Array<number>(parts).fill(0);
      for (let at = 0; at < count; at += 1) {
        const part = Math.floor((slotOf(nameOf(at)) / SLOTS) * parts);
        sizes[part] = (sizes[part] ?? 0) + 1;
      }
      // Four standard deviations of a random assignment.
      const deviation = Math.sqrt((count / parts) * (1 - 1 / parts));
      for (const size of sizes) expect(Math.abs(size - count / parts)).toBeLessThan(4 * deviation);
    }
  });
});
