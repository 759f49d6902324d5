import { parseDuration, type Clock, type Duration } from '@keelson/apimachinery';
import { EnvtestError } from '../errors.ts';
import { Quiet, type QuietLimits } from './quiet.ts';
import { seeded } from './seeded.ts';
import { VirtualTimers } from './virtual-timers.ts';
import { WorkCount } from './work-count.ts';

/** The start and the limits of a virtual clock. */
export interface VirtualClockOptions extends QuietLimits {
  /** Milliseconds since 1970. */
  readonly start: number;
  /** The seed of the random numbers. */
  readonly seed: number;
}

/**
 * A clock whose time passes only in `advance`. Timers fire in the order of their times. Between two of them all work that
 * follows from the first one ends.
 */
export class VirtualClock implements Clock {
  readonly activity: WorkCount = new WorkCount();
  readonly random: () => number;
  readonly #start: number;
  readonly #timers = new VirtualTimers();
  readonly #quiet: Quiet;
  /** Milliseconds since the start. */
  #elapsed = 0;
  #isAdvancing = false;

  constructor({ start, seed, ...limits }: VirtualClockOptions) {
    this.random = seeded(seed);
    this.#start = start;
    this.#quiet = new Quiet(this.activity, limits);
  }

  now(): number {
    return Math.floor(this.#start + this.#elapsed);
  }

  monotonic(): number {
    return this.#elapsed;
  }

  startTimer(milliseconds: number, fire: () => void): () => void {
    return this.#timers.add(this.#elapsed + Math.max(0, milliseconds), fire);
  }

  /**
   * Lets time pass. Resolves when all work at the last moment has ended. Throws `INVALID_OPTION`, `TIME_ADVANCING` and
   * `TIME_NOT_SETTLED`.
   */
  async advance(duration: Duration): Promise<void> {
    await this.#pass(parseDuration(duration, 'advance'));
  }

  /** Resolves when all work at the present time has ended. Throws `TIME_ADVANCING` and `TIME_NOT_SETTLED`. */
  async settled(): Promise<void> {
    await this.#pass(0);
  }

  async #pass(milliseconds: number): Promise<void> {
    if (this.#isAdvancing) throw new EnvtestError('TIME_ADVANCING');
    this.#isAdvancing = true;
    try {
      await this.#passUntil(this.#elapsed + milliseconds);
    } finally {
      this.#isAdvancing = false;
    }
  }

  async #passUntil(end: number): Promise<void> {
    this.#quiet.restart();
    await this.#quiet.reached();
    for (
      let next = this.#timers.next;
      next !== undefined && next <= end;
      next = this.#timers.next
    ) {
      this.#moveTo(next);
      this.activity.changes += 1;
      this.#timers.fireNext();
      await this.#quiet.reached();
    }
    this.#moveTo(end);
  }

  /** A time that passes ends the count of the steps at one time. */
  #moveTo(time: number): void {
    if (time <= this.#elapsed) return;
    this.#elapsed = time;
    this.#quiet.restart();
  }
}
