import { timingSafeEqual, createHash } from 'node:crypto';
import { anonymous, authenticatedGroup, type User } from './user.ts';

/** Finds out who makes a request. */
export interface Authenticator {
  /** The user behind an `Authorization` header; `undefined` where the credentials are refused. */
  authenticate(authorization: string | undefined): User | undefined;
  /** The user behind a bearer token; `undefined` where nobody has it. */
  userOf(token: string): User | undefined;
}

/** Knows users by tokens, of which more may be added. */
export interface TokenAuthenticator extends Authenticator {
  add(token: string, user: User): void;
}

/** What a token authenticator is made from. */
export interface TokenAuthenticatorOptions {
  /** Users by their bearer token. */
  readonly tokens: ReadonlyMap<string, User>;
  /** Whether a request without credentials is `system:anonymous` or refused. */
  readonly anonymousAuth: boolean;
}

/** Knows users by bearer tokens. A token that nobody has is refused, also where anonymous is allowed. */
export function tokenAuthenticator(options: TokenAuthenticatorOptions): TokenAuthenticator {
  const users = [...options.tokens].map(([token, user]) => ({ digest: digest(token), user }));
  const userOf = (token: string): User | undefined => {
    const wanted = digest(token);
    const found = users.find((entry) => timingSafeEqual(entry.digest, wanted));
    return found && withGroup(found.user);
  };
  return {
    userOf,
    add: (token, user) => void users.push({ digest: digest(token), user }),
    authenticate(authorization) {
      if (authorization === undefined) return options.anonymousAuth ? anonymous : undefined;
      const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
      return token === undefined ? undefined : userOf(token);
    },
  };
}

function withGroup(user: User): User {
  if (user.groups.includes(authenticatedGroup)) return user;
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}

/** Tokens are compared by digest, so that the time taken tells nothing of a prefix. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
