import { describe, expect, test } from '@jest/globals';
import { duplicateFields } from './duplicate-fields.ts';

describe('duplicateFields', () => {
  test.each([
    ['{"a":1,"b":[1,{"a":1}],"c":{"a":2}}', []],
    ['{"a":1,"a":2}', ['a']],
    ['{"a":{"b":1,"b":2},"a":3}', ['a.b', 'a']],
    ['{"a":[{"x":1},{"x":1,"x":2}]}', ['a[1].x']],
    [String.raw`{"a\"":1,"b":"a\",","\u0061\"":2}`, ['a"']],
    ['{"a":"a","b":"a"}', []],
    [String.raw`{"\ud83d":1,"\ud83e":2}`, ['\ufffd']],
    ['[]', []],
  ])('finds the duplicates of %s', (text, paths) => {
    expect(duplicateFields(text)).toEqual(paths);
  });
});
