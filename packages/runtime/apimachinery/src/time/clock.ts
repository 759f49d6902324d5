import { checkMethods } from '../option.ts';
import type { ClockActivity } from './clock-activity.ts';
import { startTimer } from './timer.ts';

/**
 * The time by which a client, a cache, a manager and a server in memory wait. Programs use the clock of the system; a
 * test environment with virtual time has a clock of its own.
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds of a time that never goes back. Only differences have a meaning. */
  monotonic(): number;
  /** Calls `fire` once after the delay in milliseconds. Returns a function that cancels it. */
  startTimer(milliseconds: number, fire: () => void): () => void;
  /** A number from 0 up to 1, by which intervals of several processes differ. */
  random(): number;
  /** Receives the work that must end before time passes. Only a clock of a test has it. */
  readonly activity?: ClockActivity | undefined;
}

/** The clock of the system: `Date.now`, `performance.now`, `setTimeout` and `Math.random`. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  startTimer,
  random: () => Math.random(),
};

/** Throws `INVALID_OPTION` with the name `option` unless the value is `undefined` or has the methods of a clock. */
export function checkClock(clock: unknown, option: string): void {
  if (clock !== undefined)
    checkMethods(clock, ['now', 'monotonic', 'startTimer', 'random'], option);
}
