import { describe, expect, test } from '@jest/globals';
import { requestKey } from './request.ts';

describe('requestKey', () => {
  test('is the object key of a plain name', () => {
    expect(requestKey({ namespace: 'n', name: 'a' })).toBe('n/a');
    expect(requestKey({ name: 'a' })).toBe('a');
    expect(requestKey({ namespace: undefined, name: 'a' })).toBe('a');
    expect(requestKey({ namespace: '', name: 'a' })).toBe('a');
  });

  test('tells further members apart, in any order', () => {
    const one = requestKey({ name: 'a', kind: 'Secret' });
    expect(one).toBe(requestKey({ kind: 'Secret', name: 'a' }));
    expect(one).toBe(requestKey({ kind: 'Secret', name: 'a', namespace: undefined }));
    expect(one).not.toBe(requestKey({ name: 'a', kind: 'ConfigMap' }));
    expect(one).not.toBe(requestKey({ name: 'a' }));
  });

  test('refuses what is no request', () => {
    for (const wrong of [null, undefined, 'a', 1, {}, [], ['a'], Promise.resolve({ name: 'a' })]) {
      expect(() => requestKey(wrong as never)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION' }),
      );
    }
  });
});
