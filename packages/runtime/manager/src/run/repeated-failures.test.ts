import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { useFakeTime } from '../testing/fixtures.test-support.ts';
import { RepeatedFailures } from './repeated-failures.ts';

beforeEach(() => useFakeTime());
afterEach(() => void jest.useRealTimers());

const error = new Error('no capacity');

describe('RepeatedFailures', () => {
  test('logs the repetitions 1, 2, 4, 8 and so on, with the number of those left out', () => {
    const failures = new RepeatedFailures();
    const logged = Array.from({ length: 9 }, () => failures.count('a', error));
    expect(logged).toEqual([
      {},
      { count: 2 },
      undefined,
      { count: 4, suppressed: 1 },
      undefined,
      undefined,
      undefined,
      { count: 8, suppressed: 3 },
      undefined,
    ]);
  });

  test('logs a repetition after a minute, another error, another request, and after a success', () => {
    const failures = new RepeatedFailures();
    const fail = (times: number): unknown =>
      Array.from({ length: times }, () => failures.count('a', error)).at(-1);
    expect(fail(3)).toBeUndefined();
    jest.advanceTimersByTime(60_000);
    expect(fail(2)).toBeUndefined();
    expect(failures.count('b', error)).toEqual({});
    expect(failures.count('a', new Error('other'))).toEqual({});
    expect(failures.count('a', error)).toEqual({});
    failures.succeeded('a');
    expect(failures.count('a', error)).toEqual({});
  });

  test('remembers a bounded number of requests', () => {
    const failures = new RepeatedFailures();
    for (let at = 0; at < 5000; at += 1) failures.count(`r${at}`, error);
    expect(failures.count('r4999', error)).toEqual({ count: 2 });
    expect(failures.count('r0', error)).toEqual({});
  });
});
