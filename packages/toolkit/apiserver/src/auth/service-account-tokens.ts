import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { lazy } from '@keelson/structural-schema';
import type { Authenticator, TokenIdentity } from './authenticator.ts';
import { serviceAccountGroups } from './system-user.ts';
import { authenticatedGroup, type User } from './user.ts';

/** An object in a token. The token is valid only while an object with this uid exists. */
export interface TokenObject {
  readonly plural: 'serviceaccounts' | BoundObject['plural'];
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
}

/** The object to which a token is bound besides its service account. */
export interface BoundObject {
  readonly plural: 'pods' | 'secrets' | 'nodes';
  readonly name: string;
  readonly uid: string;
  /** The node of a bound pod. Without a uid if the node does not exist. */
  readonly node?: { readonly name: string; readonly uid?: string } | undefined;
}

/** The content of a new token. */
export interface TokenClaims {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The intended audiences of the token. */
  readonly audiences: readonly string[];
  /** Expiry in seconds since the epoch. */
  readonly expires: number;
  readonly bound?: BoundObject | undefined;
}

/** The signed payload of a token that this server issued. */
interface TokenPayload {
  readonly sub: string;
  readonly aud: readonly string[];
  readonly exp: number;
  readonly jti: string;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
    readonly bound?: BoundObject;
  };
}

/** The audience of this API server: tokens for other audiences are rejected. */
export const apiAudience = 'https://kubernetes.default.svc';

/** Issues and verifies tokens of service accounts: JWTs signed with a key of this server. */
export class ServiceAccountTokens {
  readonly #key = lazy(() => randomBytes(32));
  /** Milliseconds since the epoch. */
  readonly #now: () => number;
  readonly #isThere: (object: TokenObject) => boolean;

  constructor(now: () => number, isThere: (object: TokenObject) => boolean) {
    this.#now = now;
    this.#isThere = isThere;
  }

  issue({ namespace, name, uid, audiences, expires, bound }: TokenClaims): string {
    const head = encoded({ alg: 'HS256', typ: 'JWT' });
    const claims = encoded({
      iss: 'keelson-apiserver',
      sub: `system:serviceaccount:${namespace}:${name}`,
      aud: audiences,
      exp: expires,
      jti: randomUUID(),
      'kubernetes.io': { namespace, serviceaccount: { name, uid }, bound },
    });
    return `${head}.${claims}.${this.#signature(`${head}.${claims}`)}`;
  }

  /**
   * The service account of a token that this server issued, and the audiences of the token. Returns `undefined` if an object in
   * the token no longer exists.
   */
  identityOf(token: string): TokenIdentity | undefined {
    const [head = '', claims = '', signature = ''] = token.split('.');
    const expected = Buffer.from(this.#signature(`${head}.${claims}`));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const payload = JSON.parse(Buffer.from(claims, 'base64url').toString()) as TokenPayload;
    if (!this.#isGood(payload)) return undefined;
    return { user: serviceAccountUser(payload), audiences: payload.aud };
  }

  #isGood({ exp, 'kubernetes.io': { namespace, serviceaccount, bound } }: TokenPayload): boolean {
    if (exp * 1000 <= this.#now()) return false;
    if (!this.#isThere({ plural: 'serviceaccounts', namespace, ...serviceaccount })) return false;
    if (bound === undefined) return true;
    return this.#isThere(bound.plural === 'nodes' ? bound : { ...bound, namespace });
  }

  #signature(text: string): string {
    return createHmac('sha256', this.#key()).update(text).digest('base64url');
  }
}

/** Extends an authenticator with the tokens of service accounts. */
export function withServiceAccounts(
  users: Authenticator,
  tokens: ServiceAccountTokens,
): Authenticator {
  return {
    identityOf: (token) => users.identityOf(token) ?? tokens.identityOf(token),
    authenticate(authorization) {
      const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
      const user = users.authenticate(authorization);
      if (user !== undefined || token === undefined) return user;
      const identity = tokens.identityOf(token);
      return identity?.audiences?.includes(apiAudience) === true ? identity.user : undefined;
    },
  };
}

function serviceAccountUser({ sub: name, jti, 'kubernetes.io': claims }: TokenPayload): User {
  const { namespace, serviceaccount, bound } = claims;
  return {
    name,
    uid: serviceaccount.uid,
    groups: [...serviceAccountGroups(namespace), authenticatedGroup],
    extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`], ...extraOf(bound) },
  };
}

/** The extra values of a bound token: its pod and node, as in kube-apiserver. */
function extraOf(bound: BoundObject | undefined): Record<string, string[]> {
  if (bound === undefined || bound.plural === 'secrets') return {};
  if (bound.plural === 'nodes') return namesOf('node', bound);
  return { ...(bound.node && namesOf('node', bound.node)), ...namesOf('pod', bound) };
}

function namesOf(
  kind: 'pod' | 'node',
  { name, uid }: { readonly name: string; readonly uid?: string },
): Record<string, string[]> {
  const prefix = `authentication.kubernetes.io/${kind}`;
  return { [`${prefix}-name`]: [name], ...(uid !== undefined && { [`${prefix}-uid`]: [uid] }) };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
