import { describe, expect, test } from '@jest/globals';
import { readFixture } from '../recorded.test-support.ts';
import { parseCertificateRequest } from './certificate-request.ts';

const pems = readFixture('certificate-requests.json') as Record<string, string>;

function pemOf(name: string): string {
  return pems[name] ?? '';
}

/** The same request with one changed byte of its subject. */
function tampered(name: string): string {
  const [first = '', ...lines] = pemOf(name).trim().split('\n');
  const last = lines.pop() ?? '';
  const der = Buffer.from(lines.join(''), 'base64');
  const at = der.indexOf(Buffer.from([0x55, 0x04, 0x03])) + 5;
  der[at] = (der[at] ?? 0) ^ 1;
  return [first, der.toString('base64'), last, ''].join('\n');
}

describe('parseCertificateRequest', () => {
  test.each([
    ['ecdsa', ['developers', 'testers']],
    ['rsaOfMasters', ['system:masters']],
    ['ed25519', []],
  ])('reads the organizations of a request signed with %s', (name, organizations) => {
    expect(parseCertificateRequest(pemOf(name))).toEqual({
      organizations,
      signatureProblem: undefined,
    });
  });

  test.each([
    ['ecdsa', 'x509: ECDSA verification failure'],
    ['rsaOfMasters', 'crypto/rsa: verification error'],
    ['ed25519', 'x509: Ed25519 verification failure'],
  ])('reports the signature of a changed %s request', (name, signatureProblem) => {
    expect(parseCertificateRequest(tampered(name))).toMatchObject({ signatureProblem });
  });

  test('rejects another block, and every truncated request', () => {
    expect(() => parseCertificateRequest('no PEM')).toThrow('PEM block type must be');
    expect(() => parseCertificateRequest(pemOf('certificate'))).toThrow('PEM block type must be');
    const der = Buffer.from(pemOf('ecdsa').split('\n').slice(1, -2).join(''), 'base64');
    for (let length = 0; length < der.length; length++) {
      const base64 = der.subarray(0, length).toString('base64');
      const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----`;
      expect(() => parseCertificateRequest(pem)).toThrow('malformed certificate request');
    }
  });
});
