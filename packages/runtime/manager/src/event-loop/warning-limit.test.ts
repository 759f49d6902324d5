import { describe, expect, test } from '@jest/globals';
import { WarningLimit } from './warning-limit.ts';

describe('the limit of warnings', () => {
  test('admits each name once a minute, with the number of warnings that were left out', () => {
    let now = 0;
    const limit = new WarningLimit(() => now);
    expect([limit.admit('a'), limit.admit('a'), limit.admit('b')]).toEqual([0, undefined, 0]);
    now = 59_999;
    expect(limit.admit('a')).toBeUndefined();
    now = 60_000;
    expect([limit.admit('a'), limit.admit('b'), limit.admit('a')]).toEqual([2, 0, undefined]);
  });

  test('forgets the name that was admitted longest ago beyond 500', () => {
    let now = 0;
    const limit = new WarningLimit(() => now);
    const names = Array.from({ length: 501 }, (_, at) => `name ${at}`);
    for (const name of names.slice(0, 500)) limit.admit(name);
    now = 60_000;
    limit.admit('name 0');
    limit.admit('name 500');
    expect([limit.admit('name 0'), limit.admit('name 500')]).toEqual([undefined, undefined]);
    now = 60_001;
    expect(limit.admit('name 1')).toBe(0);
  });
});
