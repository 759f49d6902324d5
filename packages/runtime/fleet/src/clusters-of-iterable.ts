import { checkMethods, checkOptions, ignoreRejections, invalidOption } from '@keelson/apimachinery';
import type { Controller, Manager } from '@keelson/manager';
import type { ClusterOptions } from '@keelson/manager/clusters';
import { FleetMembers } from './fleet-members.ts';
import { checkProvider, requireSync, type FleetManager } from './provider-options.ts';

/** One change of a fleet. */
export interface ClusterChange {
  /** The name of the cluster in the manager. */
  readonly name: string;
  /** The cluster, or a function that loads it; `undefined` removes the cluster. */
  readonly cluster: Parameters<Manager['addCluster']>[1] | undefined;
  readonly options?: ClusterOptions;
  /** A change with the version of the former one has no effect. Default: every change replaces the cluster. */
  readonly version?: string;
}

/** The name of a cluster whose last change is to be applied. */
export interface ChangedCluster {
  readonly name: string;
}

/** The changes of a fleet, from any source. */
export interface IterableClustersOptions {
  /** The name of the controller. Default `'fleet-clusters'`. */
  readonly name?: string;
  /**
   * Yields the changes. A function is called again after a failure, with backoff. The last change of each name applies.
   */
  readonly changes:
    | AsyncIterable<ClusterChange>
    | ((signal: AbortSignal) => AsyncIterable<ClusterChange>);
}

const WHERE = 'addClusters';

/**
 * Adds, replaces and removes clusters as an async iterable says, in every replica. A change that fails is tried again
 * with backoff. Returns the controller. Throws `INVALID_OPTION`.
 */
export function addClusters(
  manager: FleetManager,
  options: IterableClustersOptions,
): Controller<ChangedCluster> {
  checkOptions(options, ['name', 'changes'], WHERE);
  checkProvider(manager, options, WHERE, []);
  const { name = 'fleet-clusters', changes } = options;
  if (typeof changes !== 'function' && !(Symbol.asyncIterator in Object(changes))) {
    throw invalidOption(`${WHERE}.changes`, 'must be an async iterable or a function');
  }
  const members = new FleetMembers(manager);
  const latest = new Map<string, ClusterChange>();
  let count = 0;
  async function* read(signal: AbortSignal): AsyncGenerator<ChangedCluster> {
    const given = typeof changes === 'function' ? changes(signal) : changes;
    for await (const change of requireSync(given, `${WHERE}.changes`)) {
      checkMethods(change, [], `${WHERE}.changes`);
      // The run of the change reads its members.
      ignoreRejections(change);
      count += 1;
      latest.set(change.name, { version: `change ${count}`, ...change });
      yield { name: change.name };
    }
  }
  return manager.addController({
    name,
    phase: 'always',
    concurrency: 16,
    sources: [{ name: 'clusters', requests: read }],
    keyOf: ({ name: cluster }: ChangedCluster) => cluster,
    async reconcile({ name: id }: ChangedCluster, { log }) {
      const change = latest.get(id);
      const { cluster, version = '', options: own = {} } = change ?? {};
      if (cluster === undefined) {
        await members.delete(id, log);
        // A change that came during the removal has its own run.
        if (latest.get(id) === change) latest.delete(id);
        return;
      }
      const load = async (): Promise<typeof cluster> => cluster;
      await members.set(id, { name: id, version, options: own, load }, log);
    },
  });
}
