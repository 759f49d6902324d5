import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { processTime, sleep } from './election-time.ts';

describe('processTime', () => {
  test('includes the time in which the computer was suspended', () => {
    const clocks = { running: 1_000, elapsed: 900_000 };
    const time = processTime({ running: () => clocks.running, elapsed: () => clocks.elapsed });
    expect(time.now()).toBe(1_000);
    clocks.running += 500;
    clocks.elapsed += 500;
    expect(time.now()).toBe(1_500);
    // The computer sleeps for a minute.
    clocks.elapsed += 60_000;
    expect(time.now()).toBe(61_500);
    clocks.running += 10;
    clocks.elapsed += 10;
    expect(time.now()).toBe(61_510);
  });

  test('ignores the coarse steps of the other clock, and never goes back', () => {
    const clocks = { running: 0, elapsed: 0 };
    const time = processTime({ running: () => clocks.running, elapsed: () => clocks.elapsed });
    let before = time.now();
    for (let step = 0; step < 50; step += 1) {
      clocks.running += 250;
      clocks.elapsed = Math.floor(clocks.running / 1000) * 1000 + 999;
      const now = time.now();
      expect(now).toBe(clocks.running);
      expect(now).toBeGreaterThanOrEqual(before);
      before = now;
    }
  });

  test('its clocks of the computer agree to within the resolution', () => {
    const time = processTime();
    const began = performance.now();
    const first = time.now();
    const elapsed = time.now() - first;
    // The process may be interrupted between two readings, so only the bounds are known.
    expect(elapsed).toBeLessThan(performance.now() - began + 2_000);
    expect(elapsed).toBeGreaterThanOrEqual(0);
  });
});

describe('sleep', () => {
  test('rejects with the reason of its signal, and leaves neither timer nor listener', async () => {
    const stop = new AbortController();
    const timers = new Set<() => void>();
    const time = {
      startTimer(_: number, fire: () => void) {
        timers.add(fire);
        return () => void timers.delete(fire);
      },
    };
    const slept = sleep(time, 10, stop.signal);
    expect(timers.size).toBe(1);
    stop.abort(new Error('stopped'));
    await expect(slept).rejects.toThrow('stopped');
    await expect(sleep(time, 10, stop.signal)).rejects.toThrow('stopped');
    expect(timers.size).toBe(0);
    const quiet = new AbortController();
    const over = sleep(time, 10, quiet.signal);
    for (const fire of timers) fire();
    await over;
    expect(getEventListeners(quiet.signal, 'abort')).toEqual([]);
  });
});
