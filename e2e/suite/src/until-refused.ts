import { builtin, hasCode } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';

/** Number of watches, each of one second. */
const MAX_WATCHES = 30;

/**
 * Resolves with the error when a server no longer accepts a client. kube-apiserver caches authentication for up to
 * 10 s without notice, so a new request follows the end of each short watch.
 */
export async function untilRefused(client: Client, namespace: string): Promise<Error> {
  for (let watches = 0; watches < MAX_WATCHES; watches++) {
    const refusal = await refusalOf(client, namespace);
    if (refusal !== undefined) return refusal;
  }
  throw new Error(`the server still accepts the client after ${MAX_WATCHES} s`);
}

async function refusalOf(client: Client, namespace: string): Promise<Error | undefined> {
  try {
    const watching = client.watch(builtin.ConfigMap, { namespace, timeoutSeconds: 1 });
    for await (const _ of watching);
    return undefined;
  } catch (error) {
    if (error instanceof Error && hasCode(error, 'UNAUTHORIZED')) return error;
    throw error;
  }
}
