import { describe, expect, test } from '@jest/globals';
import { canonicalMicroTime, canonicalTime } from './time.ts';

describe('times', () => {
  // The messages of kube-apiserver 1.36.3.
  test.each([
    ['', 'cannot parse "" as "2006"'],
    ['x', 'cannot parse "x" as "2006"'],
    ['2024-01-01', 'cannot parse "" as "T"'],
    ['2024-01-01t00:00:00Z', 'cannot parse "t00:00:00Z" as "T"'],
    ['2024-01-01T00:00:00', 'cannot parse "" as "Z07:00"'],
    ['2024-01-01T00:00:00Zx', 'extra text: "x"'],
  ])('are refused at the first part that does not fit: %p', (text, why) => {
    expect(() => canonicalTime(text)).toThrow(why);
  });

  test('of leases need six digits of a fraction', () => {
    expect(() => canonicalMicroTime('2024-01-01T00:00:00Z')).toThrow(
      'cannot parse "Z" as ".000000"',
    );
    expect(() => canonicalMicroTime('')).toThrow('cannot parse "" as "2006"');
    expect(canonicalMicroTime('2024-01-01T01:00:00.123456+01:00')).toBe(
      '2024-01-01T00:00:00.123456Z',
    );
  });

  test('are written in UTC with whole seconds', () => {
    expect(canonicalTime('2024-01-01T01:00:00.9+01:00')).toBe('2024-01-01T00:00:00Z');
  });
});
