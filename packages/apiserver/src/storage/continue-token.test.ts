import { describe, expect, test } from '@jest/globals';
import { decodeContinueToken, encodeContinueToken } from './continue-token.ts';

describe('continue token', () => {
  test.each([
    { revision: 7, after: 'default/a' },
    { revision: -1, after: 'x' },
  ])('survives the way there and back', (token) => {
    expect(decodeContinueToken(encodeContinueToken(token))).toEqual(token);
  });

  test.each(['', 'abc', '{}', '{"v":"meta.k8s.io/v1","rv":0,"start":"a"}', 'null', '[]'])(
    '%s is none',
    (text) => {
      expect(decodeContinueToken(Buffer.from(text).toString('base64url'))).toBeUndefined();
    },
  );
});
