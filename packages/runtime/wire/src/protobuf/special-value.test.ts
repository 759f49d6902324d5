import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { timeText } from './special-value.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const FIRST = -62_167_219_200;
const LAST = 253_402_300_799;

describe('the text of a time', () => {
  test('is that of Date for every second of a year with four digits', () => {
    const days = fc
      .integer({ min: 0, max: 3_652_058 })
      .map((day) => FIRST + day * 86_400 + ((day * 7919) % 86_400));
    const seconds = fc.oneof(
      fc.integer({ min: FIRST, max: LAST }),
      days,
      fc.constantFrom(FIRST, LAST, 0, -1),
    );
    fc.assert(
      fc.property(seconds, (second) => {
        expect(timeText(second)).toBe(new Date(second * 1000).toISOString().replace('.000', ''));
      }),
      { numRuns: Math.ceil(5000 * multiple) },
    );
  });

  test('has six digits of microseconds', () => {
    expect(timeText(0, 7)).toBe('1970-01-01T00:00:00.000007Z');
    expect(timeText(-1, 999_999)).toBe('1969-12-31T23:59:59.999999Z');
  });
});
