import { describe, expect, test } from '@jest/globals';
import {
  nextStatus,
  stepEvents,
  stepStatuses,
  summaryOf,
  type StepEvent,
  type StepStatus,
} from './step-status.ts';

/** The next status of every status and event; `undefined` for a pair that is a bug. */
const table: Record<StepStatus, Record<StepEvent, StepStatus | undefined>> = {
  Pending: { start: 'InProgress', succeed: undefined, fail: undefined, failFatally: undefined },
  InProgress: {
    start: 'InProgress',
    succeed: 'Complete',
    fail: 'Error',
    failFatally: 'FatalError',
  },
  Error: { start: 'InProgress', succeed: undefined, fail: undefined, failFatally: undefined },
  FatalError: { start: undefined, succeed: undefined, fail: undefined, failFatally: undefined },
  Complete: { start: undefined, succeed: undefined, fail: undefined, failFatally: undefined },
};

const pairs = stepStatuses.flatMap((status) => stepEvents.map((event) => [status, event] as const));

describe('the status of a step', () => {
  test.each(pairs)('R3-11 %s and the event %s', (status, event) => {
    const wanted = table[status][event];
    if (wanted !== undefined) expect(nextStatus(status, event)).toBe(wanted);
    else
      expect(() => nextStatus(status, event)).toThrow(`a step that is ${status} cannot ${event}`);
  });

  test.each<[StepStatus, StepStatus[]]>([
    ['Complete', []],
    ['Complete', ['Complete', 'Complete']],
    ['Pending', ['Pending', 'Pending']],
    ['InProgress', ['Complete', 'Pending']],
    ['InProgress', ['InProgress', 'Pending']],
    ['Error', ['Complete', 'Error', 'Pending']],
    ['FatalError', ['Error', 'FatalError', 'InProgress']],
  ])('R3-07 the summary is %s for %p', (summary, statuses) => {
    expect(summaryOf(statuses)).toBe(summary);
  });
});
