import { expect, test } from '@jest/globals';
import { Entry } from '../entries/entry-table.ts';
import { ReadyLevels } from './ready-levels.ts';

/** Resumes this many suspended entries before a later one, in their order. Returns the steps, and the order of the list. */
function resumed(count: number): { steps: number; handedOut: unknown[] } {
  let steps = 0;
  const levels = new ReadyLevels(
    { stamps: 0 },
    { ageAfter: 0, hasGroups: false, weightOf: () => 1 },
  );
  const entries = Array.from({ length: count }, (_, key) => {
    const entry = new Entry<unknown, unknown, unknown>(key);
    let order = 0;
    // Each step along the list compares the order of an entry.
    Object.defineProperty(entry, 'order', {
      get() {
        steps += 1;
        return order;
      },
      set(value: number) {
        order = value;
      },
    });
    return entry;
  });
  for (const entry of entries) levels.push(entry);
  expect(levels.take(0, () => true)).toBeUndefined();
  const later = new Entry<unknown, unknown, unknown>('later');
  levels.push(later);
  for (const entry of entries) levels.unlock(entry);
  const handedOut = Array.from({ length: count + 1 }, () => levels.take(0)?.key);
  return { steps, handedOut };
}

test('many suspended entries are resumed before a later one in steps in proportion to their number', () => {
  const [few, many] = [resumed(100), resumed(200)];
  expect(few.handedOut).toEqual([...Array(100).keys(), 'later']);
  expect(many.steps).toBeLessThan(2.2 * few.steps);
});
