import { getEventListeners } from 'node:events';
import { describe, expect, jest, test } from '@jest/globals';
import { systemClock as clock } from '@keelson/apimachinery';
import { withDeadline } from './deadline.ts';

describe('withDeadline', () => {
  test('passes the signal of the caller through without a time limit', async () => {
    const { signal } = new AbortController();
    expect(await withDeadline({ signal }, { clock, facts: {} }, async (given) => given)).toBe(
      signal,
    );
  });

  test('leaves no listener on the signal of the caller and no timer, however the call ends', async () => {
    jest.useFakeTimers();
    try {
      const { signal } = new AbortController();
      const options = { signal, timeout: '1m' } as const;
      const seen = await withDeadline(options, { clock, facts: {} }, async () => {
        expect(jest.getTimerCount()).toBe(1);
        return getEventListeners(signal, 'abort').length;
      });
      expect(seen).toBe(1);
      const failing = withDeadline(options, { clock, facts: {} }, () =>
        Promise.reject(new Error('no')),
      );
      await expect(failing).rejects.toThrow('no');
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  test('aborts with the reason of the caller, and does not begin after an abort', async () => {
    const source = new AbortController();
    const reason = new Error('enough');
    const call = withDeadline(
      { signal: source.signal, timeout: 60_000 },
      { clock, facts: {} },
      (signal) => {
        source.abort(reason);
        return Promise.resolve(signal?.reason as unknown);
      },
    );
    expect(await call).toBe(reason);
    const run = jest.fn(() => Promise.resolve());
    const late = withDeadline(
      { signal: source.signal, timeout: 60_000 },
      { clock, facts: {} },
      run,
    );
    await expect(late).rejects.toBe(reason);
    expect(run).not.toHaveBeenCalled();
  });

  test('aborts with REQUEST_TIMEOUT, the facts and the limit when the time is over', async () => {
    jest.useFakeTimers();
    try {
      let given: AbortSignal | undefined;
      const call = withDeadline({ timeout: '5s' }, { clock, facts: { path: '/x' } }, (signal) => {
        given = signal;
        return new Promise<void>((resolve) => setTimeout(resolve, 10_000));
      });
      await jest.advanceTimersByTimeAsync(4_999);
      expect(given?.aborted).toBe(false);
      await jest.advanceTimersByTimeAsync(1);
      expect(given?.reason).toMatchObject({
        code: 'REQUEST_TIMEOUT',
        facts: { path: '/x', timeout: '5s' },
      });
      await jest.advanceTimersByTimeAsync(10_000);
      await call;
    } finally {
      jest.useRealTimers();
    }
  });
});
