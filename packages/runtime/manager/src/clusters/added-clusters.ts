import { checkMethods, checkOptions, invalidOption } from '@keelson/apimachinery';
import type { ClientOptions } from '@keelson/client';
import { ManagerError } from '../errors.ts';
import type { ManagerMetrics } from '../metrics/manager-metrics.ts';
import { AddedCluster, type AddedClusterOptions, type ClusterHost } from './added-cluster.ts';
import { checkCacheOptions } from './cache-options.ts';
import type { ClusterOptions } from './manager-cluster.ts';

/** The further clusters of a manager by name. */
export class AddedClusters {
  readonly #metrics: Pick<ManagerMetrics, 'cluster'>;
  readonly #shared: Pick<AddedClusterOptions, 'log' | 'origins' | 'clock'>;
  /** A cluster keeps its name until its removal has ended. */
  readonly #byName = new Map<string, AddedCluster>();

  constructor(
    metrics: Pick<ManagerMetrics, 'cluster'>,
    shared: Pick<AddedClusterOptions, 'log' | 'origins' | 'clock'>,
  ) {
    this.#metrics = metrics;
    this.#shared = shared;
  }

  /** All clusters, also those whose removal has not ended. */
  get all(): readonly AddedCluster[] {
    return [...this.#byName.values()];
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
    checkOptions(options, ['cache'], 'addCluster');
    const { cache = {} } = options;
    checkCacheOptions(cache, 'addCluster.cache');
    if (this.#byName.has(name)) throw new ManagerError('DUPLICATE_CLUSTER', { cluster: name });
    const metrics = this.#metrics.cluster(name, () => added.cache);
    const closed = (): void => void this.#byName.delete(name);
    const added = createdOr(metrics.close, () => {
      return new AddedCluster({ name, cluster, cache, host, metrics, ...this.#shared, closed });
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
    const known = this.all.filter(({ isRemoved }) => !isRemoved);
    throw new ManagerError('UNKNOWN_CLUSTER', {
      cluster: name,
      known: known.map((one) => one.name),
    });
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
  if (typeof name === 'string' && /^[A-Za-z0-9][-A-Za-z0-9_.]{0,127}$/.test(name)) return;
  throw invalidOption('addCluster.name', 'must be a name: letters, digits, - _ .');
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
