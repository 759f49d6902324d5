/**
 * Further clusters of a manager, and clients: how a cluster is added and found, its health, and what a reconcile of its
 * objects receives.
 *
 * - `ClusterOptions` are the options of `manager.addCluster`, and `ManagerCluster` is its result.
 * - `ClusterRequest` is the request of a controller whose `for` has the option `clusters`.
 * - `ClusterAccess` is the result of `clusters.get(name)` of the context: the cache, client and helpers of a cluster.
 * - `ClusterSource` and `ClientOptions` say how a client finds its cluster. `createClient` and `loadCluster` are exports of
 *   `@keelson/manager`.
 *
 * @module
 */

export type {
  ClusterClientOptions,
  ClusterDefaults,
  ClusterHealth,
  ClusterOptions,
  ManagerCluster,
} from '../clusters/manager-cluster.ts';
export type {
  ClusterFacts,
  ClustersChoice,
  ClusterSelection,
  Spanning,
} from '../sources/cluster-selection.ts';
export type { ClusterRequest, RequestIn } from '../reconcile/request.ts';
export type {
  ClusterAccess,
  ClusterLookup,
  ControllerCluster,
  ReconcileHelpers,
} from '../reconcile/cluster-access.ts';
export { retryOnConflict, type ClientOptions, type ClusterSource } from '@keelson/client';
