/** The time of a reading of `performance.now()`, in ISO 8601. */
export function isoTime(reading: number): string {
  return new Date(performance.timeOrigin + reading).toISOString();
}
