import { describe, expect, test } from '@jest/globals';
import type { Agreement } from '../comparison.ts';
import { SessionTally } from './session-tally.ts';

const path = 'PUT /api/v1/namespaces/talk-s1/services/one';

function agreementWith(statuses: readonly [number, number], places: readonly string[]): Agreement {
  const difference = { chapter: 's1', step: '1', request: path, statuses, places };
  return { steps: 10, sameStatus: 9, sameBody: 9, differences: [difference] };
}

describe('SessionTally', () => {
  test('counts steps that are alike', () => {
    const tally = new SessionTally([]);
    tally.add(1, { steps: 10, sameStatus: 10, sameBody: 10, differences: [] });
    expect(tally.add(2, agreementWith([200, 200], ['spec.x: 1 ≠ 2']))).toHaveLength(1);
    expect(tally.share).toBe(0.95);
    expect(tally.lines()).toEqual(['1 × PUT services spec.x (seed 2: 200 ≠ 200 spec.x: 1 ≠ 2)']);
  });

  test('accepts a difference only if every place of it is listed', () => {
    const known = [{ reason: 'r', request: 'services', place: '^spec\\.x' }];
    const tally = new SessionTally(known);
    expect(tally.add(1, agreementWith([200, 200], ['spec.x: 1 ≠ 2']))).toEqual([]);
    expect(tally.share).toBe(1);
    expect(tally.add(2, agreementWith([200, 200], ['spec.x: 1', 'spec.y: 2']))).toHaveLength(1);
    expect(tally.add(3, agreementWith([200, 422], ['spec.x: 1']))).toHaveLength(1);
  });

  test('accepts a listed difference in status', () => {
    const known = [
      { reason: 'r', request: '^PUT .*/services/', place: '^status: 200 ≠ 422|^code' },
    ];
    const tally = new SessionTally(known);
    expect(tally.add(1, agreementWith([200, 422], ['code: (absent) ≠ 422']))).toEqual([]);
  });

  test('accepts a listed hang-up by its status alone', () => {
    const tally = new SessionTally([{ reason: 'r', request: '', place: '^status: 0 ≠ ' }]);
    expect(tally.add(1, agreementWith([0, 200], ['kind: (absent) ≠ "Service"']))).toEqual([]);
    expect(tally.add(2, agreementWith([200, 0], ['kind: "Service" ≠ (absent)']))).toHaveLength(1);
  });
});
