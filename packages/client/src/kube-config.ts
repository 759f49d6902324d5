import { homedir } from 'node:os';
import { checkOptions, invalidOption } from '@keelson/apimachinery';
import type { KubeConfig } from '@kubernetes/client-node';
import type { ClientNode } from './client-node.ts';
import type { Cluster } from './cluster.ts';
import { clusterOf } from './kube-config-cluster.ts';
import { findKubeConfig, readKubeConfig } from './kube-config-place.ts';
import { mergeKubeConfig, parseKubeConfig } from './kube-config-text.ts';

/** Where the description of a cluster comes from. Without any member: as kubectl looks for it. */
export interface ClusterSource {
  /**
   * One that is loaded already, or its text (YAML or JSON). client-node does not keep `as-groups`, `as-uid` and
   * `as-user-extra`: where a user has them, give the text.
   */
  readonly kubeConfig?: KubeConfig | string | undefined;
  /** The path of one. */
  readonly file?: string | undefined;
  /** The name of a context; default: the current one. */
  readonly context?: string | undefined;
}

/**
 * Reads a kubeconfig: `$KUBECONFIG`, `~/.kube/config`, the service account of the Pod it runs in, or what
 * `source` says. Credentials are fetched when the first request needs them, not here.
 * Codes `KUBECONFIG_NOT_FOUND`, `KUBECONFIG_INVALID`, `NO_CURRENT_CONTEXT`, `CONTEXT_NOT_FOUND`.
 */
export async function loadCluster(source: ClusterSource = {}): Promise<Cluster> {
  checkOptions(source, ['kubeConfig', 'file', 'context'], 'loadCluster');
  if (source.kubeConfig !== undefined && source.file !== undefined) {
    throw invalidOption('loadCluster.file', 'stands beside kubeConfig: give one of them');
  }
  const clientNode = await loadClientNode();
  const kubeConfig = await kubeConfigOf(clientNode, source);
  return clusterOf(clientNode, kubeConfig, source.context);
}

/** Loads client-node, the only place that does so at run time: it costs 0.4 s and 85 MB. */
export function loadClientNode(): Promise<ClientNode> {
  return import('@kubernetes/client-node');
}

async function kubeConfigOf(
  clientNode: ClientNode,
  { kubeConfig, file }: ClusterSource,
): Promise<KubeConfig> {
  if (typeof kubeConfig === 'string') return parseKubeConfig(clientNode, { text: kubeConfig });
  if (kubeConfig !== undefined) return kubeConfig;
  const place =
    file === undefined ? await findKubeConfig(process.env, homedir()) : { files: [file] };
  if ('inCluster' in place) {
    const loaded = new clientNode.KubeConfig();
    loaded.loadFromCluster();
    return loaded;
  }
  const texts = await Promise.all(place.files.map(readKubeConfig));
  return mergeKubeConfig(texts.map((text) => parseKubeConfig(clientNode, text)));
}
