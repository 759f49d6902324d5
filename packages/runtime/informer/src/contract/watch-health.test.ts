import { expect, test } from '@jest/globals';
import { HealthRecord } from './watch-health.ts';

/** An error that counts the reads of its stack. */
function counted(cause?: unknown): { readonly error: Error; readonly reads: () => number } {
  let count = 0;
  const get = (): string => {
    count += 1;
    return 'stack';
  };
  const error = Object.defineProperty(new Error('failed', { cause }), 'stack', { get });
  return { error, reads: () => count };
}

test('the stacks of a kept error and of its cause are printed, because they refer to bytes before', () => {
  const cause = counted();
  const outer = counted(cause.error);
  const health = new HealthRecord();
  health.bad('backing-off', 'the list failed', outer.error);
  expect(health.current.lastError).toBe(outer.error);
  expect([outer.reads(), cause.reads()]).toEqual([1, 1]);
});

test('an error that cannot be read is kept too', () => {
  const error = Object.defineProperty(new Error('failed'), 'stack', {
    get: () => {
      throw new Error('not to be read');
    },
  });
  const health = new HealthRecord();
  health.bad('backing-off', 'the list failed', error);
  expect(health.current.lastError).toBe(error);
});
