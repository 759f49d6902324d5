import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { LruMap, type LruEntry } from './lru-map.ts';

class Entry implements LruEntry<Entry> {
  key = '';
  before: Entry | undefined = undefined;
  after: Entry | undefined = undefined;
  hash = 0;
  next: Entry | undefined = undefined;
}

const step = fc.record({
  does: fc.constantFrom('use', 'use', 'use', 'remove'),
  key: fc.integer({ min: 0, max: 300 }).map(String),
});

describe('LruMap', () => {
  test('has the entries in the order of their last use, however many were removed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 1500, size: 'max' }), (steps) => {
        const map = new LruMap<Entry>();
        const model = new Map<string, Entry>();
        const removed: Entry[] = [];
        for (const { does, key } of steps) {
          if (does === 'remove') {
            const [first] = model;
            expect(map.removeFirst()).toBe(first?.[1]);
            if (first !== undefined) {
              model.delete(first[0]);
              removed.push(first[1]);
            }
            continue;
          }
          const known = map.get(key);
          if (known !== model.get(key)) throw new Error(`another entry of ${key}`);
          // A removed entry can be added again with another key.
          const entry = known ?? removed.pop() ?? new Entry();
          if (known === undefined) {
            entry.key = key;
            map.add(entry);
          } else map.makeLast(entry);
          model.delete(key);
          model.set(key, entry);
        }
        expect(map.latestFirst().map(({ key }) => key)).toEqual([...model.keys()].toReversed());
        expect(map.size).toBe(model.size);
        for (let key = 0; key <= 300; key += 1) {
          expect(map.get(String(key))).toBe(model.get(String(key)));
        }
      }),
    );
  });
});
