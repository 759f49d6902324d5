import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { systemClock } from '@keelson/apimachinery';
import { useFakeTime } from '../testing/fixtures.test-support.ts';
import { RepeatedFailures } from './repeated-failures.ts';

beforeEach(() => useFakeTime());
afterEach(() => void jest.useRealTimers());

const error = new Error('no capacity');

describe('RepeatedFailures', () => {
  test('logs the repetitions 1, 2, 4, 8 and so on, with the number of those left out', () => {
    const failures = new RepeatedFailures(systemClock);
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
    let now = 0;
    const failures = new RepeatedFailures({ ...systemClock, monotonic: () => now });
    const fail = (times: number): unknown =>
      Array.from({ length: times }, () => failures.count('a', error)).at(-1);
    expect(fail(3)).toBeUndefined();
    now += 60_000;
    expect(fail(2)).toBeUndefined();
    expect(failures.count('b', error)).toEqual({});
    expect(failures.count('a', new Error('other'))).toEqual({});
    failures.succeeded('a');
    expect(failures.count('a', error)).toEqual({});
  });

  test('logs the last failure before the request is given up, and thins its repetitions', () => {
    const failures = new RepeatedFailures(systemClock);
    for (let times = 0; times < 6; times += 1) failures.count('a', error);
    const last = Array.from({ length: 4 }, () => failures.count('a', error, true));
    expect(last).toEqual([{}, { count: 2 }, undefined, { count: 4, suppressed: 1 }]);
  });

  test('counts failures that take turns, each by itself', () => {
    const failures = new RepeatedFailures(systemClock);
    const other = new Error('no quota');
    const logged = Array.from({ length: 6 }, (_, at) =>
      failures.count('a', at % 2 === 0 ? error : other),
    );
    expect(logged).toEqual([{}, {}, { count: 2 }, { count: 2 }, undefined, undefined]);
  });

  test('counts messages as one failure if only their numbers and ids differ', () => {
    const failures = new RepeatedFailures(systemClock);
    const texts = [
      'no response after 1503 ms (request 7c3d1f6e-2b6a-4a53-9a57-0f3f0b0d5c11)',
      'no response after 87.5 ms (request 02b1c9aa-77e0-4be5-8d8f-d2b8a4f3a1ee)',
      'no response after 9 ms (request 51d0a0cc-50f3-4c49-8f09-3b1c2e9d7f60)',
    ];
    const logged = texts.map((text) => failures.count('a', new Error(text)));
    expect(logged).toEqual([{}, { count: 2 }, undefined]);
  });

  test('compares the whole text of an error that a line has', () => {
    const failures = new RepeatedFailures(systemClock);
    const long = 'the webhook refused the object '.repeat(10);
    for (let times = 0; times < 3; times += 1) failures.count('a', new Error(`${long}: quota`));
    expect(failures.count('a', new Error(`${long}: expired certificate`))).toEqual({});
  });

  test('counts the further failures of a request together', () => {
    const failures = new RepeatedFailures(systemClock);
    const fail = (word: string): unknown => failures.count('a', new Error(word));
    const words = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
    expect(words.map(fail)).toEqual([
      {},
      {},
      {},
      {},
      {},
      { count: 2, countedWith: 'other failures' },
      undefined,
      { count: 4, suppressed: 1, countedWith: 'other failures' },
    ]);
    expect(fail('one')).toEqual({ count: 2 });
  });

  test('counts the failures of further requests together, so that an outage makes few lines', () => {
    const failures = new RepeatedFailures(systemClock);
    const failAll = (): unknown[] =>
      Array.from({ length: 1500 }, (_, at) => failures.count(`r${at}`, error));
    const first = failAll().filter((facts) => facts !== undefined);
    expect(first).toHaveLength(1000 + 9);
    expect(first.at(-1)).toEqual({ count: 256, suppressed: 127, countedWith: 'other requests' });
    expect(failAll().filter((facts) => facts !== undefined)).toHaveLength(1000 + 1);
    expect(failAll().filter((facts) => facts !== undefined)).toHaveLength(1);
  });

  test('makes room for a request when another one has not failed for an hour', () => {
    const failures = new RepeatedFailures(systemClock);
    for (let at = 0; at < 1000; at += 1) failures.count(`r${at}`, error);
    jest.advanceTimersByTime(3_600_000);
    for (let at = 1; at < 1000; at += 1) failures.count(`r${at}`, error);
    expect(failures.count('other', error)).toEqual({});
    expect(failures.count('other', error)).toEqual({ count: 2 });
    expect(failures.count('r0', error)).toEqual({});
    expect(failures.count('r0', error)).toEqual({ count: 2, countedWith: 'other requests' });
  });
});
