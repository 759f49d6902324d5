import { describe, expect, test } from '@jest/globals';
import type { Persisted } from '@keelson/manager';
import { beginPlan, changeSteps, nextSteps, readyOf } from './active-plan.ts';
import type { ActivePlan, Instance } from './custom-resource.ts';
import { stepOf, type Plan } from './plan.ts';
import type { StepEvent } from './step-status.ts';

const instance = {
  metadata: { name: 'shop', generation: 4 },
  spec: { version: '1', replicas: 1 },
} as Persisted<Instance>;

const step = (name: string): Plan['phases'][number]['steps'][number] => ({
  name,
  run: () => Promise.resolve(),
});

function planOf(strategy: Plan['strategy']): Plan {
  return {
    strategy,
    phases: [
      { name: 'one', strategy: 'parallel', steps: [step('a'), step('b')] },
      { name: 'two', strategy: 'serial', steps: [step('c'), step('d')] },
    ],
  };
}

/** The plan after these events of its steps: `a start`. */
function after(active: ActivePlan, ...events: string[]): ActivePlan {
  return events.reduce((plan, text) => {
    const [name = '', event] = text.split(' ');
    const phase = 'ab'.includes(name) ? 'one' : 'two';
    const message = event === 'fail' || event === 'failFatally' ? { message: 'no' } : {};
    return changeSteps(plan, [{ phase, step: name, event: event as StepEvent, ...message }]);
  }, active);
}

const names = (plan: Plan, active: ActivePlan): string[] =>
  nextSteps(plan, active).map((path) => path.step);

describe('an active plan', () => {
  test('has the spec and the generation of the object, and begins with every step pending', () => {
    const active = beginPlan('deploy', planOf('serial'), instance);
    expect(active).toMatchObject({ plan: 'deploy', generation: 4, spec: instance.spec });
    expect(active.spec).not.toBe(instance.spec);
    expect([active.status, ...active.phases.map(({ status }) => status)]).toEqual(
      Array(3).fill('Pending'),
    );
  });

  test('a serial plan runs one phase after the other, and a parallel one all of them', () => {
    const [serial, parallel] = [planOf('serial'), planOf('parallel')];
    const begun = beginPlan('deploy', serial, instance);
    expect(names(serial, begun)).toEqual(['a', 'b']);
    expect(names(parallel, begun)).toEqual(['a', 'b', 'c']);
    const first = after(begun, 'a start', 'a succeed', 'b start', 'b fail');
    expect(names(serial, first)).toEqual(['b']);
    const second = after(first, 'b start', 'b succeed', 'c start', 'c succeed');
    expect(names(serial, second)).toEqual(['d']);
    const last = after(second, 'd start', 'd succeed');
    expect(names(serial, last)).toEqual([]);
    expect(last.status).toBe('Complete');
  });

  test('a success removes the message of the attempt before', () => {
    const begun = beginPlan('deploy', planOf('serial'), instance);
    const failed = after(begun, 'a start', 'a fail');
    expect(failed.phases[0]?.steps[0]).toEqual({ name: 'a', status: 'Error', message: 'no' });
    const succeeded = after(failed, 'a start', 'a succeed');
    expect(succeeded.phases[0]?.steps[0]).toEqual({ name: 'a', status: 'Complete' });
  });

  test('R3-03 R3-07 Ready sums up the phases for the generation of the plan', () => {
    const begun = beginPlan('deploy', planOf('serial'), instance);
    expect(readyOf(after(begun, 'a start', 'a failFatally'))).toEqual({
      type: 'Ready',
      status: 'False',
      reason: 'FatalError',
      message: 'one: a: no; two: Pending',
      observedGeneration: 4,
    });
    const all = ['a', 'b', 'c', 'd'].flatMap((name) => [`${name} start`, `${name} succeed`]);
    expect(readyOf(after(begun, ...all))).toMatchObject({ status: 'True', reason: 'PlanComplete' });
  });

  test('a step that the operator does not have is a terminal error', () => {
    expect(() => stepOf(planOf('serial'), 'one', 'z')).toThrow(
      expect.objectContaining({ code: 'TERMINAL' }),
    );
  });
});
