import { jest } from '@jest/globals';
import { useFakeTime } from './fixtures.test-support.ts';

/** Fake time in which a test blocks the event loop: the clock moves, and no timer fires meanwhile. */
export class LoopClock {
  #blockedMs = 0;

  /** Replaces timers and `performance.now` until the test restores them. */
  constructor() {
    useFakeTime({ setImmediate: true });
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + this.#blockedMs);
  }

  /** Lets the clock of the process move while the caller runs. */
  block(milliseconds: number): void {
    this.#blockedMs += milliseconds;
  }

  /** Lets time pass while the event loop is idle. */
  async pass(milliseconds: number): Promise<void> {
    await jest.advanceTimersByTimeAsync(milliseconds);
  }
}
