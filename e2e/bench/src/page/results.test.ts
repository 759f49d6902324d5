import { describe, expect, test } from '@jest/globals';
import { merged, type Result } from './results.ts';
import { ratio, spreadOf } from './spread.ts';

function line(name: string, date: string): Result {
  return {
    case: name,
    unit: 'ms',
    keelson: null,
    clientNode: null,
    limit: null,
    ratioToClientNode: null,
    ratioToLimit: null,
    runs: 1,
    node: '24.0.0',
    date,
  };
}

describe('results', () => {
  test('a case measured again takes its old place', () => {
    const old = [line('a', '1'), line('b', '1')];
    expect(merged(old, [line('c', '2'), line('a', '2')])).toEqual([
      line('a', '2'),
      line('b', '1'),
      line('c', '2'),
    ]);
  });

  test('a spread is the middle and the ends', () => {
    expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ median: 3, min: 1, max: 5 });
    expect(spreadOf([])).toBeNull();
  });

  test('a ratio is of medians', () => {
    const spread = { median: 2, min: 1, max: 3 };
    expect(ratio(spread, { median: 8, min: 0, max: 9 })).toBe(0.25);
    expect(ratio(null, spread)).toBeNull();
  });
});
