import { issueCertificate, type IssuedCertificate } from '@keelson/x509';

/** The certificate and key of a server in PEM. The certificate is its own authority. */
export type Certificate = IssuedCertificate;

const VALIDITY_DAYS = 365;

/** Creates a certificate for these host names and addresses, valid for one year. */
export function selfSignedCertificate(hosts: readonly string[]): Promise<Certificate> {
  const now = Date.now();
  return issueCertificate({
    commonName: 'keelson-apiserver',
    hosts,
    use: 'authority',
    // A client whose clock is slow must not find the certificate not yet valid.
    notBefore: now - 3_600_000,
    notAfter: now + VALIDITY_DAYS * 86_400_000,
  });
}
