import { describe, expect, test } from '@jest/globals';
import { parseIndexes, printIndexes } from './completed-indexes.ts';

describe('the completed indexes of a Job', () => {
  test.each([
    [[], ''],
    [[3], '3'],
    [[1, 2], '1,2'],
    [[5, 3, 4, 1], '1,3-5'],
    [[0, 1, 2, 7, 9, 10], '0-2,7,9,10'],
  ])('%p is %p', (indexes, text) => {
    expect(printIndexes(indexes)).toBe(text);
    expect(parseIndexes(text)).toEqual(indexes.toSorted((one, other) => one - other));
  });
});
