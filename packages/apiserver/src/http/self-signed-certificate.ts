import { isIP } from 'node:net';

/** A server's certificate and its key, PEM. The certificate is its own authority. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const days = 365;

/**
 * Makes a certificate for these host names and addresses, valid for a year. The library that writes
 * X.509 takes 0.1 s to load and is loaded only here, since most servers speak plain HTTP.
 */
export async function selfSignedCertificate(hosts: readonly string[]): Promise<Certificate> {
  const { generate } = await import('selfsigned');
  const now = Date.now();
  const made = await generate([{ name: 'commonName', value: 'keelson-apiserver' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    // A clock that is a little behind must not find a certificate of the future.
    notBeforeDate: new Date(now - 3_600_000),
    notAfterDate: new Date(now + days * 86_400_000),
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
