import { afterEach, beforeEach, jest } from '@jest/globals';

/** In each of the tests around, time stands still unless `pass` is called; what needs no time happens all the same. */
export function stopTheClock(): void {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
}

/** Lets time pass, then lets everything happen that needs none. */
export async function pass(milliseconds: number): Promise<void> {
  await jest.advanceTimersByTimeAsync(milliseconds);
  for (let turn = 0; turn < 5; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await jest.advanceTimersByTimeAsync(0);
  }
}
