import { describe, expect, test } from '@jest/globals';
import { parseSchedule, startsOf } from './schedule.ts';

const at = (time: string): number => Date.parse(`2026-03-01T${time}Z`);

describe('the schedule of a CronJob', () => {
  test.each([
    ['0 * * * *', undefined, '10:30:00', '11:00:00'],
    ['@hourly', undefined, '10:30:00', '11:00:00'],
    ['@every 90s', undefined, '10:30:00', '10:31:30'],
    ['0 12 * * *', 'Europe/Zurich', '10:30:00', '11:00:00'],
  ])('%p in %p starts after %p at %p', (text, zone, after, next) => {
    expect(parseSchedule(text, zone)(at(after))).toBe(at(next));
  });

  test('refuses an invalid text', () => {
    expect(() => parseSchedule('often', undefined)).toThrow();
    expect(() => parseSchedule('@every day', undefined)).toThrow();
  });

  test('finds the latest start that is due, and counts those before', () => {
    const hourly = parseSchedule('0 * * * *', undefined);
    expect(startsOf(hourly, at('10:30:00'), at('10:59:59'))).toEqual({
      missed: 0,
      next: at('11:00:00'),
    });
    expect(startsOf(hourly, at('10:30:00'), at('11:00:00'))).toEqual({
      due: at('11:00:00'),
      missed: 1,
      next: at('12:00:00'),
    });
    expect(startsOf(hourly, at('01:30:00'), at('05:10:00'))).toEqual({
      due: at('05:00:00'),
      missed: 4,
      next: at('06:00:00'),
    });
  });
});
