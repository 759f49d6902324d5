import { generate } from 'selfsigned';

/** A certificate and its private key as PEM text. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const days = 7;

/** Signs the certificates of one test environment: one for the server, and one for each user. */
export class CertificateAuthority {
  readonly #authority: KeyPair;

  private constructor(authority: KeyPair) {
    this.#authority = authority;
  }

  /** Creates a new authority. Only clients and servers of this environment trust it. */
  static async create(): Promise<CertificateAuthority> {
    const extensions = [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ] as const;
    return new CertificateAuthority(await sign({ commonName: 'keelson-envtest' }, extensions));
  }

  /** The certificate of the authority, which clients and servers have to trust. */
  get certificate(): string {
    return this.#authority.cert;
  }

  /** Signs a certificate for a server on this machine. */
  server(): Promise<KeyPair> {
    const altNames: AltNames = [
      { type: 2, value: 'localhost' },
      { type: 7, ip: '127.0.0.1' },
    ];
    const extensions: Extension[] = [
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames },
    ];
    return sign({ commonName: 'kube-apiserver' }, extensions, this.#authority);
  }

  /** Signs a client certificate: Kubernetes reads the user name from its CN and the groups from its O entries. */
  user(name: string, groups: readonly string[]): Promise<KeyPair> {
    const extensions = [{ name: 'extKeyUsage', clientAuth: true }] as const;
    return sign({ commonName: name, organizations: groups }, extensions, this.#authority);
  }
}

interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

type Options = NonNullable<Parameters<typeof generate>[1]>;
type Extension = NonNullable<Options['extensions']>[number];
type AltNames = Extract<Extension, { name: 'subjectAltName' }>['altNames'];

async function sign(
  subject: Subject,
  extensions: readonly Extension[],
  authority?: KeyPair,
): Promise<KeyPair> {
  const now = Date.now();
  const organizations = subject.organizations ?? [];
  const made = await generate(
    [
      { name: 'commonName', value: subject.commonName },
      ...organizations.map((value) => ({ name: 'organizationName', value })),
    ],
    {
      keyType: 'ec',
      algorithm: 'sha256',
      // A client whose clock is behind must not reject the certificate as not yet valid.
      notBeforeDate: new Date(now - 3_600_000),
      notAfterDate: new Date(now + days * 86_400_000),
      extensions: [...extensions],
      ...(authority && { ca: authority }),
    },
  );
  return { cert: made.cert, key: made.private };
}
