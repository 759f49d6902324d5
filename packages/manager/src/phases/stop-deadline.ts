/**
 * The time at which a stop, or one step of it, must have ended. The steps of a stop share one period: each step
 * may use a fraction of the time that the earlier steps left.
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

  /** The deadline of a step that may use this fraction of the remaining time. */
  fraction(part: number): StopDeadline {
    return new StopDeadline(this.left * part);
  }
}

/** The fraction of a stop after which the signals of running reconciles abort. */
const GRACEFUL_FRACTION = 0.9;

/**
 * The milliseconds in which running reconciles may finish before their signals abort. The rest of the time is for
 * their response to the abort.
 */
export function graceWithin(milliseconds: number): number {
  return milliseconds * GRACEFUL_FRACTION;
}
