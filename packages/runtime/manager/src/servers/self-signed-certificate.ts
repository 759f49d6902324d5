import { generateKeyPair, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import type { CertificateSource, KeyPair } from './certificate-source.ts';
import { contextTag, der, objectIdentifier, time } from './der.ts';

/** The validity that controller-runtime gives its self-signed certificates. */
const VALIDITY_DAYS = 365;
const COMMON_NAME = '2.5.4.3';
const SUBJECT_ALTERNATIVE_NAME = '2.5.29.17';
const EXTENDED_KEY_USAGE = '2.5.29.37';
const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
const SERIAL_NUMBER_BYTES = 16;

/** Creates a certificate at each start, for scrapers that do not verify certificates. */
export class SelfSignedCertificate implements CertificateSource {
  async start(use: (pair: KeyPair) => void): Promise<void> {
    use(await selfSignedCertificate());
  }

  stop(): void {}
}

/**
 * Creates a certificate that is signed by its own key, for a server of your own whose clients do not verify it. It is
 * for `localhost`, the loopback addresses and the name of the host, and valid for 365 days.
 */
export async function selfSignedCertificate(): Promise<{
  readonly cert: string;
  readonly key: string;
}> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('ec', {
    namedCurve: 'P-256',
  });
  const signed = certificateFields(publicKey, Date.now());
  const algorithm = der('sequence', objectIdentifier(ECDSA_WITH_SHA256));
  const signature = der('bitString', [0], sign('sha256', signed, privateKey));
  const certificate = der('sequence', signed, algorithm, signature);
  return {
    cert: pem('CERTIFICATE', certificate),
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  };
}

/** Returns the part of a certificate that its issuer signs (RFC 5280, `TBSCertificate`). */
function certificateFields(publicKey: KeyObject, now: number): Buffer {
  const commonName = der('utf8String', hostname());
  const attribute = der('sequence', objectIdentifier(COMMON_NAME), commonName);
  const name = der('sequence', der('set', attribute));
  // A client whose clock is slow must not find the certificate not yet valid.
  const notBefore = time(now - 3_600_000);
  const notAfter = time(now + VALIDITY_DAYS * 86_400_000);
  const hosts = [hostname(), 'localhost', '127.0.0.1', '::1'].map(alternativeName);
  return der(
    'sequence',
    der(contextTag(0, 'constructed'), der('integer', [2])), // version 3
    serialNumber(),
    der('sequence', objectIdentifier(ECDSA_WITH_SHA256)),
    name, // the issuer
    der('sequence', notBefore, notAfter),
    name, // the subject
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      contextTag(3, 'constructed'),
      der(
        'sequence',
        extension(EXTENDED_KEY_USAGE, objectIdentifier(SERVER_AUTHENTICATION)),
        extension(SUBJECT_ALTERNATIVE_NAME, ...hosts),
      ),
    ),
  );
}

function extension(identifier: string, ...values: readonly Uint8Array[]): Buffer {
  const content = der('octetString', der('sequence', ...values));
  return der('sequence', objectIdentifier(identifier), content);
}

/** A random number between 2^126 and 2^127: positive, and without a leading zero byte, which DER forbids. */
function serialNumber(): Buffer {
  const bytes = randomBytes(SERIAL_NUMBER_BYTES);
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
