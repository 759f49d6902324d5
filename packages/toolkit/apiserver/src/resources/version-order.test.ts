import { expect, test } from '@jest/globals';
import { compareVersions } from './version-order.ts';

test('compareVersions orders by stability, then by number, then by text', () => {
  const versions = [
    'foo10',
    'v1beta1',
    'v2',
    'v10',
    'foo1',
    'v11alpha2',
    'v3beta1',
    'v1',
    'v11beta2',
  ];
  expect(versions.toSorted(compareVersions)).toEqual([
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v3beta1',
    'v1beta1',
    'v11alpha2',
    'foo1',
    'foo10',
  ]);
});
