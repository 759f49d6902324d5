import { describe, expect, test } from '@jest/globals';
import { EntryTable } from './entry-table.ts';

/** The number of released keys that keep their slots while fewer keys are in use. */
const KEPT_KEYS = 512;

function tableWith(keys: readonly unknown[]): EntryTable<string, string> {
  const table = new EntryTable<string, string>();
  for (const key of keys)
    table.fill(table.claim(key, undefined), `item of ${String(key)}`, 0, undefined);
  return table;
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `key-${index}`);
}

function release(table: EntryTable<string, string>, key: unknown): void {
  table.release(table.slotOf(key) as number);
}

describe('EntryTable', () => {
  test('a released key keeps its slot for its next add, without its item', () => {
    const table = tableWith(['a', 'b']);
    const slot = table.slotOf('a') as number;
    release(table, 'a');
    expect(table.items[slot]).toBeUndefined();
    expect(table.hasEntry(slot)).toBe(false);
    expect(table.claim('a', table.slotOf('a'))).toBe(slot);
  });

  test('another key does not get the slot of a released key', () => {
    const table = tableWith(['a']);
    release(table, 'a');
    expect(table.claim('b', undefined)).not.toBe(table.slotOf('a'));
  });

  test('a key in use keeps its slot when it is claimed again', () => {
    const table = tableWith(['a', 'b']);
    expect(table.claim('a', table.slotOf('a'))).toBe(table.slotOf('a'));
    release(table, 'a');
    release(table, 'b');
    expect(table.claim('b', table.slotOf('b'))).toBe(table.slotOf('b'));
    expect(table.claim('a', table.slotOf('a'))).toBe(table.slotOf('a'));
  });

  test('an object as key is dropped at once, so that it can be collected', () => {
    const key = { name: 'a' };
    const table = tableWith([key]);
    const slot = table.slotOf(key) as number;
    release(table, key);
    expect(table.slotOf(key)).toBeUndefined();
    expect(table.keys[slot]).toBeUndefined();
  });

  test('the keys that were released first are dropped when too many are kept', () => {
    const keys = names(KEPT_KEYS + 2);
    const table = tableWith(keys);
    for (const key of keys) release(table, key);
    const kept = keys.filter((key) => table.slotOf(key) !== undefined);
    expect(kept).toEqual(keys.slice(2));
  });

  test('a key that is added again becomes the newest of the kept keys', () => {
    const keys = names(KEPT_KEYS);
    const table = tableWith([...keys, 'one more']);
    for (const key of keys) release(table, key);
    const slot = table.claim('key-0', table.slotOf('key-0'));
    table.release(slot);
    release(table, 'one more');
    expect(table.slotOf('key-0')).toBe(slot);
    expect(table.slotOf('key-1')).toBeUndefined();
  });

  test('a large table keeps as many released keys as it has keys in use', () => {
    const keys = names(4000);
    const table = tableWith(keys);
    for (const key of keys.slice(0, 2500)) release(table, key);
    const kept = keys.slice(0, 2500).filter((key) => table.slotOf(key) !== undefined);
    expect(kept).toHaveLength(1500);
  });

  test('compacting drops the released keys', () => {
    const keys = names(3000);
    const table = tableWith(keys);
    for (const key of keys.slice(1)) release(table, key);
    expect(table.isSparse).toBe(true);
    table.compact(() => undefined);
    expect(table.size).toBe(1);
    expect(keys.filter((key) => table.slotOf(key) !== undefined)).toEqual(['key-0']);
  });
});
