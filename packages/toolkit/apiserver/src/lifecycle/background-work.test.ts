import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { BackgroundWork } from './background-work.ts';

describe('BackgroundWork', () => {
  test('runs a job once if its key is added several times', async () => {
    const work = new BackgroundWork();
    const ran: string[] = [];
    work.add('a', () => ran.push('a'));
    work.add('a', () => ran.push('a again'));
    work.add('b', () => ran.push('b'));
    expect(ran).toEqual([]);
    await work.idle();
    expect(ran).toEqual(['a', 'b']);
  });

  test('is idle only after the jobs that its jobs added have run', async () => {
    const work = new BackgroundWork();
    const ran: string[] = [];
    work.add('a', () => work.add('b', () => ran.push('b')));
    await work.idle();
    expect(ran).toEqual(['b']);
    await work.idle();
  });

  test('runs no job after close() and is idle', async () => {
    const work = new BackgroundWork();
    const ran: string[] = [];
    work.add('a', () => ran.push('a'));
    const idle = work.idle();
    work.close();
    work.add('b', () => ran.push('b'));
    await idle;
    expect(ran).toEqual([]);
  });
});

describe('BackgroundWork with jobs that throw', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  test('runs the other jobs, and retries the failed one after 5, 10 and 20 ms', () => {
    const work = new BackgroundWork();
    const ran: (string | number)[] = [];
    const start = Date.now();
    work.add('a', () => {
      ran.push(Date.now() - start);
      if (ran.length < 5) throw new Error('not yet');
    });
    work.add('b', () => ran.push('b'));
    jest.advanceTimersByTime(1000);
    // Each run starts with a setImmediate, which takes 1 ms of fake time.
    expect(ran).toEqual([0, 'b', 6, 17, 38]);
    expect(work.failures()).toEqual([]);
  });

  test('is idle while a failed job waits for its retry, and reports its error', async () => {
    const work = new BackgroundWork();
    const error = new Error('never');
    work.add('a', () => {
      throw error;
    });
    jest.advanceTimersByTime(20);
    await work.idle();
    expect(work.isBusy).toBe(false);
    expect(work.failures()).toEqual([{ key: 'a', attempts: 3, error }]);
    work.close();
    jest.advanceTimersByTime(1000);
    expect([work.failures(), jest.getTimerCount()]).toEqual([[], 0]);
  });

  test('runs a failed job immediately when its key is added again', () => {
    const work = new BackgroundWork();
    const ran: string[] = [];
    work.add('a', () => {
      throw new Error('fails');
    });
    jest.advanceTimersByTime(1);
    work.add('a', () => ran.push('again'));
    jest.advanceTimersByTime(1);
    expect([ran, work.failures(), jest.getTimerCount()]).toEqual([['again'], [], 0]);
  });
});
