import { expect, test } from '@jest/globals';
import { thrownReason } from './thrown-reason.ts';

const unreadable = {
  toString(): string {
    throw new Error('unreadable');
  },
};

test.each([
  [new Error('gone'), 'gone'],
  ['gone', 'gone'],
  [undefined, 'undefined'],
  [Object.create(null), 'a value without a text was thrown'],
  [unreadable, 'a value without a text was thrown'],
])('gives the text of a thrown value', (thrown: unknown, text) => {
  expect(thrownReason(thrown)).toBe(text);
});
