import { describe, expect, test } from '@jest/globals';
import { parseNumbers } from './exact-json.ts';

describe('parseNumbers', () => {
  test.each([
    [String.raw`"\ud83d"`, '\ufffd'],
    [String.raw`"\uDE00"`, '\ufffd'],
    [String.raw`"x\udc00y"`, 'x\ufffdy'],
    [String.raw`"\ud83d\ude00"`, '😀'],
    [String.raw`"\ude00\ud83d"`, '\ufffd\ufffd'],
    [String.raw`"\ud83d\ud83d\ude00"`, '\ufffd😀'],
    [String.raw`"\ud83d\u0041"`, '\ufffdA'],
    [String.raw`"\\ud83d"`, String.raw`\ud83d`],
    [String.raw`"\\\ud83d"`, '\\\ufffd'],
    [String.raw`"\ud83"d"`, undefined],
  ])('reads the surrogates of %s as Go does', (json, value) => {
    if (value === undefined) expect(() => parseNumbers(json)).toThrow(SyntaxError);
    else expect(parseNumbers(json)).toBe(value);
  });

  test('reads the names of members in the same way', () => {
    expect(parseNumbers(String.raw`{"\ud83d":1.0}`)).toMatchObject({ '\ufffd': { text: '1.0' } });
  });
});
