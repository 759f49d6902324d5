/**
 * The time at which a stop, or a part of it, must be over. All parts of a stop share one period:
 * each gets a part of the time that the parts before it left.
 */
export class StopDeadline {
  readonly #endsAt: number;

  constructor(milliseconds: number) {
    this.#endsAt = performance.now() + milliseconds;
  }

  /** Milliseconds until the deadline; 0 once it has passed. */
  get left(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  /** The deadline of a part that may use this fraction of the remaining time. */
  fraction(part: number): StopDeadline {
    return new StopDeadline(this.left * part);
  }
}

/** The fraction of the time of a stop in which reconciles may finish before their signals abort. */
const gracefulFraction = 0.9;

/** How long reconciles may finish if they must have ended after this time; the rest is for noticing the abort. */
export function graceWithin(milliseconds: number): number {
  return milliseconds * gracefulFraction;
}
