import { builtin, isNotFound } from '@keelson/apimachinery';
import type { ApiServer } from '@keelson/apiserver';
import type { Client } from '@keelson/client';

/** Kubernetes sets it on the Leases by which API servers find each other. */
const identityLabel = 'apiserver.kubernetes.io/identity';

const WRITES: ReadonlySet<string> = new Set(['create', 'update', 'patch']);

/**
 * Deletes the Leases with a holder in the namespaces in which a user of the server in memory wrote Leases. A program that
 * crashed or was killed did not release its Lease, which would block the next start for the duration of the Lease, mostly
 * 15 s. By namespace, because the server records no name for a create.
 */
export async function deleteHeldLeases(
  server: Pick<ApiServer, 'observedAccesses'>,
  client: Client,
  user: string,
): Promise<void> {
  for (const namespace of namespacesOfLeases(server, user)) {
    for await (const { metadata, spec } of client.items(builtin.Lease, { namespace })) {
      if (!spec?.holderIdentity || metadata.labels?.[identityLabel] !== undefined) continue;
      const { name } = metadata;
      await client.delete(builtin.Lease, { namespace, name }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    }
  }
}

function namespacesOfLeases(
  server: Pick<ApiServer, 'observedAccesses'>,
  user: string,
): ReadonlySet<string> {
  const accesses = server.observedAccesses(user)?.accesses ?? [];
  const writes = accesses
    .filter((access) => access.kind === 'resource')
    .filter(({ resource, verb }) => resource === 'leases' && WRITES.has(verb));
  return new Set(writes.map(({ namespace }) => namespace));
}
