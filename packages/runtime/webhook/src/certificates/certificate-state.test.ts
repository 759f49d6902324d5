import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  renewalPlan,
  renewed,
  splitCertificates,
  type CertificateState,
} from './certificate-state.ts';

const DAY = 86_400_000;
const hosts = ['webhook.default.svc'];

/** The state after the renewals that are due. */
async function next(state: CertificateState | undefined, now: number): Promise<CertificateState> {
  const plan = renewalPlan(state, hosts, now);
  const isDue = plan.authority !== undefined || plan.serving !== undefined;
  return isDue || state === undefined ? renewed(state, plan, { hosts, now }) : state;
}

function isAccepted(cert: string, authorities: readonly string[], now: number): boolean {
  const certificate = new X509Certificate(cert);
  if (Date.parse(certificate.validTo) <= now || Date.parse(certificate.validFrom) > now)
    return false;
  return authorities.some((each) => {
    const authority = new X509Certificate(each);
    const isAlive = Date.parse(authority.validTo) > now;
    return isAlive && certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
  });
}

describe('the certificates of a webhook server', () => {
  test('over three years each one is accepted with the bundle of the day before', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    let state = await next(undefined, now);
    const seen = { authorities: new Set<string>(), certificates: new Set<string>() };
    for (const end = now + 1100 * DAY; now < end; now += DAY) {
      const { authorities } = state;
      state = await next(state, now);
      if (!isAccepted(state.cert, authorities, now)) throw new Error(`refused after ${now}`);
      expect(state.authorities.length).toBeLessThanOrEqual(2);
      seen.authorities.add(state.authorities[0] ?? '');
      seen.certificates.add(state.cert);
    }
    expect(seen.authorities.size).toBe(6);
    expect(seen.certificates.size).toBe(21);
  });

  test('an invalid further certificate is replaced, and is not in the bundle', async () => {
    const now = Date.now();
    const state = await next(undefined, now);
    const invalid = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    const changed = { ...state, cert: `${state.cert}${invalid}` };
    expect(renewalPlan(changed, hosts, now)).toEqual({ authority: undefined, serving: 'invalid' });
    expect(splitCertificates(`${state.cert}${invalid}`)).toEqual([state.cert]);
  });

  test('a text with other parts is split into its certificates', async () => {
    const { authorities, cert, key } = await next(undefined, Date.now());
    expect(splitCertificates(`${cert}\n${key}comment\n${authorities.join('')}`)).toEqual([
      cert,
      ...authorities,
    ]);
    expect(splitCertificates('')).toEqual([]);
  });
});
