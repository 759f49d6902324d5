import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { useFakeTime } from '../testing/fixtures.test-support.ts';
import { BoundedRequests } from './bounded-requests.ts';

let requests: BoundedRequests;
/** Each request that runs ends with its signal, or by this function. */
let running: { readonly end: (result: string) => void; readonly signal: AbortSignal }[];

beforeEach(() => {
  useFakeTime();
  requests = new BoundedRequests({ running: 2, timeout: 2000 });
  running = [];
});

afterEach(() => void jest.useRealTimers());

/** A request that hangs. */
function hanging(signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  running.push({ end: resolve, signal });
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}

const started = (signals?: readonly AbortSignal[]): Promise<string> => {
  const result = requests.run(hanging, signals);
  result.catch(() => undefined);
  return result;
};

const turns = (): Promise<void> => jest.advanceTimersByTimeAsync(0);

describe('the requests to the API server for responses', () => {
  test('run two at a time, and the next one when one has ended', async () => {
    const [first, , third] = [started(), started(), started()];
    await turns();
    expect(running).toHaveLength(2);
    running[0]?.end('one');
    expect(await first).toBe('one');
    await turns();
    expect(running).toHaveLength(3);
    running[2]?.end('three');
    expect(await third).toBe('three');
  });

  test('end after the limit of time, with their wait for a place', async () => {
    const [first, second, third] = [started(), started(), started()];
    await jest.advanceTimersByTimeAsync(1999);
    expect(running.map(({ signal }) => signal.aborted)).toEqual([false, false]);
    await jest.advanceTimersByTimeAsync(1);
    expect(running.slice(0, 2).map(({ signal }) => signal.aborted)).toEqual([true, true]);
    for (const one of [first, second, third]) {
      await expect(one).rejects.toThrow('no response of the API server within 2 s');
    }
    expect(jest.getTimerCount()).toBe(0);
  });

  test('end with a signal, running or waiting, and free their places', async () => {
    const gone = new AbortController();
    const all = [started([gone.signal]), started([gone.signal]), started([gone.signal])];
    await turns();
    gone.abort(new Error('the reader is gone'));
    for (const one of all) await expect(one).rejects.toThrow('the reader is gone');
    expect(running.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    await expect(requests.run(async () => 'sent')).resolves.toBe('sent');
    await expect(requests.run(hanging, [gone.signal])).rejects.toThrow('the reader is gone');
    expect(running).toHaveLength(2);
  });

  test('keep their places until they have really ended', async () => {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const deaf = (): Promise<void> => ended;
    const late = [requests.run(deaf), requests.run(deaf)].map((one) => one.catch(String));
    await jest.advanceTimersByTimeAsync(2000);
    expect(await Promise.all(late)).toHaveLength(2);
    const next = started();
    await turns();
    expect(running).toEqual([]);
    end();
    await turns();
    expect(running).toHaveLength(1);
    running[0]?.end('next');
    expect(await next).toBe('next');
  });

  test('free the place of one that throws', async () => {
    const failing = (): Promise<never> => {
      throw new Error('no');
    };
    for (let index = 0; index < 5; index += 1) {
      await expect(requests.run(failing)).rejects.toThrow('no');
    }
    await expect(requests.run(async () => 'sent')).resolves.toBe('sent');
  });
});
