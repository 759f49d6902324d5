import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { CheckRunner, found, type Check, type CheckResult } from './check-runner.ts';

describe('CheckRunner', () => {
  let results: CheckResult[];
  let runner: CheckRunner;

  beforeEach(() => {
    jest.useFakeTimers();
    results = [];
    runner = new CheckRunner({ timeout: 1000, onResult: (result) => results.push(result) });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  const check = <T>(run: Check<T>['run']): Check<T> => ({ name: 'a', cure: 'repair it', run });

  test('reports the outcomes and returns the value', async () => {
    const outcomes = [
      { status: 'ok', detail: 'one' },
      { status: 'warning', detail: 'two', cure: 'change it' },
    ] as const;
    expect(await runner.run(check(async () => ({ outcomes, value: 5 })))).toBe(5);
    expect(results).toEqual(outcomes.map((outcome) => ({ name: 'a', ...outcome })));
    expect(jest.getTimerCount()).toBe(0);
  });

  test.each([new Error('broken'), 'broken'])(
    'reports the failed check that threw %p',
    async (error) => {
      const failing = async (): Promise<never> => {
        throw error;
      };
      expect(await runner.run(check(failing))).toBeUndefined();
      expect(results).toEqual([
        { name: 'a', status: 'failed', detail: 'broken', cure: 'repair it' },
      ]);
    },
  );

  test('reports a failed check that throws before it returns a promise', async () => {
    await runner.run(
      check(() => {
        throw new Error('broken');
      }),
    );
    expect(results).toMatchObject([{ status: 'failed', detail: 'broken' }]);
  });

  test('aborts and reports a check that exceeds its time limit', async () => {
    let signal: AbortSignal | undefined;
    const ended = runner.run(
      check((given) => {
        signal = given;
        return Promise.withResolvers<never>().promise;
      }),
    );
    jest.advanceTimersByTime(1000);
    expect(await ended).toBeUndefined();
    expect(signal?.aborted).toBe(true);
    expect(results).toMatchObject([
      { status: 'failed', detail: expect.stringContaining('within its time limit') },
    ]);
  });

  test('reports a skipped check with the check that it needs', () => {
    runner.skip('b', 'a');
    expect(results).toEqual([{ name: 'b', status: 'skipped', detail: 'needs the check a' }]);
    expect(found('ok', 'c')).toEqual({ outcomes: [{ status: 'ok', detail: 'c' }] });
  });
});
