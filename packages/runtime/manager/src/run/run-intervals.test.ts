import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CauseSet } from '../reconcile/cause.ts';
import { RunIntervals } from './run-intervals.ts';

const source = new CauseSet('controller');
const requestOf = (key: string): { key: string; request: object } => ({ key, request: {} });
const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);

interface Noting {
  readonly intervals: RunIntervals<object>;
  /** The keys whose intervals have ended, with the time. */
  readonly due: { key: string; at: number }[];
}

function noting(interval: number): Noting {
  const due: Noting['due'] = [];
  const intervals = new RunIntervals<object>({
    onDue: ({ key }) => void due.push({ key, at: performance.now() }),
    inContext: (act) => act(),
  });
  intervals.replace(interval);
  return { intervals, due };
}

describe('RunIntervals', () => {
  beforeEach(() => {
    jest.useFakeTimers({ now: 0 });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test('ends each interval once, spread over its last tenth', async () => {
    const { intervals, due } = noting(10_000);
    for (let at = 0; at < 500; at += 1) intervals.schedule(requestOf(`k${at}`), source);
    expect([intervals.size, jest.getTimerCount()]).toEqual([500, 1]);
    await pass(8980);
    expect(due).toEqual([]);
    await pass(1020);
    expect(new Set(due.map(({ key }) => key)).size).toBe(500);
    const times = due.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    // Tens of different times, and none of them has most of the requests.
    expect(new Set(times).size).toBeGreaterThan(40);
    await pass(100_000);
    expect(due).toHaveLength(500);
    expect([intervals.size, jest.getTimerCount()]).toEqual([0, 0]);
  });

  test('a request that is scheduled again has the later time only', async () => {
    const { intervals, due } = noting(1000);
    for (let at = 0; at < 20; at += 1) {
      intervals.schedule(requestOf('a'), source);
      await pass(800);
    }
    expect(due).toEqual([]);
    await pass(200);
    expect(due).toHaveLength(1);
  });

  test('a later request does not delay an earlier one', async () => {
    const { intervals, due } = noting(1000);
    intervals.schedule(requestOf('a'), source);
    await pass(500);
    intervals.schedule(requestOf('b'), source);
    await pass(500);
    expect(due.map(({ key }) => key)).toEqual(['a']);
  });

  test('cancel, withdraw and close keep nothing, and no timer', async () => {
    const { intervals, due } = noting(1000);
    const other = new CauseSet('other');
    const fill = (): void => {
      for (const key of ['a', 'b']) intervals.schedule(requestOf(key), source);
      intervals.schedule(requestOf('c'), other);
    };
    fill();
    intervals.cancel('unknown');
    intervals.cancel('a');
    expect([intervals.size, jest.getTimerCount()]).toEqual([2, 1]);
    intervals.withdraw(new Set([source]));
    expect([intervals.size, jest.getTimerCount()]).toEqual([1, 1]);
    intervals.withdraw(new Set([other]));
    expect([intervals.size, jest.getTimerCount()]).toEqual([0, 0]);
    fill();
    intervals.close();
    expect([intervals.size, jest.getTimerCount()]).toEqual([0, 0]);
    await pass(10_000);
    expect(due).toEqual([]);
  });

  test('more requests than one turn of the event loop allows follow in the next turns', async () => {
    const { intervals, due } = noting(1);
    for (let at = 0; at < 2500; at += 1) intervals.schedule(requestOf(`k${at}`), source);
    const counts: number[] = [];
    while (intervals.size > 0) {
      jest.advanceTimersToNextTimer();
      counts.push(due.length);
    }
    expect(counts.at(-1)).toBe(2500);
    expect(counts[0]).toBeLessThanOrEqual(1000);
  });

  test('an interval above 2^31−1 ms does not end early', async () => {
    const interval = 2 ** 33;
    const { intervals, due } = noting(interval);
    intervals.schedule(requestOf('a'), source);
    await pass(interval * 0.89);
    expect(due).toEqual([]);
    await pass(interval * 0.11);
    expect(due).toHaveLength(1);
  });

  test('keeps the time of a scheduled request unless the new interval ends earlier', async () => {
    const { intervals, due } = noting(10_000);
    intervals.schedule(requestOf('a'), source);
    await pass(5_000);
    intervals.replace(100_000);
    intervals.schedule(requestOf('b'), source);
    await pass(5_001);
    expect(due.map(({ key }) => key)).toEqual(['a']);
    intervals.replace(1_000);
    await pass(1_001);
    expect(due.map(({ key }) => key)).toEqual(['a', 'b']);
    intervals.schedule(requestOf('c'), source);
    intervals.replace(0);
    expect([intervals.size, jest.getTimerCount()]).toEqual([0, 0]);
  });

  test('starts its timers in the context of the controller', async () => {
    jest.useRealTimers();
    const trace = new AsyncLocalStorage<string>();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const intervals = new RunIntervals<object>({
      onDue: () => resolve(trace.getStore()),
      inContext: (act) => trace.run('controller', act),
    });
    intervals.replace(1);
    trace.run('run', () => intervals.schedule(requestOf('a'), source));
    await expect(promise).resolves.toBe('controller');
  });
});
