import type { Cluster as ConfiguredCluster, Context, KubeConfig } from '@kubernetes/client-node';
import { serverUrl, type Cluster } from './cluster.ts';
import { ClientError } from './errors.ts';
import type { ClientNode } from './client-node.ts';
import { KubeConfigCredentials } from './kube-config-credentials.ts';
import type { LoadedUser } from './kube-config-text.ts';

/** The cluster that a context of a kubeconfig names, with the credentials of its user. */
export function clusterOf(
  clientNode: ClientNode,
  kubeConfig: KubeConfig,
  contextName: string | undefined,
): Cluster {
  const context = contextOf(kubeConfig, contextName);
  const cluster = named(kubeConfig.clusters, context.cluster);
  if (cluster === undefined) throw missing(context, 'cluster', context.cluster);
  const credentials = new KubeConfigCredentials(
    clientNode,
    kubeConfig,
    cluster,
    userOf(kubeConfig, context),
  );
  return {
    server: checkedServer(cluster),
    ...(context.namespace === undefined ? {} : { namespace: context.namespace.trim() }),
    ...(cluster.proxyUrl === undefined ? {} : { proxy: cluster.proxyUrl }),
    credentials: (options) => credentials.fetch(options),
  };
}

function contextOf(kubeConfig: KubeConfig, contextName: string | undefined): Context {
  const name = contextName ?? kubeConfig.currentContext;
  const known = kubeConfig.contexts.map((each) => each.name);
  if (!name) throw new ClientError('NO_CURRENT_CONTEXT', { contexts: known });
  const context = named(kubeConfig.contexts, name);
  if (context === undefined) {
    throw new ClientError('CONTEXT_NOT_FOUND', { context: name, contexts: known });
  }
  return context;
}

/** Without a user requests go out anonymous; the cluster's TLS settings hold all the same. */
function userOf(kubeConfig: KubeConfig, context: Context): LoadedUser {
  if (!context.user) return { name: '' };
  const user = named(kubeConfig.users, context.user);
  if (user === undefined) throw missing(context, 'user', context.user);
  return user;
}

function checkedServer(cluster: ConfiguredCluster): string {
  serverUrl(cluster.server);
  return cluster.server;
}

function named<N extends { readonly name: string }>(
  all: readonly N[],
  name: string,
): N | undefined {
  return all.find((each) => each.name === name);
}

function missing(context: Context, what: string, name: string): ClientError {
  return new ClientError('KUBECONFIG_INVALID', {
    context: context.name,
    reason: `the context names a ${what} that is not there`,
    [what]: name,
  });
}
