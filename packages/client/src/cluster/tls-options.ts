import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { ClusterTls } from './cluster.ts';
import { ClientError } from '../errors.ts';

/** What a connection is made with. */
export function tlsOptions(tls: ClusterTls): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(tls).flatMap(([key, value]) => (value === undefined ? [] : [[key, pem(value)]])),
  );
}

/**
 * Refuses material that no connection can be made with, by name: OpenSSL's words for it say neither what
 * it was nor where it came from. Code `INVALID_CLUSTER`.
 */
export function checkTls(tls: ClusterTls): void {
  const { cert, key, pfx, passphrase } = tlsOptions(tls) as SecureContextOptions;
  if (cert !== undefined) check('tls.cert', { cert });
  if (key !== undefined) check('tls.key', { key, passphrase });
  if (pfx !== undefined) check('tls.pfx', { pfx, passphrase });
  if (cert !== undefined && key !== undefined) check('tls.key', { cert, key, passphrase });
}

/** Whether a connection can be made with this certificate and this key. */
export function isPair(cert: string, key: string): boolean {
  try {
    createSecureContext({ cert, key, ca: [] });
    return true;
  } catch {
    return false;
  }
}

function check(option: string, material: SecureContextOptions): void {
  try {
    createSecureContext({ ...material, ca: [] }); // without authorities: the system's take their time
  } catch (cause) {
    const expected =
      option === 'tls.pfx' ? 'a PKCS#12 archive' : 'PEM, and a key of the certificate';
    throw new ClientError('INVALID_CLUSTER', { option, expected }, { cause });
  }
}

/** TLS takes Buffers where we take any bytes. */
function pem(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pem);
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}
