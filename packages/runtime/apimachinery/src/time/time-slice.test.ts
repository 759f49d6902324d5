import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { SharedSlice, TimeSlice } from './time-slice.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

describe('TimeSlice', () => {
  test('is due without work after every 64th step, whatever the clock says', () => {
    const slice = new TimeSlice(() => 0);
    const due = Array.from({ length: 128 }, () => slice.isDueWithoutWork());
    expect(due.flatMap((isDue, at) => (isDue ? [at + 1] : []))).toEqual([64, 128]);
  });

  test('is due after the duration of its steps, and waits do not count', async () => {
    let now = 0;
    const slice = new TimeSlice(() => now);
    expect(slice.isDue()).toBe(false);
    now = 4.9;
    expect(slice.isDue()).toBe(false);
    now = 1_000;
    slice.resume();
    expect(slice.isDue()).toBe(false);
    now += 0.1;
    expect(slice.isDue()).toBe(true);
    await slice.pause();
    expect(slice.isDue()).toBe(false);
  });
});

/** Ends after the callbacks of the current turn of the event loop. */
async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

describe('SharedSlice', () => {
  test('gives its users 5 ms of a turn together, then resumes each of them once in the next turn', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
    const slice = new SharedSlice();
    const resume = jest.fn();
    expect(slice.hasTime(resume)).toBe(true);
    clock.mockReturnValue(4.9);
    expect(slice.next()).toBeUndefined();
    clock.mockReturnValue(5);
    expect(slice.hasTime(resume)).toBe(false);
    expect(slice.hasTime(resume)).toBe(false);
    const next = slice.next();
    expect(resume).not.toHaveBeenCalled();
    await nextTurn();
    await next;
    expect(resume).toHaveBeenCalledTimes(1);
    expect(slice.hasTime(resume)).toBe(true);
  });
});
