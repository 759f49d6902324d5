import { afterEach, describe, expect, test } from '@jest/globals';
import { BailEnvironment } from './bail-environment.ts';

const variable = '__STRYKER_ACTIVE_MUTANT__';
const root: { mode?: string | null } = {};
const state = { rootDescribeBlock: root };
// Only Jest can build an instance, and the method uses nothing of it.
const environment = BailEnvironment.prototype;

/** Starts a test and returns whether it is skipped, then ends it. */
function isSkipped(errors: readonly unknown[] = []): boolean {
  const one: { errors: readonly unknown[]; mode?: string | null } = { errors };
  environment.handleTestEvent({ name: 'test_start', test: one }, state);
  environment.handleTestEvent({ name: 'test_done', test: one }, state);
  return one.mode === 'skip';
}

describe('BailEnvironment', () => {
  afterEach(() => {
    delete process.env[variable];
    delete root.mode;
  });

  test('skips the tests and the files after the first failure of a mutant', () => {
    process.env[variable] = '1';
    expect([isSkipped(), isSkipped(['failure']), isSkipped()]).toEqual([false, false, true]);
    environment.handleTestEvent({ name: 'run_start' }, state);
    expect(root.mode).toBe('skip');
  });

  test('runs the tests of the next mutant', () => {
    process.env[variable] = '2';
    expect(isSkipped(['failure'])).toBe(false);
    process.env[variable] = '3';
    environment.handleTestEvent({ name: 'run_start' }, state);
    expect([isSkipped(), root.mode]).toEqual([false, undefined]);
  });

  test('never skips without a mutant', () => {
    expect([isSkipped(['failure']), isSkipped()]).toEqual([false, false]);
  });
});
