import { describe, expect, test } from '@jest/globals';
import { array, assert, constantFrom, property, tuple } from 'fast-check';
import { lowerBound, SortedKeys } from './sorted-keys.ts';

describe('SortedKeys', () => {
  test('returns the present keys in order after random additions, removals and reads', () => {
    const step = tuple(constantFrom('toggle', 'read'), constantFrom('a', 'b', 'c', 'd', 'e', 'f'));
    assert(
      property(array(step, { maxLength: 60 }), (steps) => {
        const keys = new SortedKeys();
        const model = new Set<string>();
        for (const [action, key] of steps) {
          if (action === 'read') expect(keys.all()).toEqual([...model].toSorted());
          else if (model.delete(key)) keys.remove(key);
          else {
            model.add(key);
            keys.add(key);
          }
        }
        expect(keys.all()).toEqual([...model].toSorted());
      }),
    );
  });
});

describe('lowerBound', () => {
  test.each([
    ['a', 0],
    ['b', 0],
    ['c', 1],
    ['e', 2],
  ])('of %s is %d', (key, position) => {
    expect(lowerBound(['b', 'd'], key)).toBe(position);
  });
});
