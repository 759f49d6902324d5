import type { AccessCheck, PlainResponse } from '../http-server.ts';

const UNAUTHORIZED: PlainResponse = { status: 401, body: 'unauthorized\n' };

/** Accepts the requests of clients with a certificate of the server's `clientCa`. */
export const clientCertificateAccess: AccessCheck = async ({ socket }) =>
  socket instanceof process.getBuiltinModule('node:tls').TLSSocket && socket.authorized
    ? undefined
    : UNAUTHORIZED;
