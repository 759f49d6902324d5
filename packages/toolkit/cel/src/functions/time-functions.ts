import { type Overload, overload } from '../types/function-declaration.ts';
import type { Duration } from '../values/duration.ts';
import type { Timestamp } from '../values/timestamp.ts';
import { zoneOffset } from './time-zone.ts';

type Part = (local: Date) => number;

/** The parts of a time, from a date whose UTC parts are the local parts. */
const parts: Readonly<Record<string, Part>> = {
  getFullYear: (local) => local.getUTCFullYear(),
  getMonth: (local) => local.getUTCMonth(),
  getDayOfYear: dayOfYear,
  getDayOfMonth: (local) => local.getUTCDate() - 1,
  getDate: (local) => local.getUTCDate(),
  getDayOfWeek: (local) => local.getUTCDay(),
  getHours: (local) => local.getUTCHours(),
  getMinutes: (local) => local.getUTCMinutes(),
  getSeconds: (local) => local.getUTCSeconds(),
  getMilliseconds: (local) => local.getUTCMilliseconds(),
};

/** The functions `getHours` and others, in UTC or in a time zone. */
export const timeFunctions: readonly Overload[] = [
  ...Object.entries(parts).flatMap(([name, part]) => [
    overload(`timestamp.${name}(): int`, (moment: Timestamp) =>
      BigInt(part(new Date(Number(moment.milliseconds)))),
    ),
    overload(`timestamp.${name}(string): int`, (moment: Timestamp, zone: string) =>
      BigInt(part(localDate(moment, zone))),
    ),
  ]),
  overload('duration.getHours(): int', ({ nanos }: Duration) => nanos / 3_600_000_000_000n),
  overload('duration.getMinutes(): int', ({ nanos }: Duration) => nanos / 60_000_000_000n),
  overload('duration.getSeconds(): int', ({ nanos }: Duration) => nanos / 1_000_000_000n),
  overload('duration.getMilliseconds(): int', ({ nanos }: Duration) => nanos / 1_000_000n),
];

function dayOfYear(local: Date): number {
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  const start = new Date(local.getTime());
  start.setUTCMonth(0, 1);
  return Math.round((local.getTime() - start.getTime()) / 86_400_000);
}

/** Returns the local date in a zone: a name (`Europe/Vienna`) or an offset (`-05:00`). */
function localDate(moment: Timestamp, zone: string): Date {
  const milliseconds = Number(moment.milliseconds);
  return new Date(milliseconds + zoneOffset(milliseconds, zone));
}
