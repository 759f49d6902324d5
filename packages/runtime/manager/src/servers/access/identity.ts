import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** A user as a SubjectAccessReview names it. */
export interface Identity {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: string[];
  readonly extra?: Record<string, string[]>;
}

/** The user of a client certificate: CN is the name, each O is a group. `undefined` without a trusted certificate. */
export function certificateIdentity(socket: Socket): Identity | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  // Node.js returns an empty object if the client sent no certificate, and an array for a repeated attribute.
  const { subject } = socket.getPeerCertificate() as { subject?: Record<string, unknown> };
  const { CN: user, O: organizations = [] } = subject ?? {};
  if (typeof user !== 'string' || user === '') return undefined;
  const groups = [organizations].flat().filter((group) => typeof group === 'string');
  // kube-apiserver adds this group to every authenticated user.
  return { user, groups: [...groups, 'system:authenticated'] };
}

/** The token of an `Authorization` header; `undefined` for another scheme. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
}
