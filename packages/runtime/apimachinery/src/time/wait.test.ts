import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { abortable, endsWithin, loadOnce, pause } from './wait.ts';

afterEach(() => {
  jest.useRealTimers();
});

describe('pause', () => {
  test('resolves after its time and leaves no listener', async () => {
    jest.useFakeTimers();
    const stop = new AbortController();
    const removed = jest.spyOn(stop.signal, 'removeEventListener');
    const paused = pause(1000, [undefined, stop.signal]);
    await jest.advanceTimersByTimeAsync(1000);
    await expect(paused).resolves.toBeUndefined();
    expect(removed).toHaveBeenCalledTimes(1);
  });

  test('rejects at once with the reason of the first abort and leaves no timer', async () => {
    jest.useFakeTimers();
    const signals = [new AbortController(), new AbortController()] as const;
    const paused = pause(1_000_000, [signals[0].signal, signals[1].signal]);
    signals[1].abort(new Error('second'));
    signals[0].abort(new Error('first'));
    await expect(paused).rejects.toThrow('second');
    expect(jest.getTimerCount()).toBe(0);
    await expect(pause(1, [signals[0].signal])).rejects.toThrow('first');
    expect(jest.getTimerCount()).toBe(0);
  });
});

describe('abortable', () => {
  test('settles with the result, the error or the abort, whichever is first', async () => {
    const stop = new AbortController();
    await expect(abortable(Promise.resolve(1), [stop.signal])).resolves.toBe(1);
    await expect(abortable(Promise.reject(new Error('own')), [stop.signal])).rejects.toThrow('own');
    const never = Promise.withResolvers<void>();
    const waiting = abortable(never.promise, [stop.signal]);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(abortable(never.promise, [stop.signal])).rejects.toThrow('enough');
  });

  test('leaves no unhandled rejection if an error follows the abort', async () => {
    const late = Promise.withResolvers<void>();
    const unhandled = jest.fn();
    process.once('unhandledRejection', unhandled);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(abortable(late.promise, [signal])).rejects.toThrow('enough');
    late.reject(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('endsWithin', () => {
  test('is true for work that settles in time, also with an error, and leaves no timer', async () => {
    jest.useFakeTimers();
    await expect(endsWithin(Promise.resolve(), 1000)).resolves.toBe(true);
    await expect(endsWithin(Promise.reject(new Error('own')), 1000)).resolves.toBe(true);
    expect(jest.getTimerCount()).toBe(0);
  });

  test('is false after its time', async () => {
    jest.useFakeTimers();
    const ends = endsWithin(Promise.withResolvers<void>().promise, 1000);
    await jest.advanceTimersByTimeAsync(1000);
    await expect(ends).resolves.toBe(false);
  });
});

describe('loadOnce', () => {
  test('loads again after a failure and keeps the first value', async () => {
    let loads = 0;
    const load = loadOnce(async () => {
      loads += 1;
      if (loads === 1) throw new Error('no file');
      return loads;
    });
    await expect(load()).rejects.toThrow('no file');
    expect(await Promise.all([load(), load()])).toEqual([2, 2]);
    expect(await load()).toBe(2);
  });
});
