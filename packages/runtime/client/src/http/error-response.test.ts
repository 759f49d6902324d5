import { describe, expect, jest, test } from '@jest/globals';
import { isAlreadyExists, isGone, isNotFound } from '@keelson/apimachinery';
import { retryAfterSeconds, statusErrorOf, type ErrorResponse } from './error-response.ts';

function responseOf(facts: Partial<ErrorResponse>): ErrorResponse {
  return {
    statusCode: 404,
    contentType: 'application/json',
    retryAfter: undefined,
    body: '',
    secrets: [],
    method: 'GET',
    path: '/api/v1/pods/a',
    ...facts,
  };
}

describe('statusErrorOf', () => {
  test('keeps the Status that the server sent', () => {
    const body = JSON.stringify({
      kind: 'Status',
      reason: 'AlreadyExists',
      message: 'pods "a" already exists',
      details: { name: 'a' },
      code: 409,
    });
    const error = statusErrorOf(responseOf({ statusCode: 409, body }));
    expect(isAlreadyExists(error)).toBe(true);
    expect(error.status.details).toEqual({ name: 'a' });
    expect(error.facts).toEqual({ method: 'GET', path: '/api/v1/pods/a' });
    expect(error.message).toContain('pods "a" already exists');
  });

  test('reads the plain text of a 404 for an unknown group', () => {
    const error = statusErrorOf(
      responseOf({ contentType: 'text/plain', body: '404 page not found\n' }),
    );
    expect(isNotFound(error)).toBe(true);
    expect(error.status.message).toBe('404 page not found');
  });

  test('takes the title of the HTML page of a proxy', () => {
    const body = '<html><head><title>502 Bad Gateway</title></head><body>long</body></html>';
    const error = statusErrorOf(responseOf({ statusCode: 502, contentType: 'text/html', body }));
    expect(error.status).toMatchObject({
      message: '502 Bad Gateway',
      code: 502,
      reason: 'Unknown',
    });
  });

  test('takes the message of JSON that is not a Status', () => {
    const error = statusErrorOf(
      responseOf({ statusCode: 503, body: '{"message":"upstream is down"}' }),
    );
    expect(error.status).toMatchObject({
      message: 'upstream is down',
      reason: 'ServiceUnavailable',
    });
  });

  test.each([
    ['application/json', '{"kind":'],
    ['application/vnd.kubernetes.protobuf', 'k8s\0...'],
    ['', ''],
  ])('reports the HTTP status if the %s body has no message', (contentType, body) => {
    const error = statusErrorOf(responseOf({ statusCode: 410, contentType, body }));
    expect(isGone(error)).toBe(true);
    expect(error.status.message).toMatch(/HTTP status 410|^k8s/);
  });

  test('limits the length of a long text', () => {
    const error = statusErrorOf(
      responseOf({ contentType: 'text/plain', body: 'x'.repeat(100_000) }),
    );
    expect(error.status.message).toHaveLength(1024);
  });

  test('limits the causes and the other members of a Status', () => {
    const text = 'x'.repeat(100_000);
    const causes = Array.from({ length: 1000 }, () => ({ message: text, field: 'spec.f' }));
    const body = JSON.stringify({
      kind: 'Status',
      details: { name: 'a', causes },
      extra: { list: causes },
    });
    const { status } = statusErrorOf(responseOf({ statusCode: 422, body }));
    expect(status.details).toMatchObject({ name: 'a' });
    expect(status.details?.causes?.[0]).toMatchObject({ field: 'spec.f' });
    expect(JSON.stringify(status).length).toBeLessThan(150_000);
  });

  test('adds Retry-After to the details, unless the Status has its own', () => {
    const bare = statusErrorOf(responseOf({ statusCode: 429, retryAfter: '7' }));
    expect(bare.retryAfter).toBe(7000);
    const body = JSON.stringify({ kind: 'Status', details: { retryAfterSeconds: 3 } });
    expect(statusErrorOf(responseOf({ statusCode: 429, retryAfter: '7', body })).retryAfter).toBe(
      3000,
    );
  });
});

test('retryAfterSeconds reads seconds and dates', () => {
  expect(retryAfterSeconds('12')).toBe(12);
  jest.useFakeTimers({ now: 1_000_000_000_000 });
  try {
    expect(retryAfterSeconds(new Date(Date.now() + 60_000).toUTCString())).toBe(60);
  } finally {
    jest.useRealTimers();
  }
  expect(retryAfterSeconds('Thu, 01 Jan 1970 00:00:00 GMT')).toBe(0);
  expect(retryAfterSeconds('soon')).toBeUndefined();
  expect(retryAfterSeconds(undefined)).toBeUndefined();
});
