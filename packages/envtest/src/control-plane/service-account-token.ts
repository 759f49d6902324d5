import { createSign, randomUUID, type KeyObject } from 'node:crypto';
import { tokenIssuer } from './control-plane-flags.ts';

/** What a token of a service account says. */
export interface TokenFacts {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** kube-apiserver takes a token for so long after its expiry, because clocks differ (`DefaultLeeway` of go-jose). */
const leeway = 60;
/** Seconds since the issue: it has to lie in the past, however late the token expires, and before the expiry. */
const age = 3600;

/** Signs a token as kube-apiserver does, with its own key, so that it is refused from `expires` on. */
export function signServiceAccountToken(key: KeyObject, facts: TokenFacts): string {
  const { namespace, name, uid, expires } = facts;
  const exp = Math.floor(expires / 1000) - leeway;
  const issued = Math.min(exp, Math.floor(Date.now() / 1000)) - age;
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
