import { createPrivateKey, X509Certificate } from 'node:crypto';
import { hostname } from 'node:os';
import { beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { KeyPair } from './certificate-source.ts';
import { SelfSignedCertificate, selfSignedCertificate } from './self-signed-certificate.ts';

async function create(): Promise<KeyPair> {
  const { promise, resolve } = Promise.withResolvers<KeyPair>();
  await new SelfSignedCertificate().start(resolve);
  return promise;
}

describe('a self-signed certificate', () => {
  let pair: KeyPair;
  let certificate: X509Certificate;

  beforeAll(async () => {
    pair = await create();
    certificate = new X509Certificate(pair.cert);
  });

  test('is signed by its own key', () => {
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(pair.key))).toBe(true);
    expect(certificate.checkIssued(certificate)).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
  });

  test('is for a server of the user too', async () => {
    const { cert, key } = await selfSignedCertificate();
    expect(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
  });

  test('is of this host and for servers', () => {
    expect(certificate.subject).toBe(`CN=${hostname()}`);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkHost(hostname())).toBe(hostname());
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('::1')).toBe('::1');
    expect(certificate.checkHost('other')).toBeUndefined();
    expect(certificate.checkIP('127.0.0.2')).toBeUndefined();
  });

  test('has a serial number of its own', async () => {
    const other = new X509Certificate((await create()).cert);
    expect(other.serialNumber).not.toBe(certificate.serialNumber);
    for (const { serialNumber } of [certificate, other]) {
      expect(serialNumber).toMatch(/^[4-7][\dA-F]{31}$/);
    }
  });

  test.each([
    ['2026-11-24T12:00:00.123Z', 'Nov 24 11:00:00 2026 GMT', 'Nov 24 12:00:00 2027 GMT'],
    ['2049-06-01T00:00:00.000Z', 'May 31 23:00:00 2049 GMT', 'Jun  1 00:00:00 2050 GMT'],
  ])('created at %s is valid from an hour before to a year after', async (now, from, to) => {
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse(now));
    try {
      const { validFrom, validTo } = new X509Certificate((await create()).cert);
      expect([validFrom, validTo]).toEqual([from, to]);
    } finally {
      jest.restoreAllMocks();
    }
  });
});
