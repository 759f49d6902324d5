import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { SharedSlice } from './shared-slice.ts';

afterEach(() => {
  jest.restoreAllMocks();
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
