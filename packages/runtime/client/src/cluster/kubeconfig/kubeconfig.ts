import { homedir } from 'node:os';
import { checkOptions, invalidOption, parseDuration, type Duration } from '@keelson/apimachinery';
import type { KubeConfig } from '@kubernetes/client-node';
import { loadClientNode, type ClientNode } from './client-node.ts';
import type { Cluster } from '../cluster.ts';
import type { GivenKubeConfig } from './given-kubeconfig.ts';
import { clusterOf } from './kubeconfig-cluster.ts';
import { checkPowers, type KubeConfigPower } from './kubeconfig-power.ts';
import { findKubeConfig, readKubeConfig, type KubeConfigPlace } from './kubeconfig-place.ts';
import { mergeKubeConfig, parseKubeConfig } from './kubeconfig-text.ts';
import * as check from '../../values/option-check.ts';
import { isRecord } from '../../values/record.ts';
import { serviceAccountCluster } from '../credentials/service-account.ts';

/** The source of a cluster description. Without any member, the kubeconfig is searched as kubectl does. */
export interface ClusterSource {
  /**
   * A loaded `KubeConfig` of client-node, or the text of one (YAML or JSON). client-node drops `as-groups`, `as-uid`
   * and `as-user-extra`, so pass the text if a user has them.
   */
  readonly kubeConfig?: GivenKubeConfig | string | undefined;
  /** The path of a kubeconfig. */
  readonly file?: string | undefined;
  /** The name of a context. Default: the current context. */
  readonly context?: string | undefined;
  /** Time limit of an exec plugin and of a request to an identity provider. Default 60 s. */
  readonly pluginTimeout?: Duration | undefined;
  /**
   * The powers of the kubeconfig over the process: to run `plugins`, and to read `files` of this machine. Give `[]` for one
   * that another party may have written; it is refused with `KUBECONFIG_REFUSED` if it needs more. Default: both.
   */
  readonly allow?: readonly KubeConfigPower[] | undefined;
}

/**
 * The default time limit, long enough for a plugin that calls a service. A plugin never waits for input, because its
 * stdin is closed.
 */
const PLUGIN_TIMEOUT = '60s';

/**
 * Loads a cluster description from a kubeconfig: `$KUBECONFIG`, `~/.kube/config`, the service account of the
 * Pod, or `source`. Credentials are fetched by the first request. Without a proxy in the kubeconfig,
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` apply, as in client-go. Throws `KUBECONFIG_NOT_FOUND`,
 * `KUBECONFIG_INVALID`, `KUBECONFIG_REFUSED`, `NO_CURRENT_CONTEXT`, `CONTEXT_NOT_FOUND`, or `INVALID_OPTION` for an invalid `source`.
 *
 * @example
 * ```ts
 * import { createManager, loadCluster } from '@keelson/manager';
 *
 * const cluster = await loadCluster({ file: './staging.yaml', context: 'staging' });
 * export const manager = createManager({ cluster });
 * ```
 */
export async function loadCluster(source: ClusterSource = {}): Promise<Cluster> {
  checkClusterSource(source, 'loadCluster');
  const { context, pluginTimeout = PLUGIN_TIMEOUT, allow } = source;
  const environment = process.env;
  const timeout = parseDuration(pluginTimeout, 'loadCluster.pluginTimeout');
  const place = await placeOf(source);
  if ('server' in place) return serviceAccountCluster(place.server, environment);
  const loaded = await kubeConfigOf(await loadClientNode(), place);
  return clusterOf(loaded, { context, plugins: { environment, timeout }, allow });
}

/** Throws `INVALID_OPTION` with the name of an invalid member, before anything is read. */
export function checkClusterSource(source: ClusterSource, where: string): void {
  checkOptions(source, ['kubeConfig', 'file', 'context', 'pluginTimeout', 'allow'], where);
  const { kubeConfig, file, context, pluginTimeout, allow } = source;
  if (allow !== undefined) checkPowers(allow, `${where}.allow`);
  const isLoaded = isRecord(kubeConfig) && Array.isArray(kubeConfig['clusters']);
  if (kubeConfig !== undefined && typeof kubeConfig !== 'string' && !isLoaded) {
    throw invalidOption(`${where}.kubeConfig`, 'must be a KubeConfig of client-node, or a string');
  }
  if (kubeConfig !== undefined && file !== undefined) {
    throw invalidOption(`${where}.file`, 'cannot be combined with kubeConfig');
  }
  if (file !== undefined) check.text(file, `${where}.file`);
  if (context !== undefined) check.text(context, `${where}.context`);
  if (pluginTimeout !== undefined) parseDuration(pluginTimeout, `${where}.pluginTimeout`);
}

type Place = KubeConfigPlace | { readonly kubeConfig: GivenKubeConfig | string };

async function placeOf({ kubeConfig, file }: ClusterSource): Promise<Place> {
  if (kubeConfig !== undefined) return { kubeConfig };
  return file === undefined ? findKubeConfig(process.env, homedir()) : { files: [file] };
}

async function kubeConfigOf(
  clientNode: ClientNode,
  place: Exclude<Place, { readonly server: string }>,
): Promise<KubeConfig> {
  if ('files' in place) {
    const texts = await Promise.all(place.files.map(readKubeConfig));
    return mergeKubeConfig(texts.map((text) => parseKubeConfig(clientNode, text)));
  }
  const { kubeConfig } = place;
  // The value is an instance of the class `KubeConfig`, whose members the interface describes.
  if (typeof kubeConfig !== 'string') return kubeConfig as KubeConfig;
  return parseKubeConfig(clientNode, { text: kubeConfig });
}
