import { jest } from '@jest/globals';

/** The clock of a course. */
export interface CourseTime {
  /** Milliseconds since the start of the course. */
  now(): number;
  /** Advances the clock, or waits, by this time. */
  pass(milliseconds: number): Promise<void>;
}

/** Stops the clock of this process. */
export function stopTime(): void {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'performance', 'queueMicrotask', 'setImmediate'] });
}

/** Restarts the clock. */
export function releaseTime(): void {
  jest.useRealTimers();
}

/** Turns of the event loop that give sockets the time to deliver data. */
const TURNS_PER_STEP = 10;
/** Real milliseconds to wait for a response. A response that waits for the stopped clock never arrives. */
const RESPONSE_TIMEOUT_MS = 4_000;
/** The clock advances by at least this many milliseconds, in a limited number of steps. */
const STEP_MS = 50;
const MAX_STEPS = 1_000;

/**
 * A stopped clock that the test advances, while sockets work normally. An hour without data takes no real hour, and
 * the waiting time of a client does not depend on the speed of the machine.
 */
export class StoppedTime implements CourseTime {
  readonly #isBusy: () => boolean;
  #now = 0;
  #busySince: number | undefined;

  /** `isBusy`: returns true while data is in transit; the clock then waits for it. */
  constructor(isBusy: () => boolean) {
    this.#isBusy = isBusy;
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'performance', 'queueMicrotask', 'setImmediate'],
    });
  }

  now(): number {
    return this.#now;
  }

  async pass(milliseconds: number): Promise<void> {
    await this.#settle();
    const longest = Math.max(STEP_MS, milliseconds / MAX_STEPS);
    for (let left = milliseconds; left > 0; left -= longest) {
      const step = Math.min(left, longest);
      this.#now += step;
      await jest.advanceTimersByTimeAsync(step);
      await this.#settle();
    }
  }

  async #settle(): Promise<void> {
    for (let turn = 0; turn < TURNS_PER_STEP || this.#isWorthWaiting(); turn++) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  #isWorthWaiting(): boolean {
    if (!this.#isBusy()) this.#busySince = undefined;
    else this.#busySince ??= performance.now();
    return (
      this.#busySince !== undefined && performance.now() < this.#busySince + RESPONSE_TIMEOUT_MS
    );
  }
}

/** The real clock, for faults of processes. */
export class RealTime implements CourseTime {
  readonly #start: number = performance.now();

  now(): number {
    return performance.now() - this.#start;
  }

  async pass(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
