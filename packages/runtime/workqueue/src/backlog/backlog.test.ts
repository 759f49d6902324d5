import { describe, expect, test } from '@jest/globals';
import { clearEntry, EntryTable, type Entry } from '../entries/entry-table.ts';
import { Backlog } from './backlog.ts';

/** Queues `count` ready entries and one waiting entry, the last one. */
function filled(count: number): {
  table: EntryTable<number, never>;
  backlog: Backlog<number, never, never>;
} {
  const table = new EntryTable<number, never, never>();
  const backlog = new Backlog<number, never, never>({
    table,
    ageAfter: 0,
    hasGroups: false,
    weightOf: () => 1,
    now: () => 0,
    observer: undefined,
    waiters: { wake() {} },
  });
  for (let item = 0; item <= count; item += 1) {
    const entry = table.claim(item, undefined, item, 0);
    if (item === count) backlog.delay(entry, 1000, true);
    else backlog.makeReady(entry, 0);
  }
  return { table, backlog };
}

function entryOf(table: EntryTable<number, never>, key: number): Entry<number, never> {
  const entry = table.get(key);
  if (entry === undefined) throw new Error(`no entry of ${key}`);
  return entry;
}

describe('Backlog of a large burst', () => {
  test('the table shrinks when few entries remain, which are handed out in order', () => {
    const count = 10_000;
    const { table, backlog } = filled(count);
    const sizes = new Set<number>();
    for (let item = 0; item < count - 2; item += 1) {
      expect(backlog.ready.take(0)?.item).toBe(item);
      const taken = entryOf(table, item);
      clearEntry(taken);
      table.release(taken);
      sizes.add([...table.all()].length);
    }
    // More than 8 of 9 keys are released at the first step, and again when more than 1 024 are.
    expect(Math.max(...sizes)).toBe(count + 1);
    expect([...table.all()].length).toBeLessThanOrEqual(1024 + 3);
    const items = [0, 0, 1000].map((now) => {
      backlog.promote(now);
      return backlog.ready.take(now)?.item;
    });
    expect(items).toEqual([count - 2, count - 1, count]);
    backlog.clear(false);
  });
});
