import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { checkClock, systemClock, type Clock } from './clock.ts';
import { endsWithin, pause } from './wait.ts';

afterEach(() => {
  jest.useRealTimers();
});

describe('the clock of the system', () => {
  test('reads and waits by the functions of the process, which a test may replace', () => {
    jest.useFakeTimers({ now: 1_000 });
    const fired = jest.fn();
    systemClock.startTimer(500, fired);
    const cancel = systemClock.startTimer(500, () => fired('cancelled'));
    cancel();
    const before = systemClock.monotonic();
    jest.advanceTimersByTime(500);
    expect(fired.mock.calls).toEqual([[]]);
    expect([systemClock.now(), systemClock.monotonic() - before]).toEqual([1_500, 500]);
    expect(systemClock.random()).toBeLessThan(1);
  });
});

describe('checkClock', () => {
  test('accepts a clock and undefined', () => {
    checkClock(undefined, 'clock');
    checkClock(systemClock, 'clock');
  });

  test.each([null, 1, {}, { ...systemClock, startTimer: undefined }])('refuses %p', (clock) => {
    expect(() => checkClock(clock, 'createX.clock')).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION' }),
    );
  });
});

describe('the waits by another clock', () => {
  /** A clock whose timers the test fires. */
  function stoppedClock(): { clock: Clock; fire: () => void; waits: string[] } {
    const timers: (() => void)[] = [];
    const waits: string[] = [];
    const startTimer = (milliseconds: number, fire: () => void): (() => void) => {
      timers.push(fire);
      return () => void waits.push(`cancelled ${milliseconds}`);
    };
    const activity = {
      ...({} as NonNullable<Clock['activity']>),
      wait: <Result>(waiting: Promise<Result>): Promise<Result> => {
        waits.push('waits');
        return waiting;
      },
    };
    const clock = { ...systemClock, startTimer, activity };
    return { clock, waits, fire: () => timers.forEach((fire) => fire()) };
  }

  test('end when its timer fires, and report to it that the caller waits', async () => {
    const { clock, fire, waits } = stoppedClock();
    const paused = pause(100, [], clock);
    fire();
    await paused;
    expect(waits).toEqual(['waits', 'cancelled 100']);
  });

  test('limit work by its timer', async () => {
    const { clock, fire } = stoppedClock();
    const ends = endsWithin(new Promise(() => undefined), 100, clock);
    fire();
    expect(await ends).toBe(false);
  });
});
