import { describe, expect, test } from '@jest/globals';
import { array, assert, boolean, nat, property, record } from 'fast-check';
import { RunSlots } from './run-slots.ts';

describe('slots of runs', () => {
  test('contain the runs that were added and not removed', () => {
    const step = record({ adds: boolean(), at: nat() });
    assert(
      property(array(step, { maxLength: 60 }), (steps) => {
        const slots = new RunSlots<object>();
        const open: { readonly run: object; readonly slot: number }[] = [];
        for (const { adds, at } of steps) {
          const run = {};
          if (adds) open.push({ run, slot: slots.add(run) });
          const [ended] = adds ? [] : open.splice(at % Math.max(open.length, 1), 1);
          if (ended !== undefined) expect(slots.remove(ended.slot)).toBe(ended.run);
          expect(new Set(slots)).toEqual(new Set(open.map((each) => each.run)));
          expect(slots.size).toBe(open.length);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('use a free slot again', () => {
    const slots = new RunSlots<string>();
    const first = slots.add('a');
    slots.add('b');
    slots.remove(first);
    expect(slots.add('c')).toBe(first);
    expect([...slots]).toEqual(['c', 'b']);
  });

  test('ignore the removal of a free slot, and of one from before they were cleared', () => {
    const slots = new RunSlots<string>();
    const slot = slots.add('a');
    slots.clear();
    expect(slots.remove(slot)).toBeUndefined();
    expect(slots.size).toBe(0);
    expect(slots.remove(-1)).toBeUndefined();
  });
});
