import { describe, expect, test } from '@jest/globals';
import { isTimeZone } from './time-zone.ts';

describe('a time zone', () => {
  test.each(Intl.supportedValuesOf('timeZone'))('%s is known in its own letters only', (zone) => {
    expect(isTimeZone(zone)).toBe(true);
    if (zone !== zone.toLowerCase()) expect(isTimeZone(zone.toLowerCase())).toBe(false);
  });

  test.each(
    'UTC GMT GMT0 Zulu EST5EDT Etc/GMT+5 Etc/GMT-14 GB-Eire NZ-CHAT US/Pacific US/East-Indiana America/Knox_IN Mexico/BajaNorte Australia/ACT America/Argentina/ComodRivadavia Asia/Kolkata Asia/Calcutta Europe/Kyiv'.split(
      ' ',
    ),
  )('%s is known', (zone) => {
    expect(isTimeZone(zone)).toBe(true);
  });

  test.each(
    'utc Utc etc/GMT+5 Etc/gmt+5 Etc/GMT+14 us/pacific Us/Pacific GB-EIRE America/Port-Au-Prince america/new_york +01:00 +01 PST Europe/ Europe'.split(
      ' ',
    ),
  )('%s is not known', (zone) => {
    expect(isTimeZone(zone)).toBe(false);
  });
});
