import { expect, test } from '@jest/globals';
import { createEntry, type Entry } from '../entries/entry-table.ts';
import { ReadyLevels } from './ready-levels.ts';

/**
 * Resumes this many suspended entries, of these priorities in turn, before a later one of each priority, in their order.
 * Returns the steps, and the order in which the entries of the last priority are handed out.
 */
function resumed(
  count: number,
  priorities: readonly number[],
): { steps: number; handedOut: unknown[] } {
  let steps = 0;
  const levels = new ReadyLevels(
    { stamps: 0 },
    { ageAfter: 0, hasGroups: false, weightOf: () => 1 },
  );
  const entries = Array.from({ length: count }, (_, key) => {
    const entry = entryOf(key, priorities[key % priorities.length] ?? 0);
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
  for (const priority of priorities) levels.push(entryOf('later', priority));
  for (const entry of entries) levels.unlock(entry);
  const resumeSteps = steps;
  const handedOut = Array.from(
    { length: count / priorities.length + 1 },
    () => levels.take(0)?.key,
  );
  return { steps: resumeSteps, handedOut };
}

function entryOf(key: unknown, priority: number): Entry<unknown, unknown, unknown> {
  const entry = createEntry<unknown, unknown, unknown>(key);
  entry.priority = priority;
  return entry;
}

test.each([[[0]], [[0, 1]]])(
  'to resume suspended entries of the priorities %j takes a number of steps in proportion to theirs',
  (priorities) => {
    const [few, many] = [resumed(100, priorities), resumed(200, priorities)];
    const number = priorities.length;
    const ofLast = [...Array(100).keys()].filter((key) => key % number === number - 1);
    expect(few.handedOut).toEqual([...ofLast, 'later']);
    expect(many.steps).toBeLessThan(2.2 * few.steps);
  },
);
