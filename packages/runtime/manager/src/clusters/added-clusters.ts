import { checkMethods, invalidOption } from '@keelson/apimachinery';
import type { ClientOptions } from '@keelson/client';
import { ManagerError } from '../errors.ts';
import type { ManagerMetrics } from '../metrics/manager-metrics.ts';
import { AddedCluster, type AddedClusterOptions, type ClusterHost } from './added-cluster.ts';
import { checkClusterOptions } from './cluster-options.ts';
import { isClusterName } from './cluster-name.ts';
import type { ClusterDefaults, ClusterOptions } from './manager-cluster.ts';

/** The most clusters that an error names. */
const MAX_KNOWN = 20;

/** The further clusters of a manager by name. */
export class AddedClusters {
  readonly #metrics: Pick<ManagerMetrics, 'cluster'>;
  readonly #defaults: ClusterDefaults;
  readonly #shared: Pick<AddedClusterOptions, 'log' | 'origins' | 'clock'>;
  /** A cluster keeps its name until its removal has ended. */
  readonly #byName = new Map<string, AddedCluster>();

  constructor(
    metrics: Pick<ManagerMetrics, 'cluster'>,
    defaults: ClusterDefaults,
    shared: Pick<AddedClusterOptions, 'log' | 'origins' | 'clock'>,
  ) {
    this.#metrics = metrics;
    this.#defaults = defaults;
    this.#shared = shared;
  }

  /** All clusters, also those whose removal has not ended. */
  get all(): readonly AddedCluster[] {
    return [...this.#byName.values()];
  }

  /** The clusters that are not being removed. */
  get present(): readonly AddedCluster[] {
    return this.all.filter(({ isRemoved }) => !isRemoved);
  }

  /** The cluster of this name, also during its removal; `undefined` for an unknown one. */
  find(name: string): AddedCluster | undefined {
    return this.#byName.get(name);
  }

  /** Throws `INVALID_OPTION`, `INVALID_CLUSTER` and `DUPLICATE_CLUSTER`. */
  add(
    host: ClusterHost,
    name: string,
    cluster: ClientOptions['cluster'],
    options: ClusterOptions = {},
  ): AddedCluster {
    checkName(name);
    if (typeof cluster !== 'function') checkMethods(cluster, [], 'addCluster.cluster');
    const settings = checkClusterOptions(options, this.#defaults);
    if (this.#byName.has(name)) throw new ManagerError('DUPLICATE_CLUSTER', { cluster: name });
    const metrics = this.#metrics.cluster(name, () => added.cache);
    const closed = (): void => void this.#byName.delete(name);
    const added = createdOr(metrics.close, () => {
      return new AddedCluster({
        name,
        cluster,
        ...settings,
        host,
        metrics,
        ...this.#shared,
        closed,
      });
    });
    this.#byName.set(name, added);
    return added;
  }

  /** Throws `UNKNOWN_CLUSTER`. Returns a cluster that is being removed if it caused the call. */
  get(name: string, isCause: () => boolean = () => false): AddedCluster {
    const cluster = this.#byName.get(name);
    if (cluster !== undefined && (!cluster.isRemoved || (cluster.isLeaving && isCause()))) {
      return cluster;
    }
    // A fleet may have thousands of clusters.
    const known = this.present.slice(0, MAX_KNOWN).map((one) => one.name);
    throw new ManagerError('UNKNOWN_CLUSTER', { cluster: name, known });
  }

  /** Closes every cluster. One that fails does not keep the others open. */
  async close(): Promise<void> {
    await Promise.all(this.all.map((cluster) => cluster.close()));
  }

  /** Writes the waiting events of every cluster for at most this many milliseconds. */
  async closeEvents(milliseconds: number): Promise<void> {
    await Promise.all(this.all.map(({ events }) => events.close(milliseconds)));
  }
}

function checkName(name: unknown): void {
  if (isClusterName(name)) return;
  const reason =
    'must be names of letters, digits, - _ . joined by / or :, of at most 512 characters';
  throw invalidOption('addCluster.name', reason);
}

/** Calls `undo` if the creation throws. */
function createdOr<Value>(undo: () => void, create: () => Value): Value {
  try {
    return create();
  } catch (error) {
    undo();
    throw error;
  }
}
