import { isIP } from 'node:net';

/** The certificate and key of a server in PEM. The certificate is its own CA. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const VALIDITY_DAYS = 365;

/**
 * Creates a certificate for these host names and addresses, valid for one year. The X.509 library takes 0.1 s to
 * load, so it is loaded on the first call.
 */
export async function selfSignedCertificate(hosts: readonly string[]): Promise<Certificate> {
  const { generate } = await import('selfsigned');
  const now = Date.now();
  const made = await generate([{ name: 'commonName', value: 'keelson-apiserver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    // A client whose clock is slow must not find the certificate not yet valid.
    notBeforeDate: new Date(now - 3_600_000),
    notAfterDate: new Date(now + VALIDITY_DAYS * 86_400_000),
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: hosts.map(altName) },
    ],
  });
  return { cert: made.cert, key: made.private };
}

function altName(host: string): { type: 2; value: string } | { type: 7; ip: string } {
  return isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host };
}
