import { beforeEach, describe, expect, test } from '@jest/globals';
import { RenewDeadline } from './renew-deadline.ts';

let now: number;
let timers: { readonly at: number; readonly fire: () => void }[];
let overdue: number[];
let deadline: RenewDeadline;

beforeEach(() => {
  now = 1000;
  timers = [];
  overdue = [];
  deadline = new RenewDeadline({
    time: {
      now: () => now,
      startTimer(milliseconds, fire) {
        const timer = { at: now + milliseconds, fire };
        timers.push(timer);
        return () => {
          timers = timers.filter((one) => one !== timer);
        };
      },
    },
    limit: 10,
    onOverdue: () => overdue.push(now),
  });
});

/** Fires the one timer that runs. */
function elapse(): void {
  const [timer] = timers.splice(0);
  timer?.fire();
}

describe('the deadline of a renewal', () => {
  test('has passed before the first renewal', () => {
    expect(deadline.isOverdue).toBe(true);
    expect(timers).toEqual([]);
  });

  test('counts from the start of the renewal', () => {
    expect(deadline.renewed(997)).toBe(true);
    expect(timers).toMatchObject([{ at: 1007 }]);
    now = 1006;
    expect(deadline.isOverdue).toBe(false);
    now = 1007;
    expect(deadline.isOverdue).toBe(true);
    elapse();
    expect(overdue).toEqual([1007]);
  });

  test('moves with the next renewal, with one timer', () => {
    deadline.renewed(1000);
    now = 1004;
    deadline.renewed(1003);
    expect(timers).toMatchObject([{ at: 1013 }]);
  });

  test('is measured again by a timer that fires early', () => {
    deadline.renewed(1000);
    now = 1009;
    elapse();
    expect(overdue).toEqual([]);
    expect(timers).toMatchObject([{ at: 1010 }]);
  });

  test('of a renewal that took too long has passed, and starts no timer', () => {
    expect(deadline.renewed(990)).toBe(false);
    expect(timers).toEqual([]);
  });

  test('ends with a stop', () => {
    deadline.renewed(1000);
    deadline.stop();
    expect(timers).toEqual([]);
  });
});
