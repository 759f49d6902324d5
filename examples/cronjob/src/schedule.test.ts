import { describe, expect, test } from '@jest/globals';
import { timesOf } from './schedule.ts';

const MINUTE = 60_000;
const start = Date.parse('2026-01-01T00:00:00Z');

describe('timesOf', () => {
  test('returns the next start, and no missed one before it', () => {
    expect(timesOf('* * * * *', start, start + 1)).toEqual({ next: start + MINUTE });
  });

  test('returns a start at its exact time', () => {
    const times = timesOf('* * * * *', start, start + MINUTE);
    expect(times).toEqual({ due: start + MINUTE, next: start + 2 * MINUTE });
  });

  test('skips all missed starts but the latest', () => {
    const times = timesOf('*/5 * * * *', start, start + 59 * MINUTE);
    expect(times).toEqual({ due: start + 55 * MINUTE, next: start + 60 * MINUTE });
  });

  test('finds 100 missed starts, and not one more', () => {
    expect(timesOf('* * * * *', start, start + 100 * MINUTE).due).toBe(start + 100 * MINUTE);
    const times = timesOf('* * * * *', start, start + 101 * MINUTE);
    expect(times).toMatchObject({ problem: { reason: 'TooManyMissedStarts' } });
    expect(times.next).toBeUndefined();
  });

  test('looks ahead from now if the CronJob is younger than the clock', () => {
    expect(timesOf('* * * * *', start + 9 * MINUTE, start)).toEqual({ next: start + MINUTE });
  });

  test('has no start on a day that does not exist', () => {
    expect(timesOf('0 0 30 2 *', start, start)).toEqual({});
  });

  test.each(['hourly', '61 * * * *', '0 0 * * * *', '2026-03-01T12:00:00', '2026-03-01', ''])(
    'refuses the schedule "%s"',
    (schedule) => {
      expect(timesOf(schedule, start, start)).toMatchObject({
        problem: { reason: 'InvalidSchedule' },
      });
    },
  );
});
