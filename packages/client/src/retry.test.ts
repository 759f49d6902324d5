import { describe, expect, test } from '@jest/globals';
import { StatusError } from '@keelson/apimachinery';
import { ClientError } from './errors.ts';
import { defaultRetryPolicy as policy, retryDelay } from './retry.ts';

function answered(code: number, retryAfterSeconds?: number): StatusError {
  return new StatusError(
    retryAfterSeconds === undefined ? { code } : { code, details: { retryAfterSeconds } },
  );
}

const refused = new ClientError('SERVER_UNREACHABLE');
const broken = new ClientError('CONNECTION_LOST');

describe('retryDelay', () => {
  test.each([
    ['safe', answered(429), true],
    ['safe', answered(503), true],
    ['safe', answered(504), true],
    ['safe', answered(500), false],
    ['safe', answered(409), false],
    ['safe', refused, true],
    ['safe', broken, true],
    ['safe', new ClientError('CERTIFICATE_NOT_TRUSTED'), false],
    ['safe', new ClientError('UNAUTHORIZED'), false],
    ['safe', new Error('foreign'), false],
    ['unprocessed', answered(429), true],
    ['unprocessed', answered(503), false],
    ['unprocessed', answered(504), false],
    ['unprocessed', refused, true],
    ['unprocessed', broken, false],
    ['never', answered(429), false],
    ['never', refused, false],
  ] as const)('a request that is repeatable %s after %s: %s', (repeatable, error, again) => {
    expect(retryDelay(error, repeatable, 1, policy) !== undefined).toBe(again);
  });

  test('doubles to the cap, between half and whole', () => {
    const capped = { attempts: 20, base: 100, max: 1000 };
    for (const [attempt, whole] of [
      [1, 100],
      [2, 200],
      [4, 800],
      [9, 1000],
    ] as const) {
      const delay = retryDelay(broken, 'safe', attempt, capped);
      expect(delay).toBeGreaterThanOrEqual(whole / 2);
      expect(delay).toBeLessThanOrEqual(whole);
    }
  });

  test('waits as long as the server asks, and not at all for one that asks for too much', () => {
    expect(retryDelay(answered(429, 5), 'safe', 1, policy)).toBeGreaterThanOrEqual(5000);
    expect(retryDelay(answered(429, 5), 'safe', 1, policy)).toBeLessThan(5600);
    expect(retryDelay(answered(503, 0), 'safe', 1, policy)).toBe(0);
    expect(retryDelay(answered(503, 3600), 'safe', 1, policy)).toBeUndefined();
  });

  test('ends with the last attempt', () => {
    expect(retryDelay(broken, 'safe', policy.attempts - 1, policy)).toBeDefined();
    expect(retryDelay(broken, 'safe', policy.attempts, policy)).toBeUndefined();
  });
});
