import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { selfSignedCertificate } from './self-signed-certificate.ts';

describe('selfSignedCertificate', () => {
  test('is one of its authority, which rustls requires, and is valid for every requested host', async () => {
    const { cert, key } = await selfSignedCertificate(['localhost', '127.0.0.1']);
    const certificate = new X509Certificate(cert);
    const authority = new X509Certificate(cert.slice(cert.lastIndexOf('-----BEGIN')));
    expect([certificate.ca, authority.ca]).toEqual([false, true]);
    expect(certificate.checkIssued(authority)).toBe(true);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkHost('example.com')).toBeUndefined();
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  });
});
