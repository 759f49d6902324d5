import { hostname } from 'node:os';
import { issueCertificate } from '@keelson/x509';
import type { CertificateSource, KeyPair } from './certificate-source.ts';

/** The validity that controller-runtime gives its self-signed certificates. */
const VALIDITY_DAYS = 365;

/** Creates a certificate at each start, for scrapers that do not verify certificates. */
export class SelfSignedCertificate implements CertificateSource {
  async start(use: (pair: KeyPair) => void): Promise<void> {
    use(await selfSignedCertificate());
  }

  stop(): void {}
}

/**
 * Creates a certificate that is signed by its own key, for a server of your own whose clients do not verify it. It is
 * for `localhost`, the loopback addresses and the name of the host, and valid for 365 days.
 */
export async function selfSignedCertificate(): Promise<{
  readonly cert: string;
  readonly key: string;
}> {
  const now = Date.now();
  return issueCertificate({
    commonName: hostname(),
    hosts: [hostname(), 'localhost', '127.0.0.1', '::1'],
    // A client whose clock is slow must not find the certificate not yet valid.
    notBefore: now - 3_600_000,
    notAfter: now + VALIDITY_DAYS * 86_400_000,
  });
}
