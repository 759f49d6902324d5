import type { ControllerCluster } from '../reconcile/cluster-access.ts';
import type { AddedCluster } from './added-cluster.ts';
import type { AddedClusters } from './added-clusters.ts';

/** The further clusters, each with the cache scope, the client and the events of one controller. */
export class ControllerClusters {
  readonly #clusters: Pick<AddedClusters, 'get'>;
  readonly #open: (cluster: AddedCluster) => ControllerCluster;
  /** By cluster and not by name, because a name is free again after a removal. */
  readonly #opened = new WeakMap<AddedCluster, ControllerCluster>();

  constructor(
    clusters: Pick<AddedClusters, 'get'>,
    open: (cluster: AddedCluster) => ControllerCluster,
  ) {
    this.#clusters = clusters;
    this.#open = open;
  }

  /** Throws `UNKNOWN_CLUSTER`. Returns a cluster that is being removed if it caused the call. */
  get(name: string, isCause?: () => boolean): ControllerCluster {
    const cluster = this.#clusters.get(name, isCause);
    const known = this.#opened.get(cluster);
    if (known !== undefined) return known;
    const access = this.#open(cluster);
    this.#opened.set(cluster, access);
    return access;
  }
}
