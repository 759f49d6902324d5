import { describe, expect, test } from '@jest/globals';
import { ReconnectSpread } from './reconnect-spread.ts';
import { seeded } from '../../testing/storm-source.test-support.ts';

describe('ReconnectSpread', () => {
  test('lets a watch that is cut alone reconnect at once', () => {
    let now = 0;
    const spread = new ReconnectSpread(() => now, seeded(1));
    expect(spread.delay()).toBe(0);
    now += 101;
    expect(spread.delay()).toBe(0);
  });

  test('spreads 200 watches that are cut at once over 100 ms, two per millisecond', () => {
    const spread = new ReconnectSpread(() => 0, seeded(1));
    const delays = Array.from({ length: 200 }, () => spread.delay());
    expect(Math.max(...delays)).toBeLessThan(100);
    const perMillisecond = Map.groupBy(delays, (delay) => Math.floor(delay));
    expect(Math.max(...[...perMillisecond.values()].map(({ length }) => length))).toBeLessThan(4);
  });

  test('never delays for longer than 100 ms', () => {
    const spread = new ReconnectSpread(() => 0, seeded(2));
    for (let cut = 0; cut < 2000; cut++) expect(spread.delay()).toBeLessThan(100);
  });
});
