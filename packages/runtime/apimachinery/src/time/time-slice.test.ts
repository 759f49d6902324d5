import { describe, expect, test } from '@jest/globals';
import { TimeSlice } from './time-slice.ts';

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
