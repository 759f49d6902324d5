import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { largestFit } from './largest-fit.ts';

const search = { from: 100, to: 100_000, precision: 1.05 };

describe('largestFit', () => {
  test('finds the largest number that fits, within the precision', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 100, max: 99_999 }), async (limit) => {
        const tried: number[] = [];
        const found = await largestFit(search, (number) => {
          tried.push(number);
          return Promise.resolve(number <= limit);
        });
        expect(found).toBeLessThanOrEqual(limit);
        expect(found * 1.05 + 1).toBeGreaterThanOrEqual(limit);
        expect(tried.length).toBeLessThanOrEqual(12);
      }),
    );
  });

  test('returns 0 if nothing fits, and the largest number if everything does', async () => {
    expect(await largestFit(search, () => Promise.resolve(false))).toBe(0);
    expect(await largestFit(search, () => Promise.resolve(true))).toBe(100_000);
  });
});
