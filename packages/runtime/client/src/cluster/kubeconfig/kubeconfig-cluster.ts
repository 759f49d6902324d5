import type { Context, KubeConfig } from '@kubernetes/client-node';
import { serverUrl, type Cluster } from '../cluster.ts';
import { ClientError } from '../../errors.ts';
import { KubeConfigCredentials, type KubeConfigUser } from './kubeconfig-credentials.ts';
import { refusePowers } from './kubeconfig-limits.ts';
import type { KubeConfigPower } from './kubeconfig-power.ts';
import type { LoadedKubeConfig, LoadedUser } from './kubeconfig-text.ts';
import { proxyFor } from '../proxy-environment.ts';

/** The context of a kubeconfig, and the limits of what it may do. */
export interface ContextChoice {
  /** Default: the current context. */
  readonly context: string | undefined;
  readonly plugins: KubeConfigUser['plugins'];
  /** `undefined` allows everything. */
  readonly allow: readonly KubeConfigPower[] | undefined;
}

/** Returns the cluster of a kubeconfig's context, with the credentials of its user. */
export function clusterOf(
  kubeConfig: LoadedKubeConfig,
  { context: contextName, plugins, allow }: ContextChoice,
): Cluster {
  const context = contextOf(kubeConfig, contextName);
  const cluster = named(kubeConfig.clusters, context.cluster);
  if (cluster === undefined) throw missing(context, 'cluster', context.cluster);
  const url = serverUrl(cluster.server);
  const user = userOf(kubeConfig, context);
  if (allow !== undefined) refusePowers(cluster, user, allow);
  const credentials = new KubeConfigCredentials({ kubeConfig, cluster, user, plugins });
  const proxy = cluster.proxyUrl || proxyFor(url, plugins.environment);
  return {
    server: cluster.server,
    ...(context.namespace === undefined ? {} : { namespace: namespaceOf(context) }),
    ...(proxy === undefined ? {} : { proxy }),
    ...(kubeConfig.development === true && { development: true }),
    credentials: (request) => credentials.fetch(request),
  };
}

/** Checks the namespace, because a KubeConfig that was loaded by the caller is not validated. */
function namespaceOf({ name, namespace }: Context): string {
  if (typeof namespace === 'string') return namespace.trim();
  const reason = 'the namespace of the context is not a string';
  throw new ClientError('KUBECONFIG_INVALID', { context: name, reason });
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

/** A context without a user sends anonymous requests, but with the TLS settings of the cluster. */
function userOf(kubeConfig: KubeConfig, context: Context): LoadedUser {
  if (!context.user) return { name: '' };
  const user = named(kubeConfig.users, context.user);
  if (user === undefined) throw missing(context, 'user', context.user);
  return user;
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
    reason: `the context names a ${what} that does not exist`,
    [what]: name,
  });
}
