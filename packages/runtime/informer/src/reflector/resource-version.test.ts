import { expect, test } from '@jest/globals';
import { assert, bigInt, property } from 'fast-check';
import { isOlder } from './resource-version.ts';

test('versions that are integers of any length are compared as integers', () => {
  const version = bigInt({ min: 1n, max: 2n ** 128n });
  assert(
    property(version, version, (left, right) => {
      expect(isOlder(String(left), String(right))).toBe(left < right);
    }),
  );
});

test.each([
  ['', '5'],
  ['5', ''],
  ['0', '5'],
  ['05', '7'],
  ['a', 'b'],
  ['1-2', '1-3'],
  ['1', '2x'],
])('%j does not count as older than %j', (version, than) => {
  expect(isOlder(version, than)).toBe(false);
});
