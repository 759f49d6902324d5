import type { ClusterAccess, ClusterLookup } from '../reconcile/cluster-access.ts';
import type { AddedCluster } from './added-cluster.ts';
import type { AddedClusters } from './added-clusters.ts';

/** The further clusters, each with the cache scope and the client of one controller. */
export class ControllerClusters implements ClusterLookup {
  readonly #clusters: Pick<AddedClusters, 'get'>;
  readonly #open: (cluster: AddedCluster) => ClusterAccess;
  /** By cluster and not by name, because a name is free again after a removal. */
  readonly #opened = new WeakMap<AddedCluster, ClusterAccess>();

  constructor(
    clusters: Pick<AddedClusters, 'get'>,
    open: (cluster: AddedCluster) => ClusterAccess,
  ) {
    this.#clusters = clusters;
    this.#open = open;
  }

  get(name: string): ClusterAccess {
    const cluster = this.#clusters.get(name);
    const known = this.#opened.get(cluster);
    if (known !== undefined) return known;
    const access = this.#open(cluster);
    this.#opened.set(cluster, access);
    return access;
  }
}
