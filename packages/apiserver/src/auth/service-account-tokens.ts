import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Authenticator } from './authenticator.ts';
import type { User } from './user.ts';

/** Whose token is made, and until when it is good. */
export interface TokenClaims {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Whom the token is for. */
  readonly audiences: readonly string[];
  /** Seconds since the epoch. */
  readonly expires: number;
}

/** The signed part of a token: only this server writes it. */
interface TokenPayload {
  readonly sub: string;
  readonly aud: readonly string[];
  readonly exp: number;
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly serviceaccount: { readonly name: string; readonly uid: string };
  };
}

/** Who an API server is: a token for somebody else does not let in here. */
export const apiAudience = 'https://kubernetes.default.svc';

/** What a token says about its owner, which may be gone by now. */
export type TokenOwner = Pick<TokenClaims, 'namespace' | 'name' | 'uid'>;

/** Issues tokens of service accounts and knows them again: JWTs signed with a key of this server. */
export class ServiceAccountTokens {
  readonly #key = randomBytes(32);
  /** Milliseconds since the epoch. */
  readonly #now: () => number;

  readonly #exists: (owner: TokenOwner) => boolean;

  constructor(now: () => number, exists: (owner: TokenOwner) => boolean) {
    this.#now = now;
    this.#exists = exists;
  }

  issue({ namespace, name, uid, audiences, expires }: TokenClaims): string {
    const head = encoded({ alg: 'HS256', typ: 'JWT' });
    const claims = encoded({
      iss: 'keelson-apiserver',
      sub: `system:serviceaccount:${namespace}:${name}`,
      aud: audiences,
      exp: expires,
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
    });
    return `${head}.${claims}.${this.#signature(`${head}.${claims}`)}`;
  }

  /** The service account behind a token that this server issued for itself, if both are still good. */
  userOf(token: string): User | undefined {
    const [head = '', claims = '', signature = ''] = token.split('.');
    const expected = Buffer.from(this.#signature(`${head}.${claims}`));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const payload = JSON.parse(Buffer.from(claims, 'base64url').toString()) as TokenPayload;
    return this.#isGood(payload) ? serviceAccountUser(payload) : undefined;
  }

  #isGood({ aud, exp, 'kubernetes.io': { namespace, serviceaccount } }: TokenPayload): boolean {
    if (!aud.includes(apiAudience) || exp * 1000 <= this.#now()) return false;
    return this.#exists({ namespace, ...serviceaccount });
  }

  #signature(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }
}

/** Knows the users of another authenticator, and service accounts by their tokens. */
export function withServiceAccounts(
  users: Authenticator,
  tokens: ServiceAccountTokens,
): Authenticator {
  const userOf = (token: string): User | undefined => users.userOf(token) ?? tokens.userOf(token);
  return {
    userOf,
    authenticate(authorization) {
      const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
      return users.authenticate(authorization) ?? (token === undefined ? undefined : userOf(token));
    },
  };
}

function serviceAccountUser({ sub: name, 'kubernetes.io': { namespace } }: TokenPayload): User {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return { name, groups: [...groups, 'system:authenticated'] };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
