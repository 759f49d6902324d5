import { systemClock, type Clock } from '@keelson/apimachinery';

/** The time of a reading of `clock.monotonic()`, in ISO 8601. */
export function isoTime(reading: number, clock: Clock): string {
  // The origin of the system's clock is a constant, so that equal readings have equal times.
  const start = clock === systemClock ? performance.timeOrigin : clock.now() - clock.monotonic();
  return new Date(start + reading).toISOString();
}
