import { generate } from 'selfsigned';
import type { ClusterTls } from '@keelson/client';

/** Creates a client certificate for a member of `system:masters`, signed by an authority that no server trusts. */
export async function foreignCertificate(): Promise<Pick<ClusterTls, 'cert' | 'key'>> {
  const made = await generate(
    [
      { name: 'commonName', value: 'somebody' },
      { name: 'organizationName', value: 'system:masters' },
    ],
    { keyType: 'ec', algorithm: 'sha256' },
  );
  return { cert: made.cert, key: made.private };
}
