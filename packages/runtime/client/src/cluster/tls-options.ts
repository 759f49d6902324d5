import type { SecureContextOptions } from 'node:tls';
import type { ClusterTls } from './cluster.ts';
import { ClientError } from '../errors.ts';

/** Returns the options of a TLS connection. As in Go, each given certificate is trusted by itself, also that of a server. */
export function tlsOptions(tls: ClusterTls): Record<string, unknown> {
  const given = Object.entries(tls).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, pem(value)]],
  );
  return { ...Object.fromEntries(given), allowPartialTrustChain: true };
}

/**
 * Throws `INVALID_CLUSTER` with the name of the TLS setting that is invalid. The errors of OpenSSL name neither the
 * setting nor the expected format.
 */
export function checkTls(tls: ClusterTls): void {
  const { cert, key, pfx, passphrase } = tlsOptions(tls) as SecureContextOptions;
  // Without them there is nothing to read, and a target over plain HTTP does not load TLS.
  if (cert === undefined && key === undefined && pfx === undefined) return;
  if (isUsable({ cert, key, pfx, passphrase })) return;
  if (cert !== undefined) check('tls.cert', { cert });
  if (key !== undefined) check('tls.key', { key, passphrase });
  if (pfx !== undefined) check('tls.pfx', { pfx, passphrase });
  if (cert !== undefined && key !== undefined) check('tls.key', { cert, key, passphrase });
}

/** True if the certificate and the key belong together. */
export function isPair(cert: string, key: string): boolean {
  return isUsable({ cert, key });
}

function isUsable(material: SecureContextOptions): boolean {
  try {
    loadMaterial(material);
    return true;
  } catch {
    return false;
  }
}

/** Throws if OpenSSL cannot read the material. Without authorities, because loading those of the system is slow. */
function loadMaterial(material: SecureContextOptions): void {
  process.getBuiltinModule('node:tls').createSecureContext({ ...material, ca: [] });
}

function check(option: string, material: SecureContextOptions): void {
  try {
    loadMaterial(material);
  } catch (cause) {
    const expected =
      option === 'tls.pfx' ? 'a PKCS#12 archive' : 'PEM, and a key of the certificate';
    throw new ClientError('INVALID_CLUSTER', { option, expected }, { cause });
  }
}

/** Converts bytes to Buffers, which the TLS module requires. */
function pem(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pem);
  return value instanceof Uint8Array ? Buffer.from(value) : value;
}
