import { isIP } from 'node:net';

/** A certificate and its private key in PEM. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The name, the hosts and the validity of a certificate. */
export interface CertificateRequest {
  readonly commonName: string;
  /** The host names and addresses of a server; without them the certificate is one of an authority. */
  readonly hosts?: readonly string[];
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
  /** The authority that signs. Default: the certificate signs itself. */
  readonly authority?: IssuedCertificate;
}

/** Creates a key on the curve P-256 and a certificate of it. */
export async function issueCertificate(request: CertificateRequest): Promise<IssuedCertificate> {
  // Loaded here, because it takes longer than most managers that need no certificate take to start.
  const { generate } = await import('selfsigned');
  const { commonName, hosts, notBefore, notAfter, authority } = request;
  const made = await generate([{ name: 'commonName', value: commonName }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(notBefore),
    notAfterDate: new Date(notAfter),
    extensions:
      hosts === undefined
        ? [
            { name: 'basicConstraints', cA: true, critical: true },
            { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
          ]
        : [
            { name: 'basicConstraints', cA: false, critical: true },
            // With it, a certificate that signs itself would not be an issuer, and no client could trust it.
            ...(authority === undefined
              ? []
              : [{ name: 'keyUsage' as const, digitalSignature: true, critical: true }]),
            { name: 'extKeyUsage', serverAuth: true },
            { name: 'subjectAltName', altNames: hosts.map(alternativeName) },
          ],
    ...(authority !== undefined && { ca: authority }),
  });
  return { cert: `${made.cert.trim()}\n`, key: made.private };
}

function alternativeName(host: string): { type: 2; value: string } | { type: 7; ip: string } {
  return isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host };
}
