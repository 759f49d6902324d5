import { afterEach, beforeEach, jest } from '@jest/globals';

/**
 * Stops the clock in all tests of the file: timers run only in `pass`, other work runs as usual.
 */
export function stopTheClock(): void {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
}

/** Advances the clock, then runs all work that needs no timer. */
export async function pass(milliseconds: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(milliseconds);
  for (let turn = 0; turn < 5; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await jest.advanceTimersByTimeAsync(0);
  }
}
