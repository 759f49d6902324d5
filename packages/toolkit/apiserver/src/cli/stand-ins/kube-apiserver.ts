import { createApiServer, type ApiServer } from '../../server/api-server.ts';
import { authorizationModeOf, booleanOf, networkOf, portOf } from '../flags/flag-values.ts';
import { readServerFiles } from '../flags/server-files.ts';
import { parseGoFlags } from './go-flags.ts';

const obeyed = new Set([
  'secure-port',
  'bind-address',
  'cert-dir',
  'client-ca-file',
  'token-auth-file',
  'authorization-mode',
  'anonymous-auth',
  'service-cluster-ip-range',
]);

/** Without an effect, but without a surprise: envtest gives them, or they are of the storage and of the log. */
const pointless = new Set([
  'allow-privileged',
  'advertise-address',
  'disable-admission-plugins',
  'insecure-port',
  'v',
  'vmodule',
]);
const pointlessPrefixes = ['etcd-', 'service-account-', 'log'];

/** The flags that have no effect and could be missed. */
export function ignoredFlags(words: readonly string[]): string[] {
  return [...parseGoFlags(words).keys()].filter(
    (name) =>
      !obeyed.has(name) &&
      !pointless.has(name) &&
      !pointlessPrefixes.some((prefix) => name.startsWith(prefix)),
  );
}

/**
 * Starts a server with flags of kube-apiserver. No controller runs in it, as none runs beside the kube-apiserver of envtest: a
 * deleted namespace stays, and so do dependents.
 */
export async function startKubeApiserver(words: readonly string[]): Promise<ApiServer> {
  const flags = parseGoFlags(words);
  const host = flags.get('bind-address') ?? '127.0.0.1';
  const authorizationMode = authorizationModeOf(flags.get('authorization-mode') ?? 'AlwaysAllow');
  const anonymous = booleanOf('--anonymous-auth', flags.get('anonymous-auth') ?? 'true');
  const files = await readServerFiles(
    {
      certDir: flags.get('cert-dir'),
      clientCaFile: flags.get('client-ca-file'),
      tokenAuthFile: flags.get('token-auth-file'),
    },
    host,
  );
  return createApiServer({
    ...files,
    host,
    port: portOf('--secure-port', flags.get('secure-port') ?? '6443'),
    authorizationMode,
    anonymousAuth: anonymous && authorizationMode === 'RBAC',
    serviceClusterIpRange: networkOf(
      '--service-cluster-ip-range',
      flags.get('service-cluster-ip-range') ?? '10.0.0.0/24',
    ),
    acceptsUntypedBodies: true,
    controllers: [],
  });
}
