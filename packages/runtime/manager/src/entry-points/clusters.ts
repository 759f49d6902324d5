/**
 * Further clusters of a manager, and clients: how a cluster is added and found, its health, and what a reconcile of its
 * objects receives.
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
export type { RequestIn } from '../reconcile/request.ts';
export type {
  ClusterAccess,
  ClusterLookup,
  ControllerCluster,
  ReconcileHelpers,
} from '../reconcile/cluster-access.ts';
export { retryOnConflict, type ClientOptions, type ClusterSource } from '@keelson/client';
