import { describe, expect, test } from '@jest/globals';
import { ageOf, humanDuration } from './human-duration.ts';

describe('humanDuration', () => {
  test.each([
    [-5, '<invalid>'],
    [-1, '0s'],
    [0, '0s'],
    [119, '119s'],
    [120, '2m'],
    [330, '5m30s'],
    [600, '10m'],
    [3 * 3600 - 1, '179m'],
    [3 * 3600, '3h'],
    [3 * 3600 + 60, '3h1m'],
    [8 * 3600 + 600, '8h'],
    [47 * 3600, '47h'],
    [2 * 86_400, '2d'],
    [2 * 86_400 + 3600, '2d1h'],
    [8 * 86_400 + 3600, '8d'],
    [729 * 86_400, '729d'],
    [2 * 365 * 86_400, '2y'],
    [2 * 365 * 86_400 + 86_400, '2y1d'],
    [9 * 365 * 86_400, '9y'],
  ])('%d s is %s', (seconds, expected) => {
    expect(humanDuration(seconds)).toBe(expected);
  });
});

describe('ageOf', () => {
  test('ageOf returns <unknown> without a timestamp', () => {
    expect(ageOf(undefined, 0)).toBe('<unknown>');
    expect(ageOf('2026-01-01T00:00:00Z', Date.parse('2026-01-01T00:01:00Z'))).toBe('60s');
  });
});
