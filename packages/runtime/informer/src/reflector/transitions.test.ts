import { describe, expect, test } from '@jest/globals';
import { transitions } from './transitions.ts';

describe('transitions', () => {
  test('relist only if the version is lost, invalid or doubtful', () => {
    const relists = Object.entries(transitions.watching).filter(
      ([, { next }]) => next.name === 'relisting',
    );
    expect(relists.map(([result]) => result)).toEqual([
      'expired',
      'too-large',
      'error-event',
      'refused',
      'unordered',
      'over-budget',
      'instant-ends',
    ]);
  });

  test('repeat a failed WatchList, or continue with a list', () => {
    const results = Object.entries(transitions['watch-listing']);
    const before = (state: string): string[] =>
      results.filter(([, { next }]) => next.name === state).map(([result]) => result);
    const repeated = ['throttled', 'expired', 'too-large', 'no-response', 'cut', 'over-budget'];
    expect(before('relisting')).toEqual(repeated);
    expect(before('listing')).toEqual(
      results.map(([result]) => result).filter((result) => !repeated.includes(result)),
    );
  });

  test('wait after every failed request', () => {
    const rows = Object.values(transitions).flatMap((results) => Object.entries(results));
    const failures = new Set([
      'throttled',
      'unavailable',
      'no-response',
      'unanswered',
      'failed',
      'forbidden',
      'defect',
    ]);
    const delays = rows.filter(([result]) => failures.has(result)).map(([, { delay }]) => delay);
    expect(new Set(delays)).toEqual(new Set(['failures', 'slow']));
  });
});
