import type { AgentOptions, RequestOptions } from 'node:https';
import type { Cluster as ConfiguredCluster, KubeConfig } from '@kubernetes/client-node';
import type { ClusterTls, CredentialRequest, Credentials } from '../cluster.ts';
import { CredentialError, factsOfFailure } from '../credentials/credential-error.ts';
import { ClientError } from '../../errors.ts';
import type { LoadedUser } from './kubeconfig-text.ts';
import type { PluginSettings } from '../credentials/plugin-process.ts';
import type { PresentedCredentials, TokenSource } from '../credentials/token-source.ts';
import { isHeaderValue } from '../invalid-member.ts';
import { execOf, kindOf, providerOf, secretsOf, tokenSourceOf } from './user-tokens.ts';

/** A user of a kubeconfig with its cluster and the settings of its plugins. */
export interface KubeConfigUser {
  readonly kubeConfig: KubeConfig;
  readonly cluster: ConfiguredCluster;
  readonly user: LoadedUser;
  readonly plugins: Omit<PluginSettings, 'secrets'>;
}

/**
 * The credentials of one user. client-node reads static files and data; token sources of this package obtain
 * the rest.
 */
export class KubeConfigCredentials {
  readonly #kubeConfig: KubeConfig;
  readonly #cluster: ConfiguredCluster;
  readonly #user: LoadedUser;
  readonly #source: TokenSource | undefined;
  readonly #secrets: readonly string[];

  constructor({ kubeConfig, cluster, user, plugins }: KubeConfigUser) {
    this.#kubeConfig = kubeConfig;
    // client-node refuses plain http unless verification is disabled, although plain http has nothing to
    // verify.
    const isPlain = cluster.server.startsWith('http:');
    // Without the proxy, client-node creates no agent. The connection pools use the proxy themselves.
    this.#cluster = { ...without(cluster, 'proxyUrl'), ...(isPlain && { skipTLSVerify: true }) };
    // A copy, because authenticators write into the user.
    this.#user = structuredClone(user);
    this.#secrets = secretsOf(user);
    this.#source = tokenSourceOf(this.#user, cluster, { ...plugins, secrets: this.#secrets });
  }

  async fetch(request: CredentialRequest): Promise<Credentials> {
    try {
      const presented = await this.#source?.present(request);
      const view = this.#view(presented);
      const options: RequestOptions = {};
      await view.applyToHTTPSOptions(options);
      return { headers: this.#headers(options), tls: this.#tls(view, options) };
    } catch (error) {
      if (request.signal?.aborted === true) throw request.signal.reason;
      throw this.#failed(error);
    }
  }

  /**
   * Returns a view of the kubeconfig with only this cluster and this user. The caches of the original are not
   * used.
   */
  #view(presented: PresentedCredentials | undefined): KubeConfig {
    const view = Object.create(this.#kubeConfig) as KubeConfig;
    view.getCurrentCluster = () => this.#cluster;
    view.getCurrentUser = () => this.#user;
    Reflect.set(view, 'agentCache', new Map());
    Reflect.set(view, 'authenticators', presented === undefined ? [] : [present(presented)]);
    if (presented === undefined) this.#checkProvider(view);
    return view;
  }

  /** Refuses an unknown auth-provider, for which client-node would send requests without credentials. */
  #checkProvider(view: KubeConfig): void {
    if (providerOf(this.#user) === undefined) return;
    const added: unknown = Reflect.get(view, 'custom_authenticators');
    const knows = (each: { isAuthProvider(user: LoadedUser): boolean }): boolean =>
      each.isAuthProvider(this.#user);
    if (Array.isArray(added) && added.some(knows)) return;
    throw new CredentialError('no authenticator knows this auth-provider');
  }

  #headers({ headers = {}, auth }: RequestOptions): Record<string, string | readonly string[]> {
    const basic = auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
    const given = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), String(value).trim()]],
    );
    const all = { ...basic, ...Object.fromEntries(given), ...this.#user.impersonation };
    for (const [name, value] of Object.entries<string | readonly string[]>(all)) {
      if (![value].flat().every(isHeaderValue)) {
        throw new CredentialError('the value of a header is not a string of one line', {
          header: name,
        });
      }
    }
    return all;
  }

  #tls(view: KubeConfig, options: RequestOptions): ClusterTls {
    if (this.#cluster.server.startsWith('http:')) return {};
    const dispatcher = view.createDispatcherOptions(this.#cluster, options as AgentOptions);
    return dispatcher.type === 'agent' ? tlsOf(dispatcher.connect) : {};
  }

  #failed(error: unknown): ClientError {
    const exec = execOf(this.#user);
    const facts = { user: this.#user.name, kind: kindOf(this.#user) };
    const command = exec?.command ? { command: exec.command } : {};
    const hint = exec?.installHint ? { hint: exec.installHint } : {};
    // The error has no cause, because the output of a plugin and the text that a parser quotes may contain a secret.
    const why = factsOfFailure(error, this.#secrets);
    return new ClientError('CREDENTIALS_FAILED', { ...facts, ...why, ...command, ...hint });
  }
}

/** An authenticator of client-node that applies credentials which have been obtained before. */
function present({ token, cert, key }: PresentedCredentials): object {
  return {
    isAuthProvider: () => true,
    async applyAuthentication(_user: LoadedUser, options: RequestOptions): Promise<void> {
      const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      options.headers = { ...(options.headers as object), ...authorization };
      if (cert !== undefined && key !== undefined) Object.assign(options, { cert, key });
    },
  };
}

function without<T extends object, K extends keyof T>(object: T, name: K): Omit<T, K> {
  const { [name]: _, ...rest } = object;
  return rest;
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

/** Returns the TLS options without those about the lifetime of a connection, which the pools set. */
function tlsOf(options: AgentOptions): ClusterTls {
  const members = tlsMembers.flatMap((name) =>
    options[name] === undefined ? [] : [[name, options[name]]],
  );
  return Object.fromEntries(members) as ClusterTls;
}
