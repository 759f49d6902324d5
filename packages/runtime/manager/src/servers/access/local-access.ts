import type { IncomingMessage } from 'node:http';
import { hostnameOf, isLoopback } from '@keelson/apimachinery';
import type { AccessCheck, PlainResponse } from '../http-server.ts';
import { sentToken, TOKEN_HEADER } from './identity.ts';

const FORBIDDEN: PlainResponse = { status: 403, body: 'forbidden\n' };
const UNAUTHORIZED: PlainResponse = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer' },
  body: 'unauthorized\n',
};

/** Returns a token that cannot be guessed. */
export function newToken(): string {
  return process.getBuiltinModule('node:crypto').randomBytes(32).toString('base64url');
}

/** Accepts the requests with this token. */
export function tokenAccess(token: string): AccessCheck {
  const { timingSafeEqual } = process.getBuiltinModule('node:crypto');
  const wanted = digest(token);
  return async ({ headers }) => {
    const sent = sentToken(headers);
    return sent !== undefined && timingSafeEqual(digest(sent), wanted) ? undefined : UNAUTHORIZED;
  };
}

/**
 * Refuses the requests that a web page of another server makes a browser send to a server on a loopback address. If the
 * page uses the address, the header `Origin` or `Sec-Fetch-Site` names another site. If it uses a host name that resolves to the
 * address (DNS rebinding), the header `Host` has that name.
 */
export function localAccess(next: AccessCheck): AccessCheck {
  return async (request, path) => (isLocal(request) ? next(request, path) : FORBIDDEN);
}

function isLocal({ headers }: IncomingMessage): boolean {
  const { host, origin, 'sec-fetch-site': site = 'none' } = headers;
  // HTTP/1.1 requires a Host, and browsers do not send HTTP/1.0.
  if (host !== undefined && !isLoopback(hostnameOf(host) ?? '')) return false;
  return isOwnSite(site) && (origin === undefined || isOriginOf(host, origin));
}

/**
 * Refuses the POST requests that a web page of another origin makes a browser send, with a client certificate for
 * example. Such a page cannot send `X-Keelson-Token`. Behind a proxy the header `Host` is not that of the page, so that a
 * request with this header needs no `Origin` of the server.
 */
export function sameOriginPosts(next: AccessCheck): AccessCheck {
  return async (request, path) => {
    const {
      host,
      origin,
      'sec-fetch-site': site = 'none',
      [TOKEN_HEADER]: token,
    } = request.headers;
    const isOwn =
      isOwnSite(site) && (origin === undefined || token !== undefined || isOriginOf(host, origin));
    return request.method !== 'POST' || isOwn ? next(request, path) : FORBIDDEN;
  };
}

/** Calls the check for all paths except these, which have no data. */
export function exceptPaths(isPublic: (path: string) => boolean, next: AccessCheck): AccessCheck {
  return async (request, path) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return isRead && isPublic(path) ? undefined : next(request, path);
  };
}

function isOwnSite(site: string | readonly string[]): boolean {
  return site === 'none' || site === 'same-origin';
}

/** True for the origin of a page that this server sent under the name in the header `Host`. */
function isOriginOf(host: string | undefined, origin: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

/**
 * Returns the digest of a token. Digests are compared, so that the duration of a comparison reveals no prefix of a
 * token.
 */
function digest(token: string): Buffer {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(token).digest();
}
