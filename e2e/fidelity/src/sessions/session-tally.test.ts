import { describe, expect, test } from '@jest/globals';
import type { Agreement, Place } from '../comparison.ts';
import { SessionTally } from './session-tally.ts';

const request = 'PUT /api/v1/namespaces/talk-s1/services/one';

function agreementWith(
  statuses: readonly [number, number],
  ...places: readonly Place[]
): Agreement {
  const difference = { chapter: 's1', step: '1', request, statuses, places };
  return { steps: 10, sameStatus: 9, sameBody: 9, differences: [difference] };
}

function at(path: string, left: unknown = 1, right: unknown = 2): Place {
  return { path, left, right };
}

describe('SessionTally', () => {
  test('counts equal steps', () => {
    const tally = new SessionTally([]);
    tally.add(1, { steps: 10, sameStatus: 10, sameBody: 10, differences: [] });
    expect(tally.add(2, agreementWith([200, 200], at('spec.x')))).toHaveLength(1);
    expect(tally.share).toBe(0.95);
    expect(tally.lines()).toEqual(['1 × PUT services spec.x (seed 2: 200 ≠ 200 spec.x: 1 ≠ 2)']);
  });

  test('passes only with enough equal steps and without an unlisted difference', () => {
    const tally = new SessionTally([]);
    tally.add(1, { steps: 990, sameStatus: 990, sameBody: 990, differences: [] });
    expect(tally.passes).toBe(true);
    tally.add(2, agreementWith([200, 200], at('spec.x')));
    expect(tally.share).toBeGreaterThan(0.99);
    expect(tally.passes).toBe(false);
  });

  test('counts a listed difference as equal', () => {
    const known = [
      { reason: 'r', request: 'PUT .*/services/one', places: [{ path: 'x', values }] },
    ];
    const tally = new SessionTally(known);
    expect(tally.add(1, agreementWith([200, 200], at('x')))).toEqual([]);
    expect(tally.share).toBe(1);
    expect(tally.passes).toBe(true);
  });
});

const values = ['1', '2'] as const;
