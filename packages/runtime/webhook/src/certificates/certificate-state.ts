import type { X509Certificate } from 'node:crypto';
import { issueCertificate } from '@keelson/x509';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** How long an authority is valid. */
const AUTHORITY_LIFETIME_MS = 365 * DAY_MS;
/** How long a serving certificate is valid: shorter than the rest of an authority's life when it is renewed. */
const SERVING_LIFETIME_MS = 90 * DAY_MS;
/** The fraction of its life after which a certificate is renewed. */
const RENEWAL_FRACTION = 0.6;
/** How far clocks may differ: a certificate is valid from this long before it was issued. */
const SKEW_MS = HOUR_MS;
/** How long a new authority is only published: every API server must know it before a certificate of it is served. */
const PUBLICATION_MS = HOUR_MS;
/** The most authorities that are published at once. */
const MAX_AUTHORITIES = 5;

/** The authorities and the serving certificate of a webhook server, in PEM. */
export interface CertificateState {
  /** The certificates of the current authority and of the former ones that are valid, the current one first. */
  readonly authorities: readonly string[];
  readonly authorityKey: string;
  readonly cert: string;
  readonly key: string;
}

/** Why a certificate is renewed. `expiring` is the only reason that can wait. */
export type RenewalReason =
  | 'missing'
  | 'invalid'
  | 'key mismatch'
  | 'not yet valid'
  | 'expired'
  | 'expiring'
  | 'other hosts'
  | 'unknown authority';

/** The certificates that must be renewed; `undefined` for one that is kept. */
export interface RenewalPlan {
  readonly authority: RenewalReason | undefined;
  readonly serving: RenewalReason | undefined;
}

/** Decides which certificates of a state are renewed at this time. */
export function renewalPlan(
  state: CertificateState | undefined,
  hosts: readonly string[],
  now: number,
): RenewalPlan {
  if (state === undefined) return { authority: 'missing', serving: 'missing' };
  const [current = ''] = state.authorities;
  const authority = problemOf(current, state.authorityKey, now);
  const serving =
    problemOf(state.cert, state.key, now) ?? tlsProblem(state) ?? issueProblem(state, hosts);
  // A certificate of a new authority would be refused until every API server has read its configuration again.
  const waits = serving === 'expiring' && !isPublished(current, authority, now);
  return { authority, serving: waits ? undefined : serving };
}

/** Renews the certificates of a plan. The former authorities stay until they expire. */
export async function renewed(
  state: CertificateState | undefined,
  plan: RenewalPlan,
  { hosts, now }: { readonly hosts: readonly string[]; readonly now: number },
): Promise<CertificateState> {
  const authority =
    plan.authority === undefined && state !== undefined
      ? { cert: state.authorities[0] ?? '', key: state.authorityKey }
      : await newAuthority(now);
  const former = (state?.authorities ?? []).filter(
    (each) => each !== authority.cert && isAlive(each, now),
  );
  const authorities = [authority.cert, ...former].slice(0, MAX_AUTHORITIES);
  const isKept = plan.serving === undefined && state !== undefined;
  const { cert, key } = isKept
    ? state
    : await issueCertificate({
        commonName: hosts[0] ?? 'webhook',
        hosts,
        notBefore: now - SKEW_MS,
        notAfter: now + SERVING_LIFETIME_MS,
        authority,
      });
  return { authorities, authorityKey: authority.key, cert, key };
}

/** Returns the valid certificates of a text in PEM. The API server refuses a bundle with an invalid one. */
export function splitCertificates(text: string): string[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return found.map((each) => `${each}\n`).filter((each) => parsed(each) !== undefined);
}

/** Each authority has another name, because a client looks for the issuer of a certificate by its name. */
function newAuthority(now: number): ReturnType<typeof issueCertificate> {
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  return issueCertificate({
    commonName: `webhook-authority-${randomBytes(8).toString('hex')}`,
    notBefore: now - SKEW_MS,
    notAfter: now + AUTHORITY_LIFETIME_MS,
  });
}

function problemOf(cert: string, key: string, now: number): RenewalReason | undefined {
  const certificate = parsed(cert);
  if (cert === '' && key === '') return 'missing';
  if (certificate === undefined) return 'invalid';
  if (!hasKey(certificate, key)) return 'key mismatch';
  const { from, to } = validityOf(certificate);
  if (now >= to) return 'expired';
  // A clock that is more than an hour ahead of this one issued it, and no client with a right clock accepts it.
  if (from > now + SKEW_MS) return 'not yet valid';
  return now >= from + (to - from) * RENEWAL_FRACTION ? 'expiring' : undefined;
}

/** The certificates after the first one are read by TLS only, which serves none if one of them is invalid. */
function tlsProblem({ cert, key }: CertificateState): RenewalReason | undefined {
  try {
    process.getBuiltinModule('node:tls').createSecureContext({ cert, key });
    return undefined;
  } catch {
    return 'invalid';
  }
}

function issueProblem(
  state: CertificateState,
  hosts: readonly string[],
): RenewalReason | undefined {
  const certificate = parsed(state.cert);
  if (certificate === undefined) return 'invalid';
  if (!hosts.every((host) => certificate.checkHost(host) !== undefined)) return 'other hosts';
  const isKnown = state.authorities.some((each) => {
    const authority = parsed(each);
    return authority !== undefined && isIssuer(authority, certificate);
  });
  return isKnown ? undefined : 'unknown authority';
}

function isIssuer(authority: X509Certificate, certificate: X509Certificate): boolean {
  return (
    authority.ca && certificate.checkIssued(authority) && certificate.verify(authority.publicKey)
  );
}

function isPublished(authority: string, problem: RenewalReason | undefined, now: number): boolean {
  const certificate = parsed(authority);
  if (certificate === undefined || problem !== undefined) return false;
  return now >= validityOf(certificate).from + SKEW_MS + PUBLICATION_MS;
}

function isAlive(authority: string, now: number): boolean {
  const certificate = parsed(authority);
  return certificate !== undefined && validityOf(certificate).to > now;
}

function validityOf(certificate: X509Certificate): { from: number; to: number } {
  return { from: Date.parse(certificate.validFrom), to: Date.parse(certificate.validTo) };
}

function hasKey(certificate: X509Certificate, key: string): boolean {
  try {
    const { createPrivateKey } = process.getBuiltinModule('node:crypto');
    return certificate.checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function parsed(cert: string): X509Certificate | undefined {
  try {
    return new (process.getBuiltinModule('node:crypto').X509Certificate)(cert);
  } catch {
    return undefined;
  }
}
