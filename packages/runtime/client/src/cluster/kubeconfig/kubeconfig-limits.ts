import { invalidOption } from '@keelson/apimachinery';
import type { Cluster as ConfiguredCluster } from '@kubernetes/client-node';
import { ClientError } from '../../errors.ts';
import type { LoadedUser } from './kubeconfig-text.ts';
import { execOf, providerOf } from './user-tokens.ts';

/**
 * The powers of a kubeconfig over the process.
 *
 * - `plugins`: run the command of an `exec` or `auth-provider`, or ask its identity provider.
 * - `files`: read a file of this machine and send its content to the server of the kubeconfig.
 */
export type KubeConfigPower = 'plugins' | 'files';

const powers: readonly string[] = ['plugins', 'files'] satisfies KubeConfigPower[];

/** Throws `INVALID_OPTION` unless the value is a list of powers. */
export function checkPowers(allow: unknown, where: string): void {
  if (Array.isArray(allow) && allow.every((power) => powers.includes(power))) return;
  throw invalidOption(where, 'must be a list of plugins and files');
}

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
