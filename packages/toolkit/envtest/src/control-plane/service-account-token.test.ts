import { createVerify, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { signServiceAccountToken } from './service-account-token.ts';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

function claimsOf(part = ''): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
}

describe('signServiceAccountToken', () => {
  test('signs the claims that kube-apiserver reads, with an expiry one minute early for its leeway', () => {
    const facts = { namespace: 'ns', name: 'robot', uid: 'u', expires: 1_000_000_000 };
    const [head = '', claims = '', signature = ''] = signServiceAccountToken(
      privateKey,
      facts,
    ).split('.');
    const verify = createVerify('RSA-SHA256').update(`${head}.${claims}`);
    expect(verify.verify(publicKey, signature, 'base64url')).toBe(true);
    expect(claimsOf(claims)).toMatchObject({
      aud: ['https://kubernetes.default.svc'],
      sub: 'system:serviceaccount:ns:robot',
      exp: 999_940,
      'kubernetes.io': { namespace: 'ns', serviceaccount: { name: 'robot', uid: 'u' } },
    });
  });

  test.each([-3600, 0, 60, 2 * 3600, 7 * 24 * 3600])(
    'is valid at once if it expires in %d s',
    (seconds) => {
      const account = { namespace: 'ns', name: 'robot', uid: 'u' };
      const expires = Date.now() + seconds * 1000;
      const [, part] = signServiceAccountToken(privateKey, { ...account, expires }).split('.');
      const { iat, nbf, exp } = claimsOf(part);
      expect(nbf).toBe(iat);
      expect(iat).toBeLessThanOrEqual(Date.now() / 1000);
      expect(iat).toBeLessThan(Number(exp));
    },
  );
});
