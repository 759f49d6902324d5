import { builtin, hasCode } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';

/** Watches of a second, one after the other. */
const most = 30;

/**
 * Resolves with the refusal when a server no longer accepts a client. kube-apiserver caches authentication for up to
 * ten seconds without a signal at the end, so a new request follows the end of each short watch.
 */
export async function untilRefused(client: Client, namespace: string): Promise<Error> {
  for (let watches = 0; watches < most; watches++) {
    const refusal = await refusalOf(client, namespace);
    if (refusal !== undefined) return refusal;
  }
  throw new Error(`the server lets in after ${most} s what it should refuse`);
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
