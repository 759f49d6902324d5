import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { clearEntry, EntryTable, Place, type Entry } from './entry-table.ts';

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
  const entry = table.get(key);
  if (entry === undefined) throw new Error(`no entry of ${String(key)}`);
  return entry;
}

function release(table: Table, key: unknown): void {
  const entry = entryOf(table, key);
  clearEntry(entry);
  table.release(entry);
}

describe('EntryTable', () => {
  test('a released key keeps its entry for its next add, without its item', () => {
    const table = tableWith(['a', 'b']);
    const entry = entryOf(table, 'a');
    release(table, 'a');
    expect([entry.item, entry.place]).toEqual([undefined, Place.released]);
    expect(table.claim('a', table.get('a'), 'again', 0)).toBe(entry);
    expect(table.get('a')).toBe(entry);
  });

  test('another key does not get the entry of a released key', () => {
    const table = tableWith(['a']);
    release(table, 'a');
    expect(table.claim('b', undefined, 'item of b', 0)).not.toBe(table.get('a'));
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
    expect(table.get(key)).toBeUndefined();
    expect([...table.all()]).toEqual([]);
  });

  test('released keys are dropped when too many are kept', () => {
    const keys = names(KEPT_KEYS + 1);
    const table = tableWith(keys);
    for (const key of keys.slice(1)) release(table, key);
    expect(keysOf(table)).toEqual(keys);
    release(table, 'key-0');
    expect(keysOf(table)).toEqual([]);
  });

  test('a key that is in use again is not dropped with the released keys', () => {
    const keys = names(KEPT_KEYS + 2);
    const table = tableWith(keys);
    for (const key of keys.slice(0, KEPT_KEYS)) release(table, key);
    const entry = table.claim('key-0', table.get('key-0'), 'again', 0);
    for (const key of keys.slice(KEPT_KEYS)) release(table, key);
    expect([...table.all()]).toEqual([entry]);
  });

  test('a large table keeps eight times as many released keys as it has keys in use', () => {
    const keys = names(9000);
    const table = tableWith(keys);
    for (const key of keys.slice(1000)) release(table, key);
    expect(keysOf(table)).toEqual(keys);
    release(table, 'key-0');
    expect(keysOf(table)).toEqual(keys.slice(1, 1000));
  });

  test('a release examines at most 16 of the keys when released keys are dropped', () => {
    const keys = names(9000);
    const table = tableWith(keys);
    for (const key of keys.slice(1000)) release(table, key);
    release(table, 'key-0');
    const releases = Math.ceil(9000 / 16);
    for (const key of keys.slice(1, releases)) release(table, key);
    expect(table.get('key-8999')?.place).toBe(Place.released);
    for (const key of keys.slice(releases, releases + 2)) release(table, key);
    expect(table.get('key-8999')).toBeUndefined();
    expect(table.get('key-999')?.item).toBe('item of key-999');
  });

  test('a released key that is in use again while released keys are dropped keeps its entry', () => {
    const keys = names(9000);
    const table = tableWith(keys);
    for (const key of keys.slice(1000)) release(table, key);
    const claimAgain = (key: string): Entry<string, string> =>
      table.claim(key, table.get(key), 'again', 0);
    release(table, 'key-0');
    // Each release examines 16 keys in the order of their first adds: key-0 is examined then, and key-8999 is not.
    release(table, 'key-1');
    const entries = [claimAgain('key-0'), claimAgain('key-8999')];
    expect([...table.all()].filter(({ item }) => item === 'again')).toEqual(entries);
    expect(keysOf(table)).toHaveLength(1000);
  });

  test('an object as key is dropped at once while released keys are dropped', () => {
    const [early, late] = [{ name: 'early' }, { name: 'late' }];
    const keys = names(8998);
    const table = tableWith([early, ...keys, late]);
    for (const key of keys.slice(998)) release(table, key);
    release(table, 'key-0');
    release(table, 'key-1');
    for (const key of [early, late]) {
      release(table, key);
      expect(table.get(key)).toBeUndefined();
    }
    expect(keysOf(table)).toEqual(keys.slice(2, 998));
  });

  test('random claims and releases: each key in use has one entry, which stays', () => {
    const range = fc.record({
      does: fc.constantFrom('claim', 'release', 'read all' as const),
      from: fc.integer({ min: 0, max: 4000 }),
      count: fc.integer({ min: 1, max: 4000 }),
    });
    fc.assert(
      fc.property(fc.array(range, { minLength: 4, maxLength: 12 }), (ranges) => {
        const table: Table = new EntryTable();
        const live = new Map<number, Entry<string, string>>();
        for (const { does, from, count } of ranges) {
          const keys = Array.from({ length: does === 'read all' ? 0 : count }, (_, i) => from + i);
          for (const key of keys) {
            const entry = live.get(key);
            if (does === 'release' && entry !== undefined) {
              release(table, key);
              live.delete(key);
            } else if (does === 'claim' && entry === undefined) {
              live.set(key, table.claim(key, table.get(key), 'item', 0));
            }
          }
          if (does === 'read all') expect(inUse(table)).toEqual(new Set(live.values()));
          for (const [key, entry] of live) if (table.get(key) !== entry) throw new Error(`${key}`);
        }
        expect(inUse(table)).toEqual(new Set(live.values()));
      }),
      { numRuns: 20 },
    );
  });
});

function keysOf(table: Table): unknown[] {
  return Array.from(table.all(), ({ key }) => key);
}

/** The entries of the keys in use; fails if two entries have the same key. */
function inUse(table: Table): Set<Entry<string, string>> {
  const entries = [...table.all()];
  expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length);
  return new Set(entries.filter(({ place }) => place !== Place.released));
}
