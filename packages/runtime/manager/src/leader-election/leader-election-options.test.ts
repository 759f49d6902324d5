import { describe, expect, test } from '@jest/globals';
import { checkLeaderElection } from './leader-election-options.ts';

describe('the options of leader election', () => {
  test.each([
    [{ leaseDuration: '10s', renewDeadline: '10s' }, 'renewDeadline'],
    [{ leaseDuration: '5s' }, 'renewDeadline'],
    [{ retryPeriod: '9s' }, 'retryPeriod'],
    [{ retryPeriod: 0 }, 'retryPeriod'],
    [{ leaseDuration: '1500ms', renewDeadline: '1s', retryPeriod: '100ms' }, 'leaseDuration'],
    [{ leaseDuration: 0, renewDeadline: 0 }, 'leaseDuration'],
  ])('LE09 refuses the timings %j, and names %s', (timings, option) => {
    expect(() => checkLeaderElection({ lease: 'a', ...timings } as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        message: expect.stringContaining(`createManager.leaderElection.${option}`) as unknown,
      }),
    );
  });

  test('the defaults are those of client-go', () => {
    expect(checkLeaderElection({ lease: 'a' })).toMatchObject({
      timings: { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 },
      namespace: undefined,
      releaseOnStop: true,
    });
  });
});
