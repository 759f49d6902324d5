const SECONDS_PER_DAY = 86_400;
/** Days from 1 March of the year 0 to 1970. */
const DAYS_TO_1970 = 719_468;
const DAYS_PER_ERA = 146_097;
const YEARS_PER_ERA = 400;
const ZERO = 0x30;
const [DASH, COLON, LETTER_T, LETTER_Z, DOT] = [0x2d, 0x3a, 0x54, 0x5a, 0x2e];

/**
 * Prints a time as RFC 3339 in UTC, with microseconds if they are given. The year must have four digits. `Date` takes
 * ten times as long, and an object has many times.
 */
export function timeText(seconds: number, micros?: number): string {
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  const time = seconds - days * SECONDS_PER_DAY;
  const hour = Math.trunc(time / 3600);
  const minute = Math.trunc(time / 60) % 60;
  const second = time % 60;
  const { year, month, day } = dateOf(days);
  const date = String.fromCharCode(
    ZERO + Math.trunc(year / 1000),
    ZERO + (Math.trunc(year / 100) % 10),
    ZERO + (Math.trunc(year / 10) % 10),
    ZERO + (year % 10),
    DASH,
    ZERO + Math.trunc(month / 10),
    ZERO + (month % 10),
    DASH,
    ZERO + Math.trunc(day / 10),
    ZERO + (day % 10),
    LETTER_T,
    ZERO + Math.trunc(hour / 10),
    ZERO + (hour % 10),
    COLON,
    ZERO + Math.trunc(minute / 10),
    ZERO + (minute % 10),
    COLON,
    ZERO + Math.trunc(second / 10),
    ZERO + (second % 10),
    micros === undefined ? LETTER_Z : DOT,
  );
  return micros === undefined ? date : `${date}${String(micros).padStart(6, '0')}Z`;
}

/**
 * Returns the date of a number of days. It computes with years that begin in March, so that a leap day is the last day
 * of its year.
 */
function dateOf(days: number): { year: number; month: number; day: number } {
  const sinceMarch = days + DAYS_TO_1970;
  const era = Math.floor(sinceMarch / DAYS_PER_ERA);
  const dayOfEra = sinceMarch - era * DAYS_PER_ERA;
  const yearOfEra = Math.trunc(
    (dayOfEra -
      Math.trunc(dayOfEra / 1460) +
      Math.trunc(dayOfEra / 36_524) -
      Math.trunc(dayOfEra / (DAYS_PER_ERA - 1))) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.trunc(yearOfEra / 4) - Math.trunc(yearOfEra / 100));
  const fromMarch = Math.trunc((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.trunc((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfEra + era * YEARS_PER_ERA + (month <= 2 ? 1 : 0);
  return { year, month, day };
}
