import { describe, expect, test } from '@jest/globals';
import { seeded } from './seeded.ts';

describe('seeded random numbers', () => {
  test('depend on the seed alone, and are spread from 0 up to 1', () => {
    const [one, same, other] = [seeded(1), seeded(1), seeded(2)];
    const numbers = Array.from({ length: 10_000 }, one);
    expect(Array.from({ length: 10_000 }, same)).toEqual(numbers);
    expect(other()).not.toBe(numbers[0]);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    for (const tenth of Array.from({ length: 10 }, (_, n) => n / 10)) {
      const count = numbers.filter((number) => number >= tenth && number < tenth + 0.1).length;
      expect(count).toBeGreaterThan(800);
      expect(count).toBeLessThan(1_200);
    }
  });
});
