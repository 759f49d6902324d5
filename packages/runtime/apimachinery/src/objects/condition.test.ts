import { describe, expect, test } from '@jest/globals';

import { findCondition, isConditionTrue, setCondition, type Condition } from './condition.ts';

const ready: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'Starting',
  message: 'one of two replicas',
  lastTransitionTime: '2026-11-21T10:00:00Z',
};
const synced: Condition = { ...ready, type: 'Synced', status: 'True' };
const now = new Date('2026-11-21T11:00:00.789Z');

describe('setCondition', () => {
  test('appends a new type with the current time in whole seconds', () => {
    const { lastTransitionTime: _, ...condition } = ready;
    expect(setCondition(undefined, condition, now)).toEqual([
      { ...ready, lastTransitionTime: '2026-11-21T11:00:00Z' },
    ]);
  });

  test('keeps the time while the status is unchanged, and updates reason, message and generation', () => {
    const condition = {
      type: 'Ready',
      status: 'False',
      reason: 'Crashing',
      message: 'none of two',
      observedGeneration: 3,
    } as const;
    expect(setCondition([ready, synced], condition, now)).toEqual([
      { ...condition, lastTransitionTime: ready.lastTransitionTime },
      synced,
    ]);
  });

  test('updates the time in place when the status changes', () => {
    const condition = { type: 'Ready', status: 'True', reason: 'Up', message: '' } as const;
    expect(setCondition([ready, synced], condition, now)).toEqual([
      { ...condition, lastTransitionTime: '2026-11-21T11:00:00Z' },
      synced,
    ]);
  });

  test('does not change the given list', () => {
    const conditions = Object.freeze([Object.freeze({ ...ready })]);
    setCondition(conditions, { type: 'Ready', status: 'True', reason: 'Up', message: '' }, now);
    expect(conditions).toEqual([ready]);
  });
});

describe('setCondition with an invalid argument', () => {
  const valid = { type: 'Ready', status: 'True', reason: 'Up', message: '' };

  test.each<[string, unknown, unknown, unknown]>([
    ['setCondition.conditions', 'Ready', valid, undefined],
    ['setCondition.conditions', null, valid, undefined],
    ['setCondition.conditions', [null], valid, undefined],
    ['setCondition.condition', [], undefined, undefined],
    ['setCondition.condition.type', [], { ...valid, type: '' }, undefined],
    ['setCondition.condition.status', [], { ...valid, status: true }, undefined],
    ['setCondition.condition.reason', [], { ...valid, reason: undefined }, undefined],
    ['setCondition.condition.message', [], { ...valid, message: 5 }, undefined],
    ['setCondition.now', [], valid, new Date('x')],
    ['setCondition.now', [], valid, '2026-11-21'],
  ])('throws INVALID_OPTION for %s', (option, conditions, condition, at) => {
    expect(() => setCondition(conditions as never, condition as never, at as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      }),
    );
  });
});

describe('findCondition, isConditionTrue', () => {
  test('read one type', () => {
    expect(findCondition([ready, synced], 'Synced')).toBe(synced);
    expect(findCondition([ready], 'Synced')).toBeUndefined();
    expect(findCondition(undefined, 'Synced')).toBeUndefined();
    expect(isConditionTrue([ready, synced], 'Synced')).toBe(true);
    expect(isConditionTrue([ready, synced], 'Ready')).toBe(false);
    expect(isConditionTrue([{ type: 'Ready', status: 'Unknown' }], 'Ready')).toBe(false);
    expect(isConditionTrue([], 'Ready')).toBe(false);
  });
});
