import { describe, expect, test } from '@jest/globals';
import { Backlog } from './backlog.ts';
import { EntryTable } from './entry-table.ts';

/** Queues `count` ready entries and one waiting entry, which has the last row. */
function filled(count: number): {
  table: EntryTable<number, never>;
  backlog: Backlog<number, never, never>;
} {
  const table = new EntryTable<number, never, never>();
  const backlog = new Backlog<number, never, never>({
    table,
    ageAfter: 0,
    weightOf: () => 1,
    now: () => 0,
    observer: undefined,
    waiters: { wake() {} },
  });
  for (let item = 0; item <= count; item += 1) {
    const slot = table.allocate(item);
    table.fill(slot, item, 0, undefined);
    backlog.enter(slot, item === count ? 1000 : 0, 0, true);
  }
  return { table, backlog };
}

describe('Backlog of a large burst', () => {
  test('the table shrinks when few entries remain, which are handed out in order', () => {
    const count = 5000;
    const { table, backlog } = filled(count);
    const sizes = new Set<number>();
    for (let item = 0; item < count - 2; item += 1) {
      table.release(backlog.take(0));
      if (table.isSparse) backlog.compact();
      sizes.add(table.size);
    }
    // The table is sparse with one of 128 rows.
    expect([...sizes]).toEqual([count + 1, 39]);
    expect(table.place.length).toBe(1024);
    const items = [0, 0, 1000].map((now) => table.items[backlog.take(now)]);
    expect(items).toEqual([count - 2, count - 1, count]);
    backlog.clear(false);
  });

  test('freed rows are used again after the table has shrunk', () => {
    const { table, backlog } = filled(3000);
    for (let item = 0; item < 3000; item += 1) table.release(backlog.take(0));
    if (table.isSparse) backlog.compact();
    const slots = Array.from({ length: 2000 }, (_, key) => table.allocate(`key-${key}`));
    expect(new Set(slots).size).toBe(2000);
    expect(slots).not.toContain(table.slotOf(3000));
    expect(Math.max(...slots)).toBe(2000);
    backlog.clear(false);
  });
});
