import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { eventRateOf, type EventRate } from './event-rate.ts';
import { EventTokens } from './event-tokens.ts';

function rateOf(burst: number, perSecond: number): EventRate {
  return eventRateOf({ burst, perSecond }, 'test') as EventRate;
}

/** The delays of events of one key at these times. */
function delays(tokens: EventTokens, times: readonly number[], key = 'a'): number[] {
  return times.map((time) => tokens.take(key, time));
}

describe('the tokens of the events of objects', () => {
  test('a burst has no delay; further events share the next token', () => {
    const tokens = new EventTokens(rateOf(3, 1));
    expect(delays(tokens, [0, 0, 0, 0, 0, 400, 999])).toEqual([0, 0, 0, 1000, 1000, 600, 1]);
  });

  test('after a shared token each event waits for one that is its own', () => {
    const tokens = new EventTokens(rateOf(1, 1));
    expect(delays(tokens, [0, 100, 1000, 1500, 2000])).toEqual([0, 900, 1000, 500, 1000]);
  });

  test('a pause fills the bucket again, and not beyond its burst', () => {
    const tokens = new EventTokens(rateOf(2, 10));
    expect(delays(tokens, [0, 0, 0])).toEqual([0, 0, 100]);
    expect(delays(tokens, [200, 200])).toEqual([0, 100]);
    expect(delays(tokens, [60_000, 60_000, 60_000])).toEqual([0, 0, 100]);
  });

  test('each key has its own bucket, and a filled bucket is a new one', () => {
    const tokens = new EventTokens(rateOf(1, 1));
    expect(delays(tokens, [0, 0])).toEqual([0, 1000]);
    expect(delays(tokens, [0, 0], 'b')).toEqual([0, 1000]);
    tokens.fill('a');
    expect([tokens.take('a', 0), tokens.take('b', 0)]).toEqual([0, 1000]);
    tokens.fill('unknown');
    expect(tokens.take('b', 0)).toBe(1000);
  });

  test('fractions of a millisecond do not shorten a delay', () => {
    const tokens = new EventTokens(rateOf(1, 1));
    expect(delays(tokens, [10.9, 11.2])).toEqual([0, 999]);
    expect(11.2 + 999).toBeGreaterThanOrEqual(10 + 1000);
  });

  test('a source without events has no cells, and one with many idle objects the fewest', () => {
    const tokens = new EventTokens(rateOf(5, 1));
    expect(tokens.size).toBe(0);
    for (let index = 0; index < 10_000; index += 1) tokens.take(`idle ${index}`, 0);
    expect(tokens.size).toBe(64);
  });

  test('objects with many events make the table grow, and each keeps its bucket', () => {
    const tokens = new EventTokens(rateOf(3, 1));
    const keys = Array.from({ length: 300 }, (_, index) => `namespace/object-${index}`);
    for (const key of keys) expect(delays(tokens, [0, 0], key)).toEqual([0, 0]);
    expect(tokens.size).toBeGreaterThan(300);
    const limited = keys.filter((key) => tokens.take(key, 1) === 0 && tokens.take(key, 1) > 0);
    expect(limited.length).toBeGreaterThanOrEqual(295);
  });

  test('a flood of keys is bounded, and leaves an object that is limited its bucket', () => {
    const tokens = new EventTokens(rateOf(2, 1), 128);
    let last = 0;
    for (let index = 0; index < 10_000; index += 1) {
      tokens.take(`key ${index}`, 0);
      tokens.take(`key ${index}`, 0);
      tokens.take(`key ${index}`, 0);
      if (index % 50 === 0) last = tokens.take('key 3', 0);
      expect(tokens.size).toBeLessThanOrEqual(128);
    }
    expect(last).toBe(1000);
  });

  test('an object takes over the cell of one whose bucket has filled up', () => {
    const tokens = new EventTokens(rateOf(2, 1), 1);
    expect(delays(tokens, [0, 0, 0])).toEqual([0, 0, 1000]);
    tokens.fill('b');
    expect(tokens.take('a', 0)).toBe(1000);
    expect(delays(tokens, [0, 0, 0, 1000], 'b')).toEqual([0, 0, 0, 0]);
    expect(delays(tokens, [2000, 2000, 2000], 'b')).toEqual([0, 0, 1000]);
  });

  test('random events: every event is due within one interval, and no period has more due times than tokens', () => {
    const gap = fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 50 }),
      fc.integer({ max: 5000 }),
    );
    const rate = fc.record({
      burst: fc.integer({ min: 1, max: 8 }),
      perSecond: fc.constantFrom(0.5, 1, 3, 20, 1000),
    });
    fc.assert(
      fc.property(rate, fc.array(gap, { maxLength: 200 }), ({ burst, perSecond }, gaps) => {
        const { intervalMs } = rateOf(burst, perSecond);
        const tokens = new EventTokens(rateOf(burst, perSecond));
        let now = 0;
        const due = new Set<number>();
        // Events that are due together lead to one run, but a burst has a token for each event.
        const immediate: number[] = [];
        for (const wait of gaps) {
          now += Math.max(0, wait);
          const delay = tokens.take('a', now);
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(intervalMs);
          if (delay === 0) immediate.push(now);
          else due.add(now + delay);
        }
        const runs = [...immediate, ...due].toSorted((left, right) => left - right);
        for (const [from, first] of runs.entries()) {
          for (const [count, last] of runs.slice(from).entries()) {
            expect(count + 1).toBeLessThanOrEqual(burst + (last - first) / intervalMs);
          }
        }
      }),
    );
  });
});
