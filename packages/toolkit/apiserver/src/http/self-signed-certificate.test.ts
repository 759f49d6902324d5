import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { selfSignedCertificate } from './self-signed-certificate.ts';

describe('selfSignedCertificate', () => {
  test('is its own CA and is valid for every requested host', async () => {
    const { cert, key } = await selfSignedCertificate(['localhost', '127.0.0.1']);
    const certificate = new X509Certificate(cert);
    expect(certificate.ca).toBe(true);
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkHost('example.com')).toBeUndefined();
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  });
});
