/** A time as API objects have it: RFC 3339 in whole seconds. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, -5)}Z`;
}

/** The milliseconds of a time, 0 without one. */
export function millisecondsOf(time: string | undefined): number {
  return time === undefined ? 0 : Date.parse(time);
}
