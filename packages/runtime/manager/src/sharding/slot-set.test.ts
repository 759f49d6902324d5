import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { SlotSet } from './slot-set.ts';
import { SLOTS } from './slots.ts';

describe('a set of slots', () => {
  test('its text has every slot and no other', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(SLOTS - 1), { maxLength: 40 }), (slots) => {
        const read = SlotSet.parse(String(new SlotSet(slots)));
        expect(read?.size).toBe(slots.length);
        for (const slot of slots) expect(read?.has(slot)).toBe(true);
        expect(read?.isEmpty).toBe(slots.length === 0);
      }),
      { numRuns: 20 },
    );
  });

  test('a union has the slots of both', () => {
    const set = new SlotSet([1]);
    set.addAll(new SlotSet([1, 1023]));
    expect([set.has(1), set.has(1023), set.size]).toEqual([true, true, 2]);
    expect(SlotSet.all().size).toBe(SLOTS);
  });

  test.each(['', 'AA==', 'nothing'])('refuses the text %j', (text) => {
    expect(SlotSet.parse(text)).toBeUndefined();
  });
});
