import { describe, expect, test } from '@jest/globals';
import { StatusError } from '@keelson/apimachinery';
import { informerError } from '../errors.ts';
import { watchListResult, watchResult, withoutProgress } from './attempt-result.ts';
import type { StreamEnd } from './watch-stream.ts';

const history = { instantEnds: 0, mayBeBehind: false, isUnordered: false };

function status(code: number, reason: string): Error {
  return new StatusError({ status: 'Failure', code, reason, message: reason });
}

function end(facts: Partial<StreamEnd>): StreamEnd {
  const error = informerError('WATCH_ENDED');
  const life = { lived: 60_000, frames: 1, complete: false, reachedTimeout: false };
  return { how: 'ended', opened: true, error, ...life, ...facts };
}

describe('watchResult', () => {
  test.each([
    ['expired', { how: 'status', error: status(410, 'Expired') }],
    ['throttled', { how: 'status', error: status(429, 'TooManyRequests') }],
    ['forbidden', { how: 'status', error: status(403, 'Forbidden') }],
    ['not-found', { how: 'status', error: status(404, 'NotFound') }],
    ['error-event', { how: 'status', error: status(500, 'InternalError') }],
    ['unavailable', { how: 'status', opened: false, error: status(503, 'ServiceUnavailable') }],
    ['unavailable', { how: 'status', opened: false, error: status(401, 'Unauthorized') }],
    ['refused', { how: 'status', opened: false, error: status(400, 'BadRequest') }],
    ['over-budget', { how: 'broken', error: informerError('MEMORY_BUDGET_EXCEEDED') }],
    ['no-response', { how: 'broken', opened: false }],
    ['idle', { how: 'idle' }],
    ['ended', { how: 'broken' }],
  ] as const)('%s: %p', (result, facts) => {
    expect(watchResult(end(facts), history)).toBe(result);
  });

  test.each([
    ['unordered', { isUnordered: true }, { error: informerError('WATCH_WENT_BACK') }],
    ['suspect', { mayBeBehind: true }, {}],
    ['suspect-idle', { mayBeBehind: true }, { how: 'idle' }],
    ['instant-ends', { instantEnds: 3 }, {}],
    ['ended', { instantEnds: 9 }, { how: 'broken' }],
    ['instant-ends', { instantEnds: 10 }, { how: 'broken' }],
  ] as const)('%s after a history of %p', (result, earlier, facts) => {
    expect(watchResult(end(facts), { ...history, ...earlier })).toBe(result);
  });
});

describe('withoutProgress', () => {
  test.each([
    ['no-response', { isUnanswered: false, isUnmoved: true }, 'no-response'],
    ['no-response', { isUnanswered: true, isUnmoved: false }, 'unanswered'],
    ['throttled', { isUnanswered: true, isUnmoved: false }, 'unanswered'],
    ['unavailable', { isUnanswered: true, isUnmoved: false }, 'unanswered'],
    ['forbidden', { isUnanswered: false, isUnmoved: true }, 'forbidden'],
    ['forbidden', { isUnanswered: true, isUnmoved: true }, 'still-forbidden'],
    ['ended', { isUnanswered: false, isUnmoved: false }, 'ended'],
    ['ended', { isUnanswered: true, isUnmoved: true }, 'unmoved'],
  ] as const)('%s after a history of %p is %s', (ended, progress, result) => {
    expect(withoutProgress(ended, progress)).toBe(result);
  });
});

const foreign = Object.assign(new Error('a page'), { code: 'UNEXPECTED_RESPONSE' });

describe('watchListResult', () => {
  const first = { cuts: 1, fromNewest: false };

  test.each([
    ['throttled', { how: 'status', error: status(429, 'TooManyRequests') }, first],
    ['expired', { how: 'status', error: status(410, 'Expired') }, first],
    ['refused', { how: 'status', error: status(410, 'Expired') }, { cuts: 0, fromNewest: true }],
    ['unsupported', { how: 'status', error: status(422, 'Invalid') }, first],
    ['no-headers', { how: 'idle', opened: false }, first],
    ['idle', { how: 'idle' }, first],
    ['no-response', { how: 'broken', opened: false }, first],
    ['foreign', { how: 'broken', opened: false, error: foreign }, first],
    ['cut', { how: 'broken', error: foreign }, first],
    ['cut', { how: 'broken' }, { cuts: 2, fromNewest: false }],
    ['over-budget', { how: 'broken', error: informerError('MEMORY_BUDGET_EXCEEDED') }, first],
    ['cut-again', { how: 'broken' }, { cuts: 3, fromNewest: false }],
  ] as const)('%s: %p', (result, facts, earlier) => {
    expect(watchListResult(end(facts), earlier)).toBe(result);
  });
});
