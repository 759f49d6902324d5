import type { AgentOptions, RequestOptions } from 'node:https';
import type { Cluster as ConfiguredCluster, KubeConfig } from '@kubernetes/client-node';
import type { ClusterTls, CredentialRequest, Credentials } from '../cluster.ts';
import { CredentialFailure, factsOfFailure } from '../credentials/credential-failure.ts';
import { ClientError } from '../../errors.ts';
import type { LoadedUser } from './kubeconfig-text.ts';
import type { PluginSettings } from '../credentials/plugin-process.ts';
import type { PresentedCredentials, TokenSource } from '../credentials/token-source.ts';
import { execOf, kindOf, providerOf, secretsOf, tokenSourceOf } from './user-tokens.ts';

/** How the credentials of one user are obtained. */
export interface KubeConfigUser {
  readonly kubeConfig: KubeConfig;
  readonly cluster: ConfiguredCluster;
  readonly user: LoadedUser;
  readonly plugins: Omit<PluginSettings, 'secrets'>;
}

/** The credentials of one user: files and data by client-node, whatever changes by our own token sources. */
export class KubeConfigCredentials {
  readonly #kubeConfig: KubeConfig;
  readonly #cluster: ConfiguredCluster;
  readonly #user: LoadedUser;
  readonly #source: TokenSource | undefined;
  readonly #secrets: readonly string[];

  constructor({ kubeConfig, cluster, user, plugins }: KubeConfigUser) {
    this.#kubeConfig = kubeConfig;
    // client-node refuses plain http unless told not to verify, where there is nothing to verify.
    const isPlain = cluster.server.startsWith('http:');
    // The pools go through the proxy; an agent of client-node would be made for nothing.
    this.#cluster = { ...without(cluster, 'proxyUrl'), ...(isPlain && { skipTLSVerify: true }) };
    // A copy, because authenticators write what they learn into the user.
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

  /** The given kubeconfig, seen as if it had only this cluster and this user. Its caches stay untouched. */
  #view(presented: PresentedCredentials | undefined): KubeConfig {
    const view = Object.create(this.#kubeConfig) as KubeConfig;
    view.getCurrentCluster = () => this.#cluster;
    view.getCurrentUser = () => this.#user;
    Reflect.set(view, 'agentCache', new Map());
    Reflect.set(view, 'authenticators', presented === undefined ? [] : [present(presented)]);
    if (presented === undefined) this.#checkProvider(view);
    return view;
  }

  /** client-node sends requests without credentials where nothing knows the provider. */
  #checkProvider(view: KubeConfig): void {
    if (providerOf(this.#user) === undefined) return;
    const added: unknown = Reflect.get(view, 'custom_authenticators');
    const knows = (each: { isAuthProvider(user: LoadedUser): boolean }): boolean =>
      each.isAuthProvider(this.#user);
    if (Array.isArray(added) && added.some(knows)) return;
    throw new CredentialFailure('no authenticator knows this auth-provider');
  }

  #headers({ headers = {}, auth }: RequestOptions): Record<string, string | readonly string[]> {
    const basic = auth ? { authorization: `Basic ${Buffer.from(auth).toString('base64')}` } : {};
    const given = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), String(value).trim()]],
    );
    const all = { ...basic, ...Object.fromEntries(given), ...this.#user.impersonation };
    for (const [name, value] of Object.entries<string | readonly string[]>(all)) {
      if (![value].flat().every(isHeaderValue)) {
        throw new CredentialFailure('the value of a header is not text of one line', {
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
    // No cause: what plugins print and what parsers quote may be the secret itself.
    const why = factsOfFailure(error, this.#secrets);
    return new ClientError('CREDENTIALS_FAILED', { ...facts, ...why, ...command, ...hint });
  }
}

/** An authenticator of client-node that hands on what was obtained. */
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

/** What undici accepts. */
function isHeaderValue(value: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
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
