import { expect, test } from '@jest/globals';
import { takingFirst } from './take-first.ts';

test('takingFirst takes the first value of a text that is left', () => {
  const left = new Set(['a1', 'b1', 'a2', 'a3']);
  const byLetter = takingFirst(left, ([letter = '']) => letter);
  const byDigit = takingFirst(left, ([, digit = '']) => digit);
  expect([byLetter('a'), byDigit('1'), byLetter('a'), byLetter('b')]).toEqual([
    'a1',
    'b1',
    'a2',
    undefined,
  ]);
  expect([...left]).toEqual(['a3']);
});
