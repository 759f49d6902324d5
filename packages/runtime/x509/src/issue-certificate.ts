import type { KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { contextTag, der, objectIdentifier, time } from './der.ts';

/** A certificate and its private key in PEM. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

/** The name, the hosts and the validity of a certificate. */
export interface CertificateRequest {
  readonly commonName: string;
  /** The organizations of the subject, which Kubernetes reads as the groups of a client. Default: none. */
  readonly organizations?: readonly string[];
  /** The host names and addresses of a server. Default: none. */
  readonly hosts?: readonly string[];
  /** Default: `server` with hosts, else `authority`. */
  readonly use?: 'authority' | 'server' | 'client';
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
  /** The authority that signs, which this function made. Default: the certificate signs itself. */
  readonly authority?: IssuedCertificate;
}

const COMMON_NAME = '2.5.4.3';
const ORGANIZATION = '2.5.4.10';
const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';
const KEY_USAGE = '2.5.29.15';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const BASIC_CONSTRAINTS = '2.5.29.19';
const AUTHORITY_KEY_IDENTIFIER = '2.5.29.35';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const AUTHENTICATION = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const SERIAL_NUMBER_BYTES = 16;
const KEY_IDENTIFIER_BYTES = 20;
/** The bits `digitalSignature`, `keyCertSign` and `cRLSign` of a key usage, behind the count of unused bits. */
const SIGNS_CERTIFICATES = [1, 0x86];
const TRUE = [0xff];

/**
 * Creates a key on the curve P-256 and a certificate of it (RFC 5280). Node.js has every part of this but the encoding of
 * certificates; the libraries that have it make the bundle of an operator a third larger.
 */
export async function issueCertificate(request: CertificateRequest): Promise<IssuedCertificate> {
  const { createPrivateKey, generateKeyPair, sign } = process.getBuiltinModule('node:crypto');
  const { promisify } = process.getBuiltinModule('node:util');
  const { publicKey, privateKey } = await promisify(generateKeyPair)('ec', {
    namedCurve: 'P-256',
  });
  const { authority } = request;
  const signingKey = authority === undefined ? privateKey : createPrivateKey(authority.key);
  const signed = certificateFields(request, publicKey);
  const algorithm = der('sequence', objectIdentifier(ECDSA_WITH_SHA256));
  const signature = der('bitString', [0], sign('sha256', signed, signingKey));
  return {
    cert: pem('CERTIFICATE', der('sequence', signed, algorithm, signature)),
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

/** Returns the part of a certificate that its issuer signs (RFC 5280, `TBSCertificate`). */
function certificateFields(request: CertificateRequest, publicKey: KeyObject): Buffer {
  const { commonName, organizations, notBefore, notAfter, authority } = request;
  const issuer = authority === undefined ? commonName : commonNameOf(authority);
  return der(
    'sequence',
    der(contextTag(0, 'constructed'), der('integer', [2])), // version 3
    serialNumber(),
    der('sequence', objectIdentifier(ECDSA_WITH_SHA256)),
    nameOf(issuer),
    der('sequence', time(notBefore), time(notAfter)),
    nameOf(commonName, organizations),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      contextTag(3, 'constructed'),
      der('sequence', ...keyIdentifiers(publicKey, authority), ...extensionsOf(request)),
    ),
  );
}

/** The identifiers of the two keys, without which strict verifiers such as Python 3.13 refuse a certificate. */
function keyIdentifiers(publicKey: KeyObject, authority: IssuedCertificate | undefined): Buffer[] {
  const own = identifierOf(publicKey);
  const issuer = authority === undefined ? own : identifierOf(certificateOf(authority).publicKey);
  return [
    extension(SUBJECT_KEY_IDENTIFIER, der('octetString', own)),
    extension(AUTHORITY_KEY_IDENTIFIER, der('sequence', der(contextTag(0, 'primitive'), issuer))),
  ];
}

/** RFC 7093 permits the start of any digest of the public key. */
function identifierOf(publicKey: KeyObject): Buffer {
  const bytes = publicKey.export({ type: 'spki', format: 'der' });
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(bytes).digest().subarray(0, KEY_IDENTIFIER_BYTES);
}

function extensionsOf({ hosts = [], use }: CertificateRequest): Buffer[] {
  const names = der('sequence', ...hosts.map(alternativeName));
  const alternatives = hosts.length > 0 ? [extension(SUBJECT_ALTERNATIVE_NAME, names)] : [];
  return [...usesOf(use ?? (hosts.length > 0 ? 'server' : 'authority')), ...alternatives];
}

function usesOf(use: NonNullable<CertificateRequest['use']>): Buffer[] {
  if (use !== 'authority') {
    return [extension(EXTENDED_KEY_USAGE, der('sequence', objectIdentifier(AUTHENTICATION[use])))];
  }
  return [
    critical(BASIC_CONSTRAINTS, der('sequence', der('boolean', TRUE))),
    critical(KEY_USAGE, der('bitString', SIGNS_CERTIFICATES)),
  ];
}

function extension(identifier: string, value: Buffer): Buffer {
  return der('sequence', objectIdentifier(identifier), der('octetString', value));
}

/** An extension with which a client refuses the certificate if it does not know the extension. */
function critical(identifier: string, value: Buffer): Buffer {
  const isCritical = der('boolean', TRUE);
  return der('sequence', objectIdentifier(identifier), isCritical, der('octetString', value));
}

function nameOf(commonName: string, organizations: readonly string[] = []): Buffer {
  const groups = organizations.map((each) => attribute(ORGANIZATION, each));
  return der('sequence', attribute(COMMON_NAME, commonName), ...groups);
}

function attribute(identifier: string, text: string): Buffer {
  return der('set', der('sequence', objectIdentifier(identifier), der('utf8String', text)));
}

/** The name of an authority has the common name alone. */
function commonNameOf(authority: IssuedCertificate): string {
  return certificateOf(authority).subject.slice('CN='.length);
}

function certificateOf({ cert }: IssuedCertificate): X509Certificate {
  return new (process.getBuiltinModule('node:crypto').X509Certificate)(cert);
}

/** A random number between 2^126 and 2^127: positive, and without a leading zero byte, which DER forbids. */
function serialNumber(): Buffer {
  const bytes = process.getBuiltinModule('node:crypto').randomBytes(SERIAL_NUMBER_BYTES);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return der('integer', bytes);
}

/** The name of a host, or its address in bytes. */
function alternativeName(host: string): Buffer {
  if (isIP(host) === 0) return der(contextTag(2, 'primitive'), host);
  return der(contextTag(7, 'primitive'), isIP(host) === 4 ? ipv4(host) : ipv6(host));
}

function ipv4(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

/** `::` replaces as many zero groups as are missing. */
function ipv6(address: string): Buffer {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  const groups = [...head, ...zeros, ...tail].map((group) => group.padStart(4, '0'));
  return Buffer.from(groups.join(''), 'hex');
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
