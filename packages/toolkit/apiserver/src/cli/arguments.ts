import { parseArgs } from 'node:util';
import {
  authorizationModeOf,
  booleanOf,
  networkOf,
  portOf,
  UsageError,
} from './flags/flag-values.ts';

/** The parsed command line. */
export interface Arguments {
  readonly help: boolean;
  readonly port: number;
  readonly tls: boolean;
  readonly certDir: string | undefined;
  readonly clientCaFile: string | undefined;
  readonly tokenAuthFile: string | undefined;
  readonly authorizationMode: 'AlwaysAllow' | 'RBAC';
  readonly anonymousAuth: boolean;
  readonly serviceClusterIpRange: string | undefined;
  readonly kubeconfigOut: string | undefined;
}

/** The output of `--help`. */
export const usage = `keelson-apiserver: a Kubernetes API server in memory, for tests and demos

keelson-apiserver [OPTION…]        serves
keelson-apiserver assets [FOLDER]  writes stand-ins for the kube-apiserver and etcd that controller-runtime's envtest
                                   starts, and prints their folder: KUBEBUILDER_ASSETS=$(npx @keelson/apiserver assets)

  --port N                      where to listen on 127.0.0.1; 0 takes a free one   (default 0)
  --no-tls                      serve http; kubectl then sends no token, so that only --anonymous-auth lets it in
                                (default https, with a certificate made at the start)
  --cert-dir FOLDER             has apiserver.crt and apiserver.key, the certificate to serve; they are written if both are missing
  --client-ca-file FILE         authority of client certificates: CN is the user, O its groups
  --token-auth-file FILE        users by token: lines of token,user,uid,"group1,group2"
  --authorization-mode MODES    AlwaysAllow or RBAC; RBAC,AlwaysAllow is AlwaysAllow (default AlwaysAllow)
  --anonymous-auth BOOL         whether requests without credentials are accepted, needs RBAC (default false)
  --service-cluster-ip-range CIDR  addresses of Services                           (default 10.96.0.0/16)
  --kubeconfig-out FILE         writes a kubeconfig of an administrator, readable by you only;
                                without it, and without a token file, the file is a temporary one
  --help                        prints this

It prints where it listens and runs until SIGTERM or SIGINT. Everything it knows is gone at its end.`;

/** Parses the arguments after the command's name. Throws a `UsageError`. */
export function parseArguments(words: readonly string[]): Arguments {
  const values = read(words);
  const range = values['service-cluster-ip-range'];
  const authorizationMode = authorizationModeOf(values['authorization-mode']);
  for (const option of ['cert-dir', 'client-ca-file'] as const) {
    if (values[option] !== undefined && !values.tls) {
      throw new UsageError(`--${option} cannot be used with --no-tls`);
    }
  }
  return {
    help: values.help,
    port: portOf('--port', values.port),
    tls: values.tls,
    certDir: values['cert-dir'],
    clientCaFile: values['client-ca-file'],
    serviceClusterIpRange:
      range === undefined ? undefined : networkOf('--service-cluster-ip-range', range),
    tokenAuthFile: values['token-auth-file'],
    authorizationMode,
    anonymousAuth: isAnonymous(values['anonymous-auth'], authorizationMode),
    kubeconfigOut: values['kubeconfig-out'],
  };
}

/** Refuses to make every local user an administrator, as kube-apiserver does. */
function isAnonymous(text: string, mode: Arguments['authorizationMode']): boolean {
  const value = booleanOf('--anonymous-auth', text);
  if (value && mode === 'AlwaysAllow') {
    throw new UsageError('--anonymous-auth true needs --authorization-mode RBAC');
  }
  return value;
}

function read(words: readonly string[]): ReturnType<typeof readStrictly> {
  try {
    return readStrictly(words);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function readStrictly(words: readonly string[]): {
  help: boolean;
  port: string;
  tls: boolean;
  'cert-dir'?: string;
  'client-ca-file'?: string;
  'token-auth-file'?: string;
  'authorization-mode': string;
  'anonymous-auth': string;
  'service-cluster-ip-range'?: string;
  'kubeconfig-out'?: string;
} {
  return parseArgs({
    args: [...words],
    allowPositionals: false,
    allowNegative: true,
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      port: { type: 'string', default: '0' },
      tls: { type: 'boolean', default: true },
      'cert-dir': { type: 'string' },
      'client-ca-file': { type: 'string' },
      'token-auth-file': { type: 'string' },
      'authorization-mode': { type: 'string', default: 'AlwaysAllow' },
      'anonymous-auth': { type: 'string', default: 'false' },
      'service-cluster-ip-range': { type: 'string' },
      'kubeconfig-out': { type: 'string' },
    },
  }).values;
}
