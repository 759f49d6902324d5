import { describe, expect, test } from '@jest/globals';
import { decodeContinueToken, encodeContinueToken } from './continue-token.ts';

describe('continue token', () => {
  test.each([
    { revision: 7, after: 'default/a' },
    { revision: -1, after: 'x' },
  ])('decodes to the encoded token', (token) => {
    expect(decodeContinueToken(encodeContinueToken(token))).toEqual(token);
  });

  test.each([
    ['', 'unexpected end of JSON input'],
    ['nonsense', "invalid character 'o' in literal null (expecting 'u')"],
    ['{}', 'server does not recognize this encoded version ""'],
    ['null', 'server does not recognize this encoded version ""'],
    ['[]', 'server does not recognize this encoded version ""'],
    [
      '{"v":"meta.k8s.io/v1","rv":0,"start":"a"}',
      'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    ['{"v":"meta.k8s.io/v1","rv":1}', 'incorrect encoded start key (version meta.k8s.io/v1)'],
  ])('refuses a token with %s', (text, why) => {
    const token = Buffer.from(text).toString('base64url');
    expect(() => decodeContinueToken(token)).toThrow(`continue key is not valid: ${why}`);
  });

  // Recorded from kube-apiserver 1.36.3.
  test.each([
    ['abc', "invalid character 'i' looking for beginning of value"],
    ['nonsense', "invalid character '\\u009e' looking for beginning of value"],
  ])('refuses a token with %s because of its bytes', (token, why) => {
    expect(() => decodeContinueToken(token)).toThrow(`continue key is not valid: ${why}`);
  });
});
