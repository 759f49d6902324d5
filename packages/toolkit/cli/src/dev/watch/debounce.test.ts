import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Debounce } from './debounce.ts';

describe('Debounce', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test('joins calls without a pause of 100 ms into one, with the time of the first', () => {
    const runs: number[] = [];
    using debounce = new Debounce((firstCall) => runs.push(firstCall));
    const start = performance.now();
    for (let call = 0; call < 5; call++) {
      debounce.call();
      jest.advanceTimersByTime(99);
    }
    expect(runs).toEqual([]);
    jest.advanceTimersByTime(1);
    debounce.call();
    jest.advanceTimersByTime(100);
    expect(runs).toEqual([start, start + 496]);
  });

  test('runs no more after its end', () => {
    const run = jest.fn();
    const debounce = new Debounce(run);
    debounce.call();
    debounce[Symbol.dispose]();
    jest.runAllTimers();
    expect(run).not.toHaveBeenCalled();
  });
});
