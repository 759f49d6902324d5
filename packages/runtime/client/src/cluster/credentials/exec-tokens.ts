import type { Cluster as ConfiguredCluster } from '@kubernetes/client-node';
import type { CredentialRequest } from '../cluster.ts';
import { CredentialError } from './credential-error.ts';
import { readExecCredential, type ExecCredential } from './exec-credential.ts';
import { runPlugin, type PluginSettings } from './plugin-process.ts';
import type { PresentedCredentials, TokenSource } from './token-source.ts';

/** The member `exec` of a user (`client.authentication.k8s.io`). */
export interface ExecConfig {
  readonly apiVersion?: string | null;
  readonly command?: string | null;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string | null;
  readonly interactiveMode?: string | null;
  readonly provideClusterInfo?: boolean | null;
}

/** A cluster with the configuration that its kubeconfig has for plugins. */
export interface PluginCluster extends ConfiguredCluster {
  /** The extension `client.authentication.k8s.io/exec` of the cluster. */
  readonly execConfig?: unknown;
}

/**
 * The credentials of an exec plugin. Replaces client-node's `ExecAuth`, which has no time limit, leaves stdin
 * open and caches invalid output.
 */
export class ExecTokens implements TokenSource {
  readonly #exec: ExecConfig;
  readonly #cluster: PluginCluster;
  readonly #settings: PluginSettings;
  #held: ExecCredential | undefined;

  constructor(exec: ExecConfig, cluster: PluginCluster, settings: PluginSettings) {
    this.#exec = exec;
    this.#cluster = cluster;
    this.#settings = settings;
  }

  async present({ force, signal }: CredentialRequest): Promise<PresentedCredentials> {
    if (!force && this.#held !== undefined && Date.now() < this.#held.expiresAt) return this.#held;
    const { command, args, interactiveMode, apiVersion } = this.#exec;
    if (!command) throw new CredentialError('exec.command is missing');
    if (interactiveMode === 'Always') {
      throw new CredentialError('the plugin needs a terminal (interactiveMode=Always)');
    }
    const environment = await this.#environment();
    const options = { ...this.#settings, command, args: args ?? [], environment, signal };
    this.#held = readExecCredential(await runPlugin(options), apiVersion ?? undefined);
    return this.#held;
  }

  async #environment(): Promise<Readonly<Record<string, string | undefined>>> {
    const { apiVersion, env, provideClusterInfo } = this.#exec;
    const given = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
    if (!apiVersion) return { ...this.#settings.environment, ...given };
    const cluster = provideClusterInfo === true ? await clusterInfo(this.#cluster) : undefined;
    const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false, cluster } };
    return {
      ...this.#settings.environment,
      ...given,
      KUBERNETES_EXEC_INFO: JSON.stringify(info),
    };
  }
}

async function clusterInfo(cluster: PluginCluster): Promise<Record<string, unknown>> {
  const { caFile, caData } = cluster;
  const { readFile } = process.getBuiltinModule('node:fs/promises');
  const data = caFile ? (await readFile(caFile)).toString('base64') : caData;
  return {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.skipTLSVerify,
    'certificate-authority-data': data,
    'proxy-url': cluster.proxyUrl,
    config: cluster.execConfig,
  };
}
