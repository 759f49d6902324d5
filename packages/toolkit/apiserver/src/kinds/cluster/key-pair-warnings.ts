import { objectAt, textAt } from '../../json/json-members.ts';
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { JsonObject } from '@keelson/structural-schema';

/** The warnings about the certificate and key of a TLS Secret, with the messages of Go. */
export function keyPairWarnings(secret: JsonObject): string[] {
  if (secret.type !== 'kubernetes.io/tls') return [];
  const data = objectAt(secret, 'data');
  const certificate = pemOf(textAt(data, 'tls.crt'));
  const key = pemOf(textAt(data, 'tls.key'));
  if (certificate === undefined) return [missing('certificate')];
  if (key === undefined) return [missing('key')];
  const [parsed, parsedKey] = [certificateOf(certificate), keyOf(key)];
  if (parsed === undefined || parsedKey === undefined) return [];
  return parsed.checkPrivateKey(parsedKey) ? [] : ['tls: private key does not match public key'];
}

function missing(what: string): string {
  return `tls: failed to find any PEM data in ${what} input`;
}

function pemOf(base64: string): string | undefined {
  const text = Buffer.from(base64, 'base64').toString();
  return text.includes('-----BEGIN ') ? text : undefined;
}

function certificateOf(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function keyOf(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
