import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { startTimer } from './timer.ts';

const hour = 3_600_000;

describe('a timer', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  test.each([0, 1, 2 ** 31 - 1, 2 ** 31, 1000 * hour, 2000 * hour])(
    'fires once, after exactly %d ms',
    (delay) => {
      const fire = jest.fn();
      startTimer(delay, fire);
      if (delay > 1) jest.advanceTimersByTime(delay - 1);
      expect(fire).toHaveBeenCalledTimes(0);
      jest.advanceTimersByTime(1);
      expect(fire).toHaveBeenCalledTimes(1);
      expect(jest.getTimerCount()).toBe(0);
    },
  );

  test('that is cancelled does not fire and leaves no timer, also after its first part', () => {
    const fire = jest.fn();
    const cancel = startTimer(1000 * hour, fire);
    jest.advanceTimersByTime(900 * hour);
    cancel();
    cancel();
    expect(jest.getTimerCount()).toBe(0);
    expect(fire).toHaveBeenCalledTimes(0);
  });
});
