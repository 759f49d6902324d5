import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { connect } from 'node:tls';

/** A program listens on its ports within a second or two of its start. */
const RETRY_MS = 50;

/** A server that accepts a connection and stays silent is not one of webhooks. */
const HANDSHAKE_MS = 2000;

/**
 * Waits until a server on this machine accepts TLS connections, and resolves with its certificate in PEM; undefined once the signal
 * has aborted. The certificate is trusted because the program of the session serves it on this machine.
 */
export async function presentedCertificate(
  port: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  while (!signal.aborted) {
    const found = await certificateOf(port, signal);
    if (found !== undefined) return found;
    await setTimeout(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}

async function certificateOf(port: number, signal: AbortSignal): Promise<string | undefined> {
  // The certificate is what this function finds out.
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(HANDSHAKE_MS)]);
    await once(socket, 'secureConnect', { signal: limit });
    const { raw } = socket.getPeerCertificate();
    if (raw === undefined) return undefined;
    const lines = raw.toString('base64').match(/.{1,64}/g) ?? [];
    return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
  } catch {
    return undefined;
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}
