import { builtin, isNotFound } from '@keelson/apimachinery';
import type { ApiServer } from '@keelson/apiserver';
import type { Client } from '@keelson/client';

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch']);

/**
 * Deletes the Leases that a user of the server in memory wrote and that have a holder. A program that crashed or was
 * killed did not release its Lease, which would block the next start for the duration of the Lease, mostly 15 s.
 */
export async function deleteHeldLeases(
  server: Pick<ApiServer, 'observedAccesses'>,
  client: Client,
  user: string,
): Promise<void> {
  const namespaces = writtenNamespaces(server, user);
  if (namespaces.size === 0) return;
  for await (const { metadata, spec } of client.items(builtin.Lease)) {
    if (!namespaces.has(metadata.namespace) || !spec?.holderIdentity) continue;
    const { namespace, name } = metadata;
    await client.delete(builtin.Lease, { namespace, name }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

function writtenNamespaces(
  server: Pick<ApiServer, 'observedAccesses'>,
  user: string,
): ReadonlySet<string> {
  const accesses = server.observedAccesses(user)?.accesses ?? [];
  const written = accesses.flatMap((access) =>
    access.kind === 'resource' && access.resource === 'leases' && WRITES.has(access.verb)
      ? [access.namespace]
      : [],
  );
  return new Set(written);
}
