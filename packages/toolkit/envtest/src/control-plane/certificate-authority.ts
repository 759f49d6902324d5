import { issueCertificate, type CertificateRequest, type IssuedCertificate } from '@keelson/x509';

/** A certificate and its private key as PEM text. */
export type KeyPair = IssuedCertificate;

const VALIDITY_DAYS = 7;

/** Signs the certificates of one test environment: one for the server, and one for each user. */
export class CertificateAuthority {
  readonly #authority: KeyPair;

  private constructor(authority: KeyPair) {
    this.#authority = authority;
  }

  /** Creates a new authority. Only clients and servers of this environment trust it. */
  static async create(): Promise<CertificateAuthority> {
    return new CertificateAuthority(await issue({ commonName: 'keelson-envtest' }));
  }

  /** The certificate of the authority, which clients and servers have to trust. */
  get certificate(): string {
    return this.#authority.cert;
  }

  /** Signs a certificate for a server on this machine. */
  server(): Promise<KeyPair> {
    const hosts = ['localhost', '127.0.0.1'];
    return issue({ commonName: 'kube-apiserver', hosts, authority: this.#authority });
  }

  /** Signs a client certificate: Kubernetes reads the user name from its CN and the groups from its O entries. */
  user(commonName: string, organizations: readonly string[]): Promise<KeyPair> {
    return issue({ commonName, organizations, use: 'client', authority: this.#authority });
  }
}

function issue(request: Omit<CertificateRequest, 'notBefore' | 'notAfter'>): Promise<KeyPair> {
  const now = Date.now();
  return issueCertificate({
    ...request,
    // A client whose clock is behind must not reject the certificate as not yet valid.
    notBefore: now - 3_600_000,
    notAfter: now + VALIDITY_DAYS * 86_400_000,
  });
}
