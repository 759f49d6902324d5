/** The last second that RFC 3339 can represent: 9999-12-31T23:59:59Z. */
const LAST_TIME_MS = 253_402_300_799_000;

/** Formats times of a clock. The times of one second, such as those of many writes, share a text. */
export class Timestamps {
  #second = NaN;
  #text = '';

  of(now: number): string {
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = timestamp(now);
    }
    return this.#text;
  }
}

/** Formats a time as the API does: RFC 3339 in whole seconds, at most the end of the year 9999. */
export function timestamp(now: number): string {
  return `${new Date(Math.min(now, LAST_TIME_MS)).toISOString().slice(0, 19)}Z`;
}
