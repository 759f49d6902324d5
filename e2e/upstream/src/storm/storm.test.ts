import { expect, test } from '@jest/globals';
import { errorsOf } from './log-errors.ts';
import { kinds, planOf } from './plan.ts';

test('a storm has the same changes for a seed, and leaves every workload', () => {
  const bounds = { duration: 60_000, copies: 2 };
  const plan = planOf(1, bounds);
  expect(planOf(1, bounds)).toEqual(plan);
  expect(planOf(2, bounds)).not.toEqual(plan);
  expect(new Set(plan.map(({ kind }) => kind))).toEqual(new Set(kinds));
  expect(plan.some(({ change }) => change === 'delete')).toBe(true);
  const last = new Map(plan.map(({ namespace, change }) => [namespace, change]));
  expect(last.size).toBe(10);
  expect([...last.values()]).not.toContain('delete');
  expect(last.get('cronjob-0')).toMatchObject({ suspend: true });
  const times = plan.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((one, other) => one - other));
});

test('the errors of a log are compared without names, numbers and conflicts', () => {
  const log = [
    'I1128 22:00:00.000000  12 a.go:1] "Started"',
    'E1128 22:00:01.000000  12 b.go:2] "Failed" key="job-1/web-abcde" uid="07c5e8a0-b555-4200-b3f1-d13086d5a41d"',
    'E1128 22:00:02.000000  12 b.go:3] "Failed" key="job-0/web-fghij" uid="17c5e8a0-b555-4200-b3f1-d13086d5a41d"',
    'E1128 22:00:03.000000  12 c.go:4] "Conflict" err="the object has been modified"',
    String.raw`E1128 22:00:03.000000  12 c.go:4] "Unhandled Error" err="statefulsets.apps \"web\" not found"`,
  ].join('\n');
  expect(errorsOf(log)).toEqual(['b.go "Failed" key="<namespace>/<name>" uid="<uid>"']);
});
