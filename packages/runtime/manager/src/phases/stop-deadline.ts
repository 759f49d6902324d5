import { endsWithin } from '@keelson/apimachinery';

/**
 * The time at which a stop, or one step of it, must have ended. The steps of a stop share one period: each step
 * may use a fraction of the time that the earlier steps left.
 */
export class StopDeadline {
  readonly #endsAt: number;
  readonly #cut: AbortSignal;

  /** `cut` ends the period early when it aborts. */
  constructor(milliseconds: number, cut: AbortSignal) {
    this.#endsAt = performance.now() + milliseconds;
    this.#cut = cut;
  }

  /** Milliseconds until the deadline; 0 once it has passed. */
  get left(): number {
    return this.#cut.aborted ? 0 : Math.max(0, this.#endsAt - performance.now());
  }

  /** The deadline of a step that may use this fraction of the remaining time. */
  fraction(part: number): StopDeadline {
    return new StopDeadline(this.left * part, this.#cut);
  }

  /** Resolves with true if the work ends until the deadline, or within `least` milliseconds if that is later. */
  async awaits(work: Promise<unknown>, least = 0): Promise<boolean> {
    const cut = new Promise<void>((resolve) => {
      this.#cut.addEventListener('abort', () => resolve(), { once: true });
    });
    const { left } = this;
    if (left > least && !(await endsWithin(Promise.race([work, cut]), left))) return false;
    return endsWithin(work, least);
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
