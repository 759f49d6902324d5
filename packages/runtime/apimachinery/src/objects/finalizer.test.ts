import { describe, expect, test } from '@jest/globals';

import { addFinalizer, hasFinalizer, isDeleting, removeFinalizer } from './finalizer.ts';

const object = { metadata: { name: 'web', finalizers: ['a.example/x', 'b.example/y'] } };

describe('finalizers', () => {
  test('are found by name', () => {
    expect(hasFinalizer(object, 'a.example/x')).toBe(true);
    expect(hasFinalizer(object, 'a.example')).toBe(false);
    expect(hasFinalizer({}, 'a.example/x')).toBe(false);
  });

  test('are added once, at the end', () => {
    expect(addFinalizer(object, 'c.example/z')).toEqual([
      'a.example/x',
      'b.example/y',
      'c.example/z',
    ]);
    expect(addFinalizer(object, 'a.example/x')).toEqual(['a.example/x', 'b.example/y']);
    expect(addFinalizer({}, 'a.example/x')).toEqual(['a.example/x']);
  });

  test('are removed one by one, so those of other controllers stay', () => {
    expect(removeFinalizer(object, 'a.example/x')).toEqual(['b.example/y']);
    expect(removeFinalizer(object, 'none')).toEqual(['a.example/x', 'b.example/y']);
    expect(removeFinalizer({}, 'none')).toEqual([]);
  });

  test('do not change the object', () => {
    addFinalizer(object, 'c.example/z').push('d');
    removeFinalizer(object, 'a.example/x').push('d');
    expect(object.metadata.finalizers).toEqual(['a.example/x', 'b.example/y']);
  });

  test('isDeleting reads the deletion timestamp', () => {
    expect(isDeleting({ metadata: { deletionTimestamp: '2026-11-21T13:00:00Z' } })).toBe(true);
    expect(isDeleting(object)).toBe(false);
    expect(isDeleting({})).toBe(false);
  });
});
