import { describe, expect, test } from '@jest/globals';
import {
  decisions,
  planStates,
  specEvents,
  stateOf,
  type Decision,
  type PlanPolicy,
  type PlanState,
  type SpecEvent,
} from './decision.ts';
import { stepStatuses } from './step-status.ts';

const table: Record<PlanPolicy, Record<PlanState, Record<SpecEvent, Decision>>> = {
  queue: {
    Idle: { unchanged: 'rest', changed: 'start' },
    Running: { unchanged: 'continue', changed: 'continue' },
    Failed: { unchanged: 'rest', changed: 'start' },
    Recorded: { unchanged: 'finish', changed: 'finish' },
  },
  supersede: {
    Idle: { unchanged: 'rest', changed: 'start' },
    Running: { unchanged: 'continue', changed: 'start' },
    Failed: { unchanged: 'rest', changed: 'start' },
    Recorded: { unchanged: 'finish', changed: 'finish' },
  },
};

const policies: readonly PlanPolicy[] = ['queue', 'supersede'];
const cases = policies.flatMap((policy) =>
  planStates.flatMap((state) => specEvents.map((event) => [policy, state, event] as const)),
);

describe('the decision about a plan', () => {
  test.each(cases)('R3-06 R3-11 %s: %s and a spec that is %s', (policy, state, event) => {
    expect(decisions[policy][state][event]).toBe(table[policy][state][event]);
  });

  test('R3-11 every stored plan has exactly one state', () => {
    expect(stateOf(null, 1)).toBe('Idle');
    expect(stateOf(undefined, undefined)).toBe('Idle');
    const states = stepStatuses.map((status) => stateOf({ generation: 2, status }, 1));
    expect(states).toEqual(['Running', 'Running', 'Running', 'Failed', 'Running']);
    for (const status of stepStatuses) {
      expect(stateOf({ generation: 2, status }, 2)).toBe('Recorded');
      expect(stateOf({ generation: 2, status }, undefined)).not.toBe('Recorded');
    }
  });
});
