import { describe, expect, test } from '@jest/globals';
import { scheduleError } from './cron-schedule.ts';

describe('scheduleError', () => {
  test.each([
    '* * * * *',
    '*/5 1-3,7 ? JAN-mar sun',
    '0 0 1 1 0',
    '5/10 * * * *',
    '@hourly',
    '@every 1h30m',
  ])('accepts %j', (schedule) => {
    expect(scheduleError(schedule)).toBeUndefined();
  });

  test.each([
    ['nonsense', 'expected exactly 5 fields, found 1: [nonsense]'],
    ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
    ['61 * * * *', 'end of range (61) above maximum (59): 61'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-3 * * * *', 'beginning of range (5) beyond end of range (3): 5-3'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['*/1/2 * * * *', 'too many slashes: */1/2'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['@often', 'unrecognized descriptor: @often'],
    ['@every day', 'failed to parse duration @every day: time: invalid duration "day"'],
  ])('rejects %j', (schedule, reason) => {
    expect(scheduleError(schedule)).toBe(reason);
  });
});
