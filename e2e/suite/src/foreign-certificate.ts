import type { ClusterTls } from '@keelson/client';
import { issueCertificate } from '@keelson/x509';

/** Creates a client certificate for a member of `system:masters`, signed by an authority that no server trusts. */
export function foreignCertificate(): Promise<Pick<ClusterTls, 'cert' | 'key'>> {
  const now = Date.now();
  return issueCertificate({
    commonName: 'somebody',
    organizations: ['system:masters'],
    use: 'client',
    notBefore: now - 3_600_000,
    notAfter: now + 86_400_000,
  });
}
