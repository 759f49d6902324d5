/** The time of day as the API writes it: RFC 3339 in whole seconds. */
export function timestamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}
