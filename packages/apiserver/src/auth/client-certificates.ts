import { type PeerCertificate, TLSSocket } from 'node:tls';
import type { Socket } from 'node:net';
import { authenticatedGroup, type User } from './user.ts';

/** What a connection's certificate says: whose it is, or that nobody trusted has signed it. */
export type CertificateFinding = User | 'refused';

/** Knows users by the certificates of their connections, as kube-apiserver does with `--client-ca-file`. */
export class ClientCertificates {
  /** A certificate holds as long as its connection, and reading one takes longer than a small request. */
  readonly #found = new WeakMap<Socket, { readonly finding: CertificateFinding | undefined }>();

  /** `undefined` where the connection came without a certificate. */
  find(socket: Socket): CertificateFinding | undefined {
    const known = this.#found.get(socket);
    if (known !== undefined) return known.finding;
    const finding = socket instanceof TLSSocket ? findingOf(socket) : undefined;
    this.#found.set(socket, { finding });
    return finding;
  }
}

function findingOf(socket: TLSSocket): CertificateFinding | undefined {
  const { subject, fingerprint256 = '' } = socket.getPeerCertificate() as Partial<PeerCertificate>;
  if (subject === undefined) return undefined;
  if (!socket.authorized) return 'refused';
  // An attribute that a certificate has several times comes as an array.
  const { CN: name, O: groups } = subject as { CN?: string; O?: string | string[] };
  if (typeof name !== 'string' || name === '') return 'refused';
  const credential = `X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`;
  return {
    name,
    groups: [...[groups ?? []].flat(), authenticatedGroup],
    extra: { 'authentication.kubernetes.io/credential-id': [credential] },
  };
}
