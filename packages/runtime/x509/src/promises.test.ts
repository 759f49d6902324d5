import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { issueCertificate } from '@keelson/x509';

const validity = { notBefore: Date.now() - 1000, notAfter: Date.now() + 3_600_000 };

test('A certificate is accepted by those that trust its authority, and by no others.', async () => {
  const authority = await issueCertificate({ commonName: 'ours', ...validity });
  const other = await issueCertificate({ commonName: 'ours', ...validity });
  const request = { commonName: 'server', hosts: ['server'], ...validity, authority };
  const certificate = new X509Certificate((await issueCertificate(request)).cert);
  const isSignedBy = ({ cert }: { cert: string }): boolean =>
    certificate.verify(new X509Certificate(cert).publicKey);
  expect([isSignedBy(authority), isSignedBy(other)]).toEqual([true, false]);
});

test('The package imports nothing but Node.js.', () => {
  const read = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8');
  const manifest = JSON.parse(read('../package.json')) as { dependencies?: object };
  expect(manifest.dependencies).toBeUndefined();
  const sources = ['index.ts', 'der.ts', 'issue-certificate.ts', 'read-der.ts'].map(read).join('');
  const imported = [...sources.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name);
  expect(imported.filter((name) => !/^(?:\.\/|node:)/.test(name))).toEqual([]);
});
