import { type PeerCertificate, TLSSocket } from 'node:tls';
import type { Socket } from 'node:net';
import { authenticatedGroup, type User } from './user.ts';

/** The user of a connection's certificate; `refused` if its signer is not trusted. */
export type CertificateFinding = User | 'refused';

/** Authenticates by client certificate, like kube-apiserver with `--client-ca-file`. */
export class ClientCertificates {
  /** Results by connection: a certificate never changes, and parsing one takes longer than a small request. */
  readonly #found = new WeakMap<Socket, { readonly finding: CertificateFinding | undefined }>();

  /** Returns `undefined` if the connection has no certificate. */
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
  // A repeated attribute of a certificate is an array.
  const { CN: name, O: groups } = subject as { CN?: string; O?: string | string[] };
  if (typeof name !== 'string' || name === '') return 'refused';
  const credential = `X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`;
  return {
    name,
    groups: [...[groups ?? []].flat(), authenticatedGroup],
    extra: { 'authentication.kubernetes.io/credential-id': [credential] },
  };
}
