import { describe, expect, test } from '@jest/globals';
import { beginMark, endMark, RunningTests } from './running-tests.ts';

describe('RunningTests', () => {
  test('tracks the tests that run, and returns the lines to print', () => {
    const running = new RunningTests();
    expect(running.take(`${beginMark}a.e2e.ts: one (1) thing`)).toBeUndefined();
    expect(running.take(`${beginMark}b.e2e.ts: another`)).toBeUndefined();
    expect(running.take('PASS b')).toBe('PASS b');
    expect(running.take(`${endMark}a.e2e.ts: one (1) thing (0.2 s)`)).toBe(
      '  a.e2e.ts: one (1) thing (0.2 s)',
    );
    expect(running.titles).toEqual(['b.e2e.ts: another']);
  });
});
