import { types } from 'node:util';
import type { AgentOptions, RequestOptions } from 'node:https';
import type { Cluster as ConfiguredCluster, KubeConfig } from '@kubernetes/client-node';
import type { ClusterTls, Credentials } from './cluster.ts';
import { ClientError } from './errors.ts';
import type { ClientNode } from './client-node.ts';
import type { LoadedUser } from './kube-config-text.ts';
import { OidcTokens } from './oidc-tokens.ts';
import { redacted } from './redacted.ts';

interface ExecConfig {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly installHint?: string;
  readonly provideClusterInfo?: boolean;
  env?: { readonly name: string; readonly value: string }[] | null;
}

interface AuthProvider {
  readonly name?: string;
  readonly config?: Record<string, string> & { readonly exec?: ExecConfig };
}

/** The credentials of one user, by the authenticators of client-node. */
export class KubeConfigCredentials {
  readonly #clientNode: ClientNode;
  readonly #cluster: ConfiguredCluster;
  readonly #user: LoadedUser;
  /** The given kubeconfig, seen as if it had only this cluster and this user. */
  readonly #view: KubeConfig;

  constructor(
    clientNode: ClientNode,
    kubeConfig: KubeConfig,
    cluster: ConfiguredCluster,
    user: LoadedUser,
  ) {
    this.#clientNode = clientNode;
    // client-node refuses plain http unless told not to verify, where there is nothing to verify.
    const isPlain = cluster.server.startsWith('http:');
    this.#cluster = isPlain ? { ...cluster, skipTLSVerify: true } : cluster;
    // A copy, because authenticators write what they learn into the user.
    this.#user = withExecInfo(structuredClone(user), cluster);
    this.#view = Object.create(kubeConfig) as KubeConfig;
    this.#view.getCurrentCluster = () => this.#cluster;
    this.#view.getCurrentUser = () => this.#user;
    this.#renewAuthenticators();
  }

  async fetch({ force }: { readonly force: boolean }): Promise<Credentials> {
    if (force) this.#forget();
    try {
      const options: RequestOptions = {};
      await this.#view.applyToHTTPSOptions(options);
      return { headers: this.#headers(options), tls: this.#tls(options) };
    } catch (error) {
      throw this.#failed(error);
    }
  }

  /** Makes the authenticators ask anew: they keep tokens until these expire by their own account. */
  #forget(): void {
    this.#renewAuthenticators();
    const config = providerOf(this.#user)?.config;
    if (config?.['cmd-path'] !== undefined) config['expiry'] = new Date(0).toISOString();
    // No JWT: counts as expired, and the refresh token is used.
    if (config?.['refresh-token'] !== undefined) config['id-token'] = 'refused';
  }

  /** Those that a user adds are kept elsewhere, and are asked when none of these will do. */
  #renewAuthenticators(): void {
    const theirs: unknown = Reflect.get(new this.#clientNode.KubeConfig(), 'authenticators');
    Reflect.set(this.#view, 'authenticators', [new OidcTokens(), ...(theirs as object[])]);
  }

  #headers({ headers = {}, auth }: RequestOptions): Record<string, string | readonly string[]> {
    const basic = auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
    const given = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), String(value).trim()]],
    );
    return { ...basic, ...Object.fromEntries(given), ...this.#user.impersonation };
  }

  #tls(options: RequestOptions): ClusterTls {
    const dispatcher = this.#view.createDispatcherOptions(this.#cluster, options as AgentOptions);
    if (dispatcher.type === 'none' || this.#cluster.server.startsWith('http:')) return {};
    return tlsOf(dispatcher.type === 'agent' ? dispatcher.connect : dispatcher.requestTls);
  }

  #failed(error: unknown): ClientError {
    const exec = execOf(this.#user);
    const facts = { user: this.#user.name, kind: kindOf(this.#user), reason: reasonOf(error) };
    const command = exec?.command === undefined ? {} : { command: exec.command };
    const hint = exec?.installHint === undefined ? {} : { hint: exec.installHint };
    // No cause: what plugins print and what parsers quote may be the secret itself.
    return new ClientError('CREDENTIALS_FAILED', { ...facts, ...command, ...hint });
  }
}

const tlsMembers = [
  'ca',
  'cert',
  'key',
  'pfx',
  'passphrase',
  'servername',
  'rejectUnauthorized',
] as const;

/** Without what says how long connections live: that is the pools' business. */
function tlsOf(options: AgentOptions): ClusterTls {
  const members = tlsMembers.flatMap((name) =>
    options[name] === undefined ? [] : [[name, options[name]]],
  );
  return Object.fromEntries(members) as ClusterTls;
}

function providerOf(user: LoadedUser): AuthProvider | undefined {
  return (user.authProvider as AuthProvider | null | undefined) ?? undefined;
}

function execOf(user: LoadedUser): ExecConfig | undefined {
  return (user.exec as ExecConfig | null | undefined) ?? providerOf(user)?.config?.exec;
}

/** Plugins of v1 read `KUBERNETES_EXEC_INFO` (client.authentication.k8s.io); client-node does not set it. */
function withExecInfo(user: LoadedUser, cluster: ConfiguredCluster): LoadedUser {
  const exec = execOf(user);
  if (exec?.apiVersion === undefined) return user;
  const info = {
    apiVersion: exec.apiVersion,
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      ...(exec.provideClusterInfo === true ? { cluster: clusterInfo(cluster) } : {}),
    },
  };
  exec.env = [...(exec.env ?? []), { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }];
  return user;
}

function clusterInfo(cluster: ConfiguredCluster): Record<string, unknown> {
  return {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.skipTLSVerify,
    'certificate-authority-data': cluster.caData,
    'proxy-url': cluster.proxyUrl,
  };
}

function kindOf(user: LoadedUser): string {
  if (execOf(user) !== undefined) return 'exec';
  return providerOf(user)?.name ?? 'static';
}

function reasonOf(error: unknown): string {
  if (!types.isNativeError(error)) return 'unknown';
  // The parser quotes what it could not read.
  if (error.name === 'SyntaxError') return 'the answer is not JSON';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const shown = redacted(error.message);
  return shown === '' ? 'it failed and said nothing' : shown;
}
