import { describe, expect, test } from '@jest/globals';
import {
  CappedLimiter,
  CombinedLimiter,
  ExponentialBackoff,
  FastSlowLimiter,
  TokenBucket,
  type RateLimiter,
} from '../index.ts';

/** Returns the delay of a retry and charges it, as a queue does. */
function retry(limiter: RateLimiter, key: string): number {
  const delay = limiter.delay(key);
  limiter.charge(key);
  return delay;
}

function retries(limiter: RateLimiter, key: string, times: number): number[] {
  return Array.from({ length: times }, () => retry(limiter, key));
}

describe('ExponentialBackoff', () => {
  test('WQ17 delays 1, 2, 4, 8, 16 ms by failure, counts by item, and resets on forget', () => {
    const limiter = new ExponentialBackoff({ base: 1, max: 1000 });
    expect(retries(limiter, 'one', 5)).toEqual([1, 2, 4, 8, 16]);
    expect(limiter.failures('one')).toBe(5);
    expect(retries(limiter, 'two', 2)).toEqual([1, 2]);
    expect(limiter.failures('two')).toBe(2);
    limiter.forget('one');
    expect([limiter.failures('one'), limiter.delay('one')]).toEqual([0, 1]);
  });

  test('delays from 5 ms to exactly 1000 s by default', () => {
    const delays = retries(new ExponentialBackoff(), 'one', 30);
    expect(delays.slice(0, 3)).toEqual([5, 10, 20]);
    expect(delays[17]).toBe(655_360);
    expect(delays.slice(18)).toEqual(Array.from({ length: 12 }, () => 1_000_000));
  });

  test.each([
    { base: 5, last: 1_000_000 },
    { base: 0, last: 0 },
    { base: 1e-300, last: 1_000_000 },
  ])('stays exact after five thousand failures with base $base', ({ base, last }) => {
    const delays = retries(new ExponentialBackoff({ base }), 'one', 5000);
    expect(delays.at(-1)).toBe(last);
    expect(delays.every((delay) => delay >= 0 && delay <= 1_000_000)).toBe(true);
  });
});

describe('FastSlowLimiter', () => {
  test('WQ19 is fast n times, then slow, and resets on forget', () => {
    const limiter = new FastSlowLimiter({ fast: 5, slow: 10_000, fastAttempts: 3 });
    expect(retries(limiter, 'one', 5)).toEqual([5, 5, 5, 10_000, 10_000]);
    expect([limiter.failures('one'), limiter.delay('two')]).toEqual([5, 5]);
    limiter.forget('one');
    expect([limiter.failures('one'), limiter.delay('one')]).toEqual([0, 5]);
  });
});

describe('CombinedLimiter', () => {
  test('WQ20 uses the longest delay and charges every limiter', () => {
    const slow = new FastSlowLimiter({ fast: 3, slow: 1000, fastAttempts: 3 });
    const exponential = new ExponentialBackoff({ base: 1, max: 100 });
    const limiter = new CombinedLimiter(slow, exponential);
    expect(retries(limiter, 'one', 5)).toEqual([3, 3, 4, 1000, 1000]);
    expect([limiter.failures('one'), slow.failures('one'), exponential.failures('one')]).toEqual([
      5, 5, 5,
    ]);
    limiter.forget('one');
    expect([limiter.failures('one'), limiter.delay('one')]).toEqual([0, 3]);
  });
});

describe('CappedLimiter', () => {
  test('WQ21 limits the delay of the inner limiter', () => {
    const limiter = new CappedLimiter(new ExponentialBackoff({ base: 1, max: 100_000 }), 5);
    expect(retries(limiter, 'one', 5)).toEqual([1, 2, 4, 5, 5]);
    expect(limiter.failures('one')).toBe(5);
    limiter.forget('one');
    expect([limiter.failures('one'), limiter.delay('one')]).toEqual([0, 1]);
  });
});

describe('TokenBucket', () => {
  test('allows a burst, then one retry per token, for any items', () => {
    let now = 1000;
    const limiter = new TokenBucket({ perSecond: 10, burst: 3, now: () => now });
    expect(retries(limiter, 'one', 3)).toEqual([0, 0, 0]);
    expect(retry(limiter, 'two')).toBeCloseTo(100);
    expect(retry(limiter, 'three')).toBeCloseTo(200);
    now += 1000;
    expect(retries(limiter, 'four', 3)).toEqual([0, 0, 0]);
    now += 60_000;
    expect(retries(limiter, 'five', 4).map(Math.round)).toEqual([0, 0, 0, 100]);
  });

  test('PQ34 delay() uses no token', () => {
    const limiter = new TokenBucket({ perSecond: 1, burst: 1, now: () => 0 });
    expect([limiter.delay(), limiter.delay(), limiter.delay()]).toEqual([0, 0, 0]);
  });

  test('forget() returns no token', () => {
    const limiter = new TokenBucket({ perSecond: 1, burst: 1, now: () => 0 });
    limiter.charge();
    limiter.forget();
    expect([limiter.delay(), limiter.failures()]).toEqual([1000, 0]);
  });
});
