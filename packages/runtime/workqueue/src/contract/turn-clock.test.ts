import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { turnClock } from './turn-clock.ts';

function counted(): { clock: ReturnType<typeof turnClock>; read: () => number } {
  let time = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => (time += 1));
  return { clock: turnClock(), read: () => time };
}

afterEach(() => {
  jest.restoreAllMocks();
});

describe('turnClock', () => {
  test('reads the time once for all calls of a turn', () => {
    const { clock, read } = counted();
    expect([clock.thisTurn(), clock.thisTurn(), clock.thisTurn()]).toEqual([1, 1, 1]);
    expect(read()).toBe(1);
  });

  test('reads the time again after an await', async () => {
    const { clock } = counted();
    expect(clock.thisTurn()).toBe(1);
    await Promise.resolve();
    expect([clock.thisTurn(), clock.thisTurn()]).toEqual([2, 2]);
  });

  test('`now` reads the time each time, which then is that of the turn', () => {
    const { clock } = counted();
    clock.thisTurn();
    expect([clock.now(), clock.now(), clock.thisTurn()]).toEqual([2, 3, 3]);
  });

  test('a reading `once` is the last time of a turn that has begun, and begins none', async () => {
    const { clock } = counted();
    const once = (): number => clock.thisTurn('once');
    expect([once(), once(), clock.thisTurn(), once()]).toEqual([1, 2, 3, 3]);
    expect([clock.now(), once()]).toEqual([4, 4]);
    await Promise.resolve();
    expect(once()).toBe(5);
  });

  test('`now` alone begins no turn', () => {
    const { clock } = counted();
    expect([clock.now(), clock.thisTurn()]).toEqual([1, 2]);
  });
});
