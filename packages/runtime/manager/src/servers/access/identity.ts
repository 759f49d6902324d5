import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

/** A user as a SubjectAccessReview names it. */
export interface Identity {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: string[];
  readonly extra?: Record<string, string[]>;
}

/** The user of a client certificate: CN is the name, each O is a group. `undefined` without a trusted certificate. */
export function certificateIdentity(socket: Socket): Identity | undefined {
  const { TLSSocket } = process.getBuiltinModule('node:tls');
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  // Node.js returns an empty object if the client sent no certificate, and an array for a repeated attribute.
  const { subject } = socket.getPeerCertificate() as { subject?: Record<string, unknown> };
  const { CN: user, O: organizations = [] } = subject ?? {};
  if (typeof user !== 'string' || user === '') return undefined;
  const groups = [organizations].flat().filter((group) => typeof group === 'string');
  // kube-apiserver adds this group to every authenticated user.
  return { user, groups: [...groups, 'system:authenticated'] };
}

/**
 * The header with the token of a request that passes a proxy with an authentication of its own. That of kube-apiserver removes
 * `Authorization`. A web page of another origin cannot send the header, because the server permits it to none (CORS).
 */
export const TOKEN_HEADER = 'x-keelson-token';

/** The token of a request: that of the header `X-Keelson-Token`, else of `Authorization` with the scheme Bearer. */
export function sentToken(headers: IncomingHttpHeaders): string | undefined {
  const own = headers[TOKEN_HEADER];
  if (own === undefined) return /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  return typeof own === 'string' ? /^\S+$/.exec(own)?.[0] : undefined;
}
