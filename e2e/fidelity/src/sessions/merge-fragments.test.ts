import { expect, test } from '@jest/globals';
import { mergeFragments } from './merge-fragments.ts';

test('mergeFragments merges objects, replaces lists and values, and does not change its input', () => {
  const base = { spec: { a: 1, list: [1, 2], inner: { x: 1 } } };
  const merged = mergeFragments([base, { spec: { list: [3], inner: { y: 2 } } }, { kind: 'K' }]);
  expect(merged).toEqual({ kind: 'K', spec: { a: 1, list: [3], inner: { x: 1, y: 2 } } });
  expect(base).toEqual({ spec: { a: 1, list: [1, 2], inner: { x: 1 } } });
});
