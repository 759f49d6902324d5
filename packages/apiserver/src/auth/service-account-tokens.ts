import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isJsonObject } from '../patch/json-value.ts';
import type { Authenticator } from './authenticator.ts';
import type { User } from './user.ts';

/** Whose token is made, and until when it is good. */
export interface TokenClaims {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Seconds since the epoch. */
  readonly expires: number;
}

/** Issues tokens of service accounts and knows them again: JWTs signed with a key of this server. */
export class ServiceAccountTokens {
  readonly #key = randomBytes(32);
  /** Milliseconds since the epoch. */
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  issue({ namespace, name, uid, expires }: TokenClaims): string {
    const head = encoded({ alg: 'HS256', typ: 'JWT' });
    const claims = encoded({
      iss: 'keelson-apiserver',
      sub: `system:serviceaccount:${namespace}:${name}`,
      exp: expires,
      'kubernetes.io': { namespace, serviceaccount: { name, uid } },
    });
    return `${head}.${claims}.${this.#signature(`${head}.${claims}`)}`;
  }

  /** The service account behind a token that this server issued and that has not expired. */
  userOf(token: string): User | undefined {
    const [head = '', claims = '', signature = ''] = token.split('.');
    const expected = Buffer.from(this.#signature(`${head}.${claims}`));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const payload: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString());
    if (!isJsonObject(payload) || Number(payload['exp']) * 1000 <= this.#now()) return undefined;
    return serviceAccountUser(payload);
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

function serviceAccountUser(payload: Record<string, unknown>): User {
  const name = String(payload['sub']);
  const [, , namespace = ''] = name.split(':');
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return { name, groups: [...groups, 'system:authenticated'] };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
