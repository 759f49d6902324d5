import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { CertificateAuthority } from './certificate-authority.ts';

describe('CertificateAuthority', () => {
  test('signs servers for this machine and users with their groups', async () => {
    const authority = await CertificateAuthority.create();
    const root = new X509Certificate(authority.certificate);
    const server = new X509Certificate((await authority.server()).cert);
    const user = new X509Certificate((await authority.user('bob', ['devs', 'ops'])).cert);
    expect(root.ca).toBe(true);
    expect(server.checkIssued(root)).toBe(true);
    expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(user.checkIssued(root)).toBe(true);
    expect(user.subject.split('\n').toSorted()).toEqual(['CN=bob', 'O=devs', 'O=ops']);
    expect(user.ca).toBe(false);
  });
});
