import {
  builtin,
  checkOptions,
  isDeleting,
  objectKey,
  type DeepReadonly,
  type ObjectOf,
  type Persisted,
} from '@keelson/apimachinery';
import type { Controller } from '@keelson/manager';
import { labelsOf } from './labels-of.ts';
import { FleetMembers, loadMember, textOf, versionOf } from './fleet-members.ts';
import {
  checkProvider,
  requireSyncValue,
  type FleetManager,
  type KubeConfigLimits,
  type ProviderOptions,
} from './provider-options.ts';

const { Secret } = builtin;

/** A Secret as the cache returns it. */
export type ClusterSecret = DeepReadonly<Persisted<ObjectOf<typeof builtin.Secret>>>;

/** Selects the Secrets that hold kubeconfigs. */
export interface KubeConfigSecretsOptions extends ProviderOptions<ClusterSecret>, KubeConfigLimits {
  /** The labels of the Secrets, such as `fleet.example.com/kubeconfig=true`. */
  readonly labelSelector: string;
  /** The namespaces of the Secrets. Default: those of the manager. */
  readonly namespaces?: readonly string[];
  /** The key of the kubeconfig in the data. Default `'kubeconfig'`. */
  readonly key?: string;
  /** The context of the kubeconfig. Default: its current context. */
  readonly context?: string;
  /** Returns the name of the cluster. Default: `namespace/name` of the Secret. */
  readonly clusterName?: (secret: ClusterSecret) => string;
}

const optionNames = [
  'name',
  'labelSelector',
  'namespaces',
  'key',
  'context',
  'clusterName',
  'clusterOptions',
  'allow',
] as const satisfies readonly (keyof KubeConfigSecretsOptions)[];

const WHERE = 'addKubeConfigSecrets';

/**
 * Adds a cluster for each Secret with a kubeconfig, in every replica. A Secret with other data or labels replaces its
 * cluster, and one that is gone removes it. A Secret that cannot be used leaves the former cluster in place, and is tried
 * again with backoff. Returns the controller; its stop leaves the clusters as they are. Throws `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { builtin, createManager } from '@keelson/manager';
 * import { addKubeConfigSecrets } from '@keelson/fleet';
 *
 * const manager = createManager();
 * addKubeConfigSecrets(manager, {
 *   labelSelector: 'example.com/cluster=true',
 *   namespaces: ['fleet'],
 * });
 * manager.addController({
 *   name: 'config-maps',
 *   for: { resource: builtin.ConfigMap, clusters: 'all' },
 *   reconcile: (request, { log }) => log.info({ cluster: request.cluster }, 'seen'),
 * });
 * ```
 */
export function addKubeConfigSecrets(
  manager: FleetManager,
  options: KubeConfigSecretsOptions,
): Controller {
  checkOptions(options, optionNames, WHERE);
  checkProvider(manager, options, WHERE, ['clusterName', 'clusterOptions']);
  const { name = 'fleet-secrets', labelSelector, namespaces, key = 'kubeconfig' } = options;
  const { context, allow = [], clusterName = keyOf, clusterOptions = labelsOf } = options;
  const members = new FleetMembers(manager);
  return manager.addController({
    name,
    phase: 'always',
    concurrency: 16,
    for: { resource: Secret, labelSelector, ...(namespaces && { namespaces }) },
    async reconcile(request, { cache, log }) {
      const secret = cache.get(Secret, request);
      const id = objectKey(request);
      if (secret === undefined || isDeleting(secret)) return members.delete(id, log);
      const cluster = requireSyncValue(clusterName(secret), `${WHERE}.clusterName`);
      const kubeConfig = textOf(secret, key);
      const own = requireSyncValue(clusterOptions(secret), `${WHERE}.clusterOptions`);
      const load = () => loadMember(cluster, { kubeConfig, context, allow });
      const version = versionOf(kubeConfig, own);
      await members.set(id, { name: cluster, version, options: own, load }, log);
    },
  });
}

function keyOf({ metadata }: ClusterSecret): string {
  return objectKey(metadata);
}
