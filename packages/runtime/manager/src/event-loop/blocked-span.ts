/** A time in which one piece of code kept the event loop busy. */
export interface BlockedSpan {
  /** A reading of `performance.now`. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** The stack frames of the last await before it, the innermost first; `undefined` if awaits are not traced. */
  readonly awaitedAt?: readonly string[] | undefined;
}
