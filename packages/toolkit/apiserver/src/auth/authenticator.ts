import { timingSafeEqual, createHash } from 'node:crypto';
import { lazy } from '@keelson/structural-schema';
import { anonymous, authenticatedGroup, type User } from './user.ts';

/** Identifies the user of a request. */
export interface Authenticator {
  /** The user of an `Authorization` header; `undefined` if the credentials are rejected. */
  authenticate(authorization: string | undefined): User | undefined;
  /** The user of a bearer token and its audiences; `undefined` if the token is unknown. */
  identityOf(token: string): TokenIdentity | undefined;
}

/** The user whom a token identifies to some servers. */
export interface TokenIdentity {
  readonly user: User;
  /** The servers that accept the token. `undefined`: all of them. */
  readonly audiences?: readonly string[];
}

/** Authenticates by bearer token; tokens can be added at runtime. */
export interface TokenAuthenticator extends Authenticator {
  add(token: string, user: User): void;
}

/** A user and the digest of the token, which the first request with a token computes. */
interface KnownUser {
  digest(): Buffer;
  readonly user: User;
}

export interface TokenAuthenticatorOptions {
  /** Users by bearer token. */
  readonly tokens: ReadonlyMap<string, User>;
  /** True if a request without credentials is `system:anonymous`; otherwise it is rejected. */
  readonly anonymousAuth: boolean;
}

/** Authenticates by bearer token. An unknown token is rejected even if anonymous requests are allowed. */
export function tokenAuthenticator(options: TokenAuthenticatorOptions): TokenAuthenticator {
  const users = Array.from(options.tokens, ([token, user]) => knownUser(token, user));
  const identityOf = (token: string): TokenIdentity | undefined => {
    const wanted = digest(token);
    const found = users.find((entry) => timingSafeEqual(entry.digest(), wanted));
    return found && { user: withGroup(found.user) };
  };
  return {
    identityOf,
    add: (token, user) => void users.push(knownUser(token, user)),
    authenticate(authorization) {
      if (authorization === undefined) return options.anonymousAuth ? anonymous : undefined;
      const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
      return token === undefined ? undefined : identityOf(token)?.user;
    },
  };
}

function knownUser(token: string, user: User): KnownUser {
  return { digest: lazy(() => digest(token)), user };
}

function withGroup(user: User): User {
  if (user.groups.includes(authenticatedGroup)) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}

/** Compares tokens by digest, so that the duration reveals no prefix of a token. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
