import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';

import { parseDuration } from './duration.ts';

describe('parseDuration', () => {
  test.each([
    [0, 0],
    [1500, 1500],
    [0.5, 0.5],
    ['0', 0],
    ['0s', 0],
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1.5h', 5_400_000],
    ['1h30m', 5_400_000],
    ['1m30s500ms', 90_500],
  ])('parses %p as %p ms', (duration, milliseconds) => {
    expect(parseDuration(duration, 'wait')).toBe(milliseconds);
  });

  test.each([
    [-1],
    [Number.NaN],
    [Infinity],
    [''],
    ['30'],
    ['s'],
    ['-5s'],
    ['5 s'],
    ['5S'],
    ['1d'],
    ['1h30'],
    ['.5s'],
    ['1e3s'],
    [null],
    [{}],
  ])("refuses %p by the option's name", (duration) => {
    expect(() => parseDuration(duration as number, 'createQueue.wait')).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option: 'createQueue.wait' }),
      }),
    );
  });

  test('sums the parts of any text', () => {
    const amount = fc.nat(10_000);
    fc.assert(
      fc.property(amount, amount, amount, amount, (h, m, s, ms) => {
        const milliseconds = ((h * 60 + m) * 60 + s) * 1000 + ms;
        expect(parseDuration(`${h}h${m}m${s}s${ms}ms`, 'wait')).toBe(milliseconds);
      }),
    );
  });
});
