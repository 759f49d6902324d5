import { systemClock, type Clock } from '@keelson/apimachinery';

/** The last time that a `Date` has. A delay may end later. */
const LAST_TIME = 8_640_000_000_000_000;

/** The time of a reading of `clock.monotonic()`, in ISO 8601. */
export function isoTime(reading: number, clock: Clock): string {
  // The origin of the system's clock is a constant, so that equal readings have equal times.
  const start = clock === systemClock ? performance.timeOrigin : clock.now() - clock.monotonic();
  return new Date(Math.min(start + reading, LAST_TIME)).toISOString();
}
