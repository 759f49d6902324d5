import { Cron } from 'croner';

/** A long absence or a wrong clock can miss any number of starts; the search ends at this one. */
const MAX_MISSED_STARTS = 100;

/** The reason and the message of a condition and an event. */
export interface Problem {
  readonly reason: string;
  readonly message: string;
}

/** The starts of a schedule around now, in milliseconds. */
export interface Times {
  /** The latest start that was missed. Earlier ones are skipped. */
  readonly due?: number;
  /** The first start after now; a schedule such as "0 0 30 2 *" has none. */
  readonly next?: number;
  /** The starts are unknown until the CronJob changes. */
  readonly problem?: Problem;
}

// #region schedule
/** Finds the starts after `since`, in the time zone of the process. */
export function timesOf(schedule: string, since: number, now: number): Times {
  try {
    if (!/^\s*(?:@|\S+\s)/.test(schedule)) throw new Error('a date is not a schedule');
    const cron = new Cron(schedule, { mode: '5-part' });
    const after = (time: number): number => cron.nextRun(new Date(time))?.getTime() ?? Infinity;
    let due: number | undefined;
    let next = after(Math.min(since, now));
    for (let missed = 1; next <= now; missed += 1) {
      if (missed > MAX_MISSED_STARTS) return { problem: tooManyMissed };
      due = next;
      next = after(next);
    }
    return { ...(due !== undefined && { due }), ...(Number.isFinite(next) && { next }) };
  } catch (error) {
    return { problem: { reason: 'InvalidSchedule', message: String(error) } };
  }
}
// #endregion

const tooManyMissed: Problem = {
  reason: 'TooManyMissedStarts',
  message: `more than ${MAX_MISSED_STARTS} starts were missed: set spec.startingDeadlineSeconds, or check the clocks`,
};
