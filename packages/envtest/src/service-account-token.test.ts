import { createVerify, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { signServiceAccountToken } from './service-account-token.ts';

describe('signServiceAccountToken', () => {
  test('signs what a kube-apiserver reads, a minute of leeway before it is to be refused', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const facts = { namespace: 'ns', name: 'robot', uid: 'u', expires: 1_000_000_000 };
    const [head = '', claims = '', signature = ''] = signServiceAccountToken(
      privateKey,
      facts,
    ).split('.');
    const verify = createVerify('RSA-SHA256').update(`${head}.${claims}`);
    expect(verify.verify(publicKey, signature, 'base64url')).toBe(true);
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      aud: ['https://kubernetes.default.svc'],
      sub: 'system:serviceaccount:ns:robot',
      exp: 999_940,
      'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'u' } },
    });
  });
});
