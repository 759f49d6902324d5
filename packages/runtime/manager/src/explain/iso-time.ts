import { systemClock, type Clock } from '@keelson/apimachinery';

/** The time of a reading of `clock.monotonic()`, in ISO 8601. */
export function isoTime(reading: number, clock: Clock): string {
  // Of the system's clock always the same for a reading.
  const start = clock === systemClock ? performance.timeOrigin : clock.now() - clock.monotonic();
  return new Date(start + reading).toISOString();
}
