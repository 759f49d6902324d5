import { isIP } from 'node:net';
import { hostname } from 'node:os';
import type { CertificateSource, KeyPair } from './certificate-source.ts';

/** The validity that controller-runtime gives its self-signed certificates. */
const VALIDITY_DAYS = 365;

/** Creates a certificate at each start, for scrapers that do not verify certificates. */
export class SelfSignedCertificate implements CertificateSource {
  async start(use: (pair: KeyPair) => void): Promise<void> {
    // The X.509 library takes 0.1 s to load, so only servers that need it load it.
    const { generate } = await import('selfsigned');
    const now = Date.now();
    const { cert, private: key } = await generate([{ name: 'commonName', value: hostname() }], {
      keyType: 'ec',
      algorithm: 'sha256',
      // A client whose clock is slow must not find the certificate not yet valid.
      notBeforeDate: new Date(now - 3_600_000),
      notAfterDate: new Date(now + VALIDITY_DAYS * 86_400_000),
      extensions: [
        { name: 'extKeyUsage', serverAuth: true },
        {
          name: 'subjectAltName',
          altNames: [hostname(), 'localhost', '127.0.0.1', '::1'].map(altName),
        },
      ],
    });
    use({ cert, key });
  }

  stop(): void {}
}

function altName(host: string): { type: 2; value: string } | { type: 7; ip: string } {
  return isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host };
}
