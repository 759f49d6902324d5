import { createSign, randomUUID, type KeyObject } from 'node:crypto';
import { tokenIssuer } from './control-plane-flags.ts';

/** The claims of a service account token that differ from token to token. */
export interface TokenFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The time at which servers start to reject the token, in milliseconds since the epoch. */
  readonly expires: number;
}

/** kube-apiserver accepts a token for 60 s after its expiry, because clocks differ (`DefaultLeeway` of go-jose). */
const LEEWAY_SECONDS = 60;
/** Seconds from the time of issue to the signature: that time must be in the past and before the expiry. */
const ISSUED_BEFORE_SECONDS = 3600;

/** Signs a token with the key of kube-apiserver. Servers accept the token at once and reject it from `expires` on. */
export function signServiceAccountToken(key: KeyObject, facts: TokenFacts): string {
  const { namespace, name, uid, expires } = facts;
  const exp = Math.floor(expires / 1000) - LEEWAY_SECONDS;
  const issued = Math.min(exp, Math.floor(Date.now() / 1000)) - ISSUED_BEFORE_SECONDS;
  const claims = {
    iss: tokenIssuer,
    aud: [tokenIssuer],
    sub: `system:serviceaccount:${namespace}:${name}`,
    exp,
    iat: issued,
    nbf: issued,
    jti: randomUUID(),
    'kubernetes.io': { namespace, serviceaccount: { name, uid } },
  };
  const signed = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`;
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
