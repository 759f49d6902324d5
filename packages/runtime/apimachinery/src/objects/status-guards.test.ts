import { describe, expect, test } from '@jest/globals';

import { CodedError } from '../coded-error.ts';
import { StatusError, type Status } from './status.ts';
import {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isResourceVersionTooLarge,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
  statusOf,
} from './status-guards.ts';

const guards = {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isTimeout,
  isTooManyRequests,
  isUnauthorized,
};

/** Returns the names of the guards that match the error. */
function matching(error: unknown): string[] {
  return Object.entries(guards)
    .filter(([, guard]) => guard(error))
    .map(([name]) => name);
}

/** Creates an error like those of client-node's typed APIs: its members and the beginning of its message. */
function apiException(code: number, body: unknown): Error {
  const message = `HTTP-Code: ${code}\nMessage: Unknown API Status Code!\nBody: "…"\nHeaders: {}`;
  return Object.assign(new Error(message), { code, body, headers: {} });
}

describe('status guards', () => {
  test.each<[Status, string[]]>([
    [{ code: 404, reason: 'NotFound' }, ['isNotFound']],
    [{ code: 404 }, ['isNotFound']],
    [{ reason: 'NotFound' }, ['isNotFound']],
    [{ code: 409, reason: 'Conflict' }, ['isConflict']],
    [{ code: 409, reason: 'AlreadyExists' }, ['isAlreadyExists']],
    [{ code: 409 }, ['isConflict']],
    [{ code: 410, reason: 'Expired' }, ['isGone']],
    [{ code: 410, reason: 'Gone' }, ['isGone']],
    [{ code: 410 }, ['isGone']],
    [{ reason: 'Expired' }, ['isGone']],
    [{ code: 403, reason: 'Forbidden' }, ['isForbidden']],
    [{ code: 401 }, ['isUnauthorized']],
    [{ code: 429, reason: 'TooManyRequests' }, ['isTooManyRequests']],
    [{ code: 429 }, ['isTooManyRequests']],
    [{ code: 422, reason: 'Invalid' }, ['isInvalid']],
    [{ code: 504, reason: 'Timeout' }, ['isTimeout']],
    [{ code: 500, reason: 'ServerTimeout' }, ['isTimeout']],
    [{ code: 404, reason: 'SomethingNew' }, ['isNotFound']],
    [{ code: 500, reason: 'InternalError' }, []],
    [{}, []],
  ])('%j matches %j', (status, expected) => {
    expect(matching(new StatusError(status))).toEqual(expected);
  });

  test('match an error of another copy of the package by its code', () => {
    const foreign = Object.assign(new Error('gone'), {
      code: 'API_STATUS',
      status: { code: 410, reason: 'Expired' },
    });
    expect(matching(foreign)).toEqual(['isGone']);
  });

  test('match the exception of client-node, with a body that is parsed, a string or not JSON', () => {
    const body = { kind: 'Status', reason: 'AlreadyExists', code: 404 };
    expect(matching(apiException(409, body))).toEqual(['isAlreadyExists']);
    expect(matching(apiException(409, JSON.stringify(body)))).toEqual(['isAlreadyExists']);
    expect(statusOf(apiException(409, body))?.code).toBe(409);
    expect(matching(apiException(404, '404 page not found'))).toEqual(['isNotFound']);
    expect(matching(apiException(404, undefined))).toEqual(['isNotFound']);
  });

  test.each([
    [new CodedError('NOT_FOUND', 'another error')],
    [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
    [{ code: 404, reason: 'NotFound' }],
    [Object.assign(new Error('Not Found'), { code: 404 })],
    [Object.assign(new Error('Not Found'), { code: 404, body: { reason: 'NotFound' } })],
    [Object.assign(new Error('Conflict'), { code: 409, response: { status: 409 }, errors: [] })],
    [apiException(404, { error: 'no such bucket' })],
    [new CodedError('FOREIGN', 'x', {}, { cause: Object.assign(new Error('x'), { code: 404 }) })],
    ['NotFound'],
    [undefined],
    [null],
  ])('do not match %p', (error) => {
    expect(matching(error)).toEqual([]);
    expect(isResourceVersionTooLarge(error)).toBe(false);
    expect(statusOf(error)).toBeUndefined();
  });

  test('prefer a known reason to the code', () => {
    const error = new StatusError({ code: 410, reason: 'NotFound' });
    expect(matching(error)).toEqual(['isNotFound']);
  });
});

describe('isResourceVersionTooLarge', () => {
  const message = 'Too large resource version: 9, current: 5';

  test.each<[string, Status]>([
    [
      'RF22 by the reason of a cause',
      {
        code: 504,
        reason: 'Timeout',
        details: { causes: [{ reason: 'ResourceVersionTooLarge' }] },
      },
    ],
    [
      'RF22 by the message of a cause (1.17)',
      {
        code: 504,
        reason: 'Timeout',
        details: { causes: [{ message: 'Too large resource version' }] },
      },
    ],
    ['RF22 by its message alone (before)', { code: 504, reason: 'Timeout', message }],
    ['RF22 without a reason', { code: 504, message }],
  ])('%s', (_title, status) => {
    expect(isResourceVersionTooLarge(new StatusError(status))).toBe(true);
  });

  test('is false for a timeout with another cause, and for another error with that message', () => {
    expect(isResourceVersionTooLarge(new StatusError({ code: 504, reason: 'Timeout' }))).toBe(
      false,
    );
    expect(isResourceVersionTooLarge(new StatusError({ code: 500, message }))).toBe(false);
  });
});

describe('StatusError', () => {
  test('has the status, its code and reason, and the time to wait in milliseconds', () => {
    const error = new StatusError({
      message: 'slow down',
      code: 429,
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 2 },
    });
    expect(error).toMatchObject({
      code: 'API_STATUS',
      message: 'slow down',
      statusCode: 429,
      reason: 'TooManyRequests',
      retryAfter: 2000,
    });
  });

  test.each([-1, Number.NaN, Infinity, '5'])('ignores the invalid time %p', (seconds) => {
    const details = { retryAfterSeconds: seconds as number };
    expect(new StatusError({ code: 429, details }).retryAfter).toBeUndefined();
  });

  test('has a message even if the server sent none', () => {
    const error = new StatusError({}, { verb: 'get' });
    expect(error.message).toBe('the API server responded with an error (verb=get)');
    expect(error).toMatchObject({ statusCode: 0, reason: '', retryAfter: undefined });
  });
});

test('guards match errors that wrap an API error', () => {
  const refused = new StatusError({ code: 401, reason: 'Unauthorized' });
  const wrapped = new CodedError(
    'OUTER',
    'outer',
    {},
    { cause: new Error('inner', { cause: refused }) },
  );
  expect(isUnauthorized(wrapped)).toBe(true);
  expect(isForbidden(wrapped)).toBe(false);
  expect(isUnauthorized(new Error('bare', { cause: 'text' }))).toBe(false);
});

test('guards end for errors that cause each other', () => {
  const first = new Error('first');
  first.cause = new Error('second', { cause: first });
  expect(matching(first)).toEqual([]);
});
