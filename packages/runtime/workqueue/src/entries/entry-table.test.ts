import { describe, expect, test } from '@jest/globals';
import { EntryTable, Place, type Entry } from './entry-table.ts';

/** The number of released keys that keep their entries while fewer keys are in use. */
const KEPT_KEYS = 1024;

type Table = EntryTable<string, string>;

function tableWith(keys: readonly unknown[]): Table {
  const table: Table = new EntryTable();
  for (const key of keys) table.claim(key, undefined, `item of ${String(key)}`, 0);
  return table;
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `key-${index}`);
}

function entryOf(table: Table, key: unknown): Entry<string, string> {
  const entry = table.entries.get(key);
  if (entry === undefined) throw new Error(`no entry of ${String(key)}`);
  return entry;
}

function release(table: Table, key: unknown): void {
  table.release(entryOf(table, key));
}

describe('EntryTable', () => {
  test('a released key keeps its entry for its next add, without its item', () => {
    const table = tableWith(['a', 'b']);
    const entry = entryOf(table, 'a');
    release(table, 'a');
    expect([entry.item, entry.place]).toEqual([undefined, Place.released]);
    expect(table.claim('a', table.entries.get('a'), 'again', 0)).toBe(entry);
    expect(table.entries.get('a')).toBe(entry);
  });

  test('another key does not get the entry of a released key', () => {
    const table = tableWith(['a']);
    release(table, 'a');
    expect(table.claim('b', undefined, 'item of b', 0)).not.toBe(table.entries.get('a'));
  });

  test('a key in use keeps its entry when it is claimed again', () => {
    const table = tableWith(['a', 'b']);
    const entry = entryOf(table, 'a');
    expect(table.claim('a', entry, 'again', 1)).toBe(entry);
    expect([entry.item, entry.priority]).toEqual(['again', 1]);
  });

  test('an object as key is dropped at once, so that it can be collected', () => {
    const key = { name: 'a' };
    const table = tableWith([key]);
    release(table, key);
    expect(table.entries.get(key)).toBeUndefined();
    expect([...table.entries.values()]).toEqual([]);
  });

  test('released keys are dropped when too many are kept', () => {
    const keys = names(KEPT_KEYS + 1);
    const table = tableWith(keys);
    for (const key of keys.slice(1)) release(table, key);
    expect([...table.entries.values()]).toHaveLength(KEPT_KEYS + 1);
    release(table, 'key-0');
    expect([...table.entries.values()]).toEqual([]);
  });

  test('a key that is in use again is not dropped with the released keys', () => {
    const keys = names(KEPT_KEYS + 2);
    const table = tableWith(keys);
    for (const key of keys.slice(0, KEPT_KEYS)) release(table, key);
    const entry = table.claim('key-0', table.entries.get('key-0'), 'again', 0);
    for (const key of keys.slice(KEPT_KEYS)) release(table, key);
    expect([...table.entries.values()]).toEqual([entry]);
  });

  test('a large table keeps eight times as many released keys as it has keys in use', () => {
    const keys = names(9000);
    const table = tableWith(keys);
    for (const key of keys.slice(1000)) release(table, key);
    expect([...table.entries.values()]).toHaveLength(9000);
    release(table, 'key-0');
    expect([...table.entries.values()].map(({ key }) => key)).toEqual(keys.slice(1, 1000));
  });
});
