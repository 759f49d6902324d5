import { issueCertificate, type IssuedCertificate } from '@keelson/x509';

/** The certificate of a server and that of its authority behind it, and the key of the server, in PEM. */
export type Certificate = IssuedCertificate;

const VALIDITY_DAYS = 365;

/**
 * Creates an authority, and a certificate of it for these host names and addresses, both valid for one year. Like the file
 * `apiserver.crt` of kube-apiserver, the certificates are those of the server and, for the trust of clients, its authority. One
 * certificate for both is refused by rustls, the TLS library of clients in Rust.
 */
export async function selfSignedCertificate(hosts: readonly string[]): Promise<Certificate> {
  const now = Date.now();
  const validity = {
    // A client whose clock is slow must not find the certificate not yet valid.
    notBefore: now - 3_600_000,
    notAfter: now + VALIDITY_DAYS * 86_400_000,
  };
  const authority = await issueCertificate({ commonName: 'keelson-apiserver-ca', ...validity });
  const request = { commonName: 'keelson-apiserver', hosts, ...validity, authority };
  const { cert, key } = await issueCertificate(request);
  return { cert: cert + authority.cert, key };
}
