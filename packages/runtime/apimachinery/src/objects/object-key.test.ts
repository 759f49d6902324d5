import { describe, expect, test } from '@jest/globals';

import { keyOf, objectKey, parseObjectKey } from './object-key.ts';

describe('object keys', () => {
  test.each([
    ['web', { name: 'web' }],
    ['shop/web', { namespace: 'shop', name: 'web' }],
    ['shop/system:node', { namespace: 'shop', name: 'system:node' }],
  ])('%p and %j are converted into each other', (key, name) => {
    expect(objectKey(name)).toBe(key);
    expect(parseObjectKey(key)).toEqual(name);
  });

  test('an empty namespace equals a missing one', () => {
    expect(objectKey({ namespace: '', name: 'web' })).toBe('web');
  });

  test('are read from metadata', () => {
    expect(keyOf({ metadata: { namespace: 'shop', name: 'web' } })).toBe('shop/web');
    expect(keyOf({ metadata: { name: 'node-1' } })).toBe('node-1');
    expect(keyOf({})).toBe('');
  });
});
