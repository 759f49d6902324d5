import { expect, test } from '@jest/globals';
import { Violation } from '../invariants/invariant.ts';
import type { Plan } from './plan.ts';
import { shrink } from './shrink.ts';

test('a failing list of actions is cut down to those that matter', async () => {
  const plan: Plan = {
    isSlow: true,
    hasManager: true,
    hasElection: true,
    settlesLong: true,
    steps: ['write', 'acquire', 'send', 'remove', 'write'].map((does, at) => ({
      does,
      n: 500 + at,
    })),
  };
  const runPlan = async ({ steps }: Plan): Promise<Violation | undefined> => {
    const removal = steps.findIndex(({ does, n }) => does === 'remove' && n >= 100);
    const isBroken = steps.slice(0, removal).some(({ does }) => does === 'acquire');
    return removal > 0 && isBroken ? new Violation('order', 'as the test wants') : undefined;
  };
  const violation = new Violation('order', 'at first');
  const shortest = await shrink({ plan, violation }, runPlan);
  expect(shortest.plan).toEqual({
    isSlow: false,
    hasManager: false,
    hasElection: false,
    settlesLong: false,
    steps: [
      { does: 'acquire', n: 0 },
      { does: 'remove', n: 100 },
    ],
  });
  expect(shortest.violation.message).toContain('as the test wants');
});
