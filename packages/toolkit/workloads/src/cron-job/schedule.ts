import { parseDuration } from '@keelson/apimachinery';
import { Cron } from 'croner';

/** A schedule: the first start after a time, in milliseconds. */
export type Schedule = (after: number) => number;

/** Parses a schedule: five fields, a name such as `@daily`, or `@every 5m`. Throws for an invalid one. */
export function parseSchedule(text: string, timeZone: string | undefined): Schedule {
  const every = /^@every\s+(\S+)$/.exec(text.trim());
  if (every?.[1] !== undefined) {
    const interval = Math.max(1000, parseDuration(every[1], 'schedule'));
    return (after) => Math.floor(after / 1000) * 1000 + interval;
  }
  const cron = new Cron(text, { mode: '5-part', timezone: timeZone ?? 'UTC', paused: true });
  return (after) => cron.nextRun(new Date(after))?.getTime() ?? Infinity;
}

/** The starts of a schedule around now. */
export interface Starts {
  /** The latest start that is due and was not made. */
  readonly due?: number;
  /** The number of starts that are due. */
  readonly missed: number;
  /** The first start after now; infinite for a schedule that has none. */
  readonly next: number;
}

/** Finds the starts after `since`. Those between are counted by the interval of the first two, not one by one. */
export function startsOf(schedule: Schedule, since: number, now: number): Starts {
  const first = schedule(since);
  if (now < first) return { missed: 0, next: first };
  const second = schedule(first);
  if (now < second) return { due: first, missed: 1, next: second };
  const interval = second - first;
  const missed = Math.floor((now - first) / interval) + 1;
  let due: number | undefined;
  let next = schedule(first + (missed - 2) * interval);
  while (next <= now) {
    due = next;
    next = schedule(next);
  }
  return { ...(due !== undefined && { due }), missed, next };
}
