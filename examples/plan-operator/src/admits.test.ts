import { describe, expect, test } from '@jest/globals';
import { admits } from './admits.ts';
import type { ActivePlan, Instance } from './custom-resource.ts';
import type { StepStatus } from './step-status.ts';

const spec = { version: '1', replicas: 1 };

function instance(status?: StepStatus): Instance {
  if (status === undefined) return { spec };
  const activePlan: ActivePlan = { plan: 'upgrade', generation: 2, spec, status, phases: [] };
  return { spec, status: { activePlan } };
}

const changed: Instance = { spec: { version: '2', replicas: 1 } };

describe('the optional admission guard', () => {
  test.each<StepStatus>(['Pending', 'InProgress', 'Error'])(
    'R3-06 R3-08 refuses a change of the spec while a plan is %s',
    (status) => {
      const message = `plan upgrade of generation 2 is ${status}`;
      expect(admits(instance(status), changed)).toEqual({ allowed: false, message });
    },
  );

  test('R3-08 admits a change of anything else, of an idle object, and after a fatal error', () => {
    const annotated = { ...instance('InProgress'), metadata: { annotations: { a: '1' } } };
    expect(admits(instance('InProgress'), annotated)).toEqual({ allowed: true });
    expect(admits(instance(), changed)).toEqual({ allowed: true });
    expect(admits({ spec, status: { activePlan: null } }, changed)).toEqual({ allowed: true });
    expect(admits(instance('FatalError'), changed)).toEqual({ allowed: true });
  });
});
