import { describe, expect, test } from '@jest/globals';
import { assert, integer, nat, property, tuple } from 'fast-check';
import { CycleDetector } from './cycle-detector.ts';

describe('CycleDetector', () => {
  test('finds every cycle soon after its second round', () => {
    const lengths = tuple(nat(40), integer({ min: 1, max: 40 }));
    const found = property(lengths, ([lead, cycle]) => {
      const tokens = new CycleDetector(undefined);
      for (let step = 0; step < 4 * (lead + cycle) + 4; step++) {
        const at = step < lead ? step : lead + ((step - lead) % cycle);
        if (tokens.repeats(`token ${at}`)) return step >= lead + cycle;
      }
      return false;
    });
    assert(found);
  });

  test('includes the first text', () => {
    expect(new CycleDetector('a').repeats('a')).toBe(true);
  });
});
