import {
  builtin,
  checkOptions,
  defineResource,
  invalidOption,
  isDeleting,
  objectKey,
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
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

/** A `Cluster` of Cluster API, with the members that the provider reads. */
export interface ClusterApiCluster extends KubernetesObject {
  readonly status?: { readonly phase?: string };
}

/** Selects the `Cluster` objects of Cluster API. */
export interface ClusterApiOptions
  extends ProviderOptions<DeepReadonly<Persisted<ClusterApiCluster>>>, KubeConfigLimits {
  /** The served version of `cluster.x-k8s.io`. Default `'v1beta2'`. */
  readonly version?: 'v1beta1' | 'v1beta2';
  /** The labels of the clusters. Default: all. */
  readonly labelSelector?: string;
  /** The namespaces of the clusters. Default: those of the manager. */
  readonly namespaces?: readonly string[];
}

const optionNames = [
  'name',
  'version',
  'labelSelector',
  'namespaces',
  'clusterOptions',
  'allow',
] as const satisfies readonly (keyof ClusterApiOptions)[];

/** The label with which Cluster API marks the Secrets of a cluster. */
const CLUSTER_LABEL = 'cluster.x-k8s.io/cluster-name';
const WHERE = 'addClusterApi';

/**
 * Adds the clusters of Cluster API, in every replica, under `namespace/name`: each when its phase is `Provisioned`, with
 * the kubeconfig of the Secret `NAME-kubeconfig`. A changed kubeconfig replaces the cluster. A cluster that is deleted is
 * removed when its deletion begins. Returns the controller. Throws `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { createManager } from '@keelson/manager';
 * import { addClusterApi } from '@keelson/fleet';
 *
 * addClusterApi(createManager(), { labelSelector: 'environment=production' });
 * ```
 */
export function addClusterApi(manager: FleetManager, options: ClusterApiOptions = {}): Controller {
  checkOptions(options, optionNames, WHERE);
  checkProvider(manager, options, WHERE, ['clusterOptions']);
  const { name = 'fleet-cluster-api', version = 'v1beta2', labelSelector, namespaces } = options;
  const { allow = [], clusterOptions = labelsOf } = options;
  if (version !== 'v1beta1' && version !== 'v1beta2') {
    throw invalidOption(`${WHERE}.version`, 'must be v1beta1 or v1beta2');
  }
  const Cluster = clusterResource(version);
  const members = new FleetMembers(manager);
  const where: Pick<ClusterApiOptions, 'namespaces'> = namespaces ? { namespaces } : {};
  return manager.addController({
    name,
    phase: 'always',
    concurrency: 16,
    for: { resource: Cluster, ...where, ...(labelSelector && { labelSelector }) },
    watches: [
      {
        resource: Secret,
        labelSelector: CLUSTER_LABEL,
        ...where,
        map: ({ namespace, metadata }) => {
          const owner = metadata.labels?.[CLUSTER_LABEL];
          return owner === undefined ? undefined : { namespace, name: owner };
        },
      },
    ],
    async reconcile(request, { cache, log }) {
      const cluster = cache.get(Cluster, request);
      const id = objectKey(request);
      if (cluster === undefined || isDeleting(cluster)) return members.delete(id, log);
      const place = { ...request, name: `${request.name}-kubeconfig` };
      const secret = cache.get(Secret, place);
      // The Secret or the cluster queues the request again. An engaged cluster stays, for example during an upgrade.
      if (secret === undefined || cluster.status?.phase !== 'Provisioned') return;
      const kubeConfig = textOf(secret, 'value');
      const own = requireSyncValue(clusterOptions(cluster), `${WHERE}.clusterOptions`);
      const load = () => loadMember(id, { kubeConfig, allow });
      const digest = versionOf(kubeConfig, own);
      await members.set(id, { name: id, version: digest, options: own, load }, log);
    },
  });
}

function clusterResource(version: string): ApiResource<ClusterApiCluster> {
  return defineResource<ClusterApiCluster>({
    group: 'cluster.x-k8s.io',
    version,
    kind: 'Cluster',
    plural: 'clusters',
  });
}
