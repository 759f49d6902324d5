import { describe, expect, test } from '@jest/globals';
import { StatusError } from '@keelson/apimachinery';
import { ClientError } from '../errors.ts';
import { defaultRetryPolicy as policy, retryDelay, type Repeatable } from './retry.ts';

function responded(code: number, retryAfterSeconds?: number): StatusError {
  return new StatusError(
    retryAfterSeconds === undefined ? { code } : { code, details: { retryAfterSeconds } },
  );
}

const refused = new ClientError('SERVER_UNREACHABLE');
const broken = new ClientError('CONNECTION_LOST');

const limits = { policy, random: Math.random };
const read: Repeatable = { method: 'GET' };
const write: Repeatable = { method: 'PUT' };

describe('retryDelay', () => {
  test.each([
    ['GET', responded(429), true],
    ['GET', responded(503), true],
    ['HEAD', responded(504), true],
    ['OPTIONS', responded(503), true],
    ['GET', responded(500), false],
    ['GET', responded(409), false],
    ['GET', refused, true],
    ['GET', broken, true],
    ['GET', new ClientError('CERTIFICATE_NOT_TRUSTED'), false],
    ['GET', new ClientError('UNAUTHORIZED'), false],
    ['GET', new Error('foreign'), false],
    ...(['POST', 'PUT', 'PATCH', 'DELETE'] as const).flatMap(
      (method) =>
        [
          [method, responded(429), true],
          [method, responded(503), false],
          [method, responded(504), false],
          [method, refused, true],
          [method, broken, false],
        ] as const,
    ),
  ] as const)('a %s after %s is retried: %s', (method, error, again) => {
    expect(retryDelay(error, { method }, 1, limits) !== undefined).toBe(again);
    expect(retryDelay(error, { method, noRetry: true }, 1, limits)).toBeUndefined();
  });

  test('doubles the delay up to the limit, with jitter from half to all of it', () => {
    const capped = { attempts: 20, base: 100, max: 1000 };
    for (const [attempt, whole] of [
      [1, 100],
      [2, 200],
      [4, 800],
      [9, 1000],
    ] as const) {
      const delay = retryDelay(broken, read, attempt, { policy: capped, random: Math.random });
      expect(delay).toBeGreaterThanOrEqual(whole / 2);
      expect(delay).toBeLessThanOrEqual(whole);
    }
  });

  test('waits for Retry-After, and does not retry if it is too long', () => {
    expect(retryDelay(responded(429, 5), read, 1, limits)).toBeGreaterThanOrEqual(5000);
    expect(retryDelay(responded(429, 5), read, 1, limits)).toBeLessThan(5600);
    expect(retryDelay(responded(503, 0), read, 1, limits)).toBe(0);
    expect(retryDelay(responded(429, 5), write, 1, limits)).toBeGreaterThanOrEqual(5000);
    expect(retryDelay(responded(503, 3600), read, 1, limits)).toBeUndefined();
  });

  test('returns undefined after the last attempt', () => {
    expect(retryDelay(broken, read, policy.attempts - 1, limits)).toBeDefined();
    expect(retryDelay(broken, read, policy.attempts, limits)).toBeUndefined();
  });
});
