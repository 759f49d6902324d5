import type { Cluster as ConfiguredCluster } from '@kubernetes/client-node';
import { ClientError } from '../../errors.ts';
import type { KubeConfigPower } from './kubeconfig-power.ts';
import type { LoadedUser } from './kubeconfig-text.ts';
import { execOf, providerOf } from './user-tokens.ts';

/** Throws `KUBECONFIG_REFUSED` if a cluster or its user need a power that is not allowed. */
export function refusePowers(
  cluster: ConfiguredCluster,
  user: LoadedUser,
  allow: readonly KubeConfigPower[],
): void {
  for (const [power, member] of powersOf(cluster, user)) {
    if (member === undefined || allow.includes(power)) continue;
    throw new ClientError('KUBECONFIG_REFUSED', { user: user.name, member, allow: power });
  }
}

function powersOf(
  cluster: ConfiguredCluster,
  user: LoadedUser,
): readonly (readonly [power: KubeConfigPower, member: string | undefined])[] {
  const config = providerOf(user)?.config ?? {};
  const isTokenFile = typeof config['tokenFile'] === 'string';
  const hasProvider = providerOf(user) !== undefined && !isTokenFile;
  const files = [
    cluster.caFile && 'certificate-authority',
    user.certFile && 'client-certificate',
    user.keyFile && 'client-key',
    isTokenFile && 'tokenFile',
  ];
  return [
    ['plugins', execOf(user) === undefined ? undefined : 'exec'],
    ['plugins', hasProvider ? 'auth-provider' : undefined],
    ['files', files.find((member) => typeof member === 'string' && member !== '') || undefined],
  ];
}
