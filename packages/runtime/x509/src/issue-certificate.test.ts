import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { issueCertificate, type IssuedCertificate } from './issue-certificate.ts';

const now = Date.now();
const validity = { notBefore: now - 60_000, notAfter: now + 3_600_000 };
let authority: IssuedCertificate;
let serving: IssuedCertificate;

beforeAll(async () => {
  authority = await issueCertificate({ commonName: 'authority-1', ...validity });
  const hosts = ['webhook.default.svc', '127.0.0.1', '::1'];
  serving = await issueCertificate({ commonName: 'webhook', hosts, ...validity, authority });
});

/** The 20 bytes behind some bytes of a certificate, in hexadecimal. */
function hexBehind(cert: string, start: string): string {
  const hex = new X509Certificate(cert).raw.toString('hex');
  return hex.split(start)[1]?.slice(0, 40) ?? '';
}

describe('issueCertificate', () => {
  test('issues an authority that may sign certificates and nothing else', () => {
    const certificate = new X509Certificate(authority.cert);
    expect([certificate.ca, certificate.subject, certificate.keyUsage]).toEqual([
      true,
      'CN=authority-1',
      undefined,
    ]);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkIssued(certificate)).toBe(true);
  });

  test('issues a certificate of the authority for hosts and addresses', () => {
    const certificate = new X509Certificate(serving.cert);
    const issuer = new X509Certificate(authority.cert);
    expect([certificate.ca, certificate.issuer, certificate.subject]).toEqual([
      false,
      'CN=authority-1',
      'CN=webhook',
    ]);
    expect(certificate.checkIssued(issuer)).toBe(true);
    expect(certificate.verify(issuer.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(serving.key))).toBe(true);
    expect(certificate.checkHost('webhook.default.svc')).toBe('webhook.default.svc');
    expect(certificate.checkIP('::1')).toBe('::1');
    expect(certificate.checkHost('other.default.svc')).toBeUndefined();
  });

  test('issues a certificate for a client with its organizations, and an authority that is a server too', async () => {
    const organizations = ['devs', 'ops'];
    const request = {
      commonName: 'ada',
      organizations,
      use: 'client',
      ...validity,
      authority,
    } as const;
    const client = new X509Certificate((await issueCertificate(request)).cert);
    expect(client.subject.split('\n')).toEqual(['CN=ada', 'O=devs', 'O=ops']);
    expect([client.keyUsage, client.subjectAltName]).toEqual([['1.3.6.1.5.5.7.3.2'], undefined]);
    const both = { commonName: 'both', hosts: ['::1'], use: 'authority', ...validity } as const;
    const certificate = new X509Certificate((await issueCertificate(both)).cert);
    expect([certificate.ca, certificate.checkIP('::1')]).toEqual([true, '::1']);
  });

  test('names the keys of a certificate and of its authority, which strict verifiers require', () => {
    // The bytes of an extension up to its 20 bytes of identifier.
    const subjectKey = (cert: string): string => hexBehind(cert, '0603551d0e04160414');
    const authorityKey = (cert: string): string => hexBehind(cert, '0603551d23041830168014');
    expect(subjectKey(authority.cert)).toHaveLength(40);
    expect(authorityKey(authority.cert)).toBe(subjectKey(authority.cert));
    expect(authorityKey(serving.cert)).toBe(subjectKey(authority.cert));
    expect(subjectKey(serving.cert)).not.toBe(subjectKey(authority.cert));
  });

  test('a client that trusts the authority accepts the server, another does not', async () => {
    const server = createServer(serving, (socket) => socket.end());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const [other, namesake] = await Promise.all([
      issueCertificate({ commonName: 'authority-2', ...validity }),
      issueCertificate({ commonName: 'authority-1', ...validity }),
    ]);
    const authorized = async (ca: string): Promise<boolean> => {
      const options = { port, host: '127.0.0.1', servername: 'webhook.default.svc', ca };
      const socket: TLSSocket = connect({ ...options, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      socket.destroy();
      return socket.authorized;
    };
    try {
      expect(await authorized(authority.cert)).toBe(true);
      expect(await authorized(`${other.cert}${authority.cert}`)).toBe(true);
      expect(await authorized(other.cert)).toBe(false);
      expect(await authorized(namesake.cert)).toBe(false);
    } finally {
      server.close();
    }
    await once(server, 'close');
  });
});
