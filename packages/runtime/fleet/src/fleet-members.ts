import { createHash } from 'node:crypto';
import { hasCode } from '@keelson/apimachinery';
import { createClient, loadCluster, type Cluster, type ClusterSource } from '@keelson/client';
import type { Logger, Manager } from '@keelson/manager';
import type { ClusterOptions, ManagerCluster } from '@keelson/manager/clusters';
import { FleetError } from './errors.ts';

/** A cluster that a manager must have. */
export interface FleetMember {
  /** The name in the manager. */
  readonly name: string;
  /** A text that changes with the cluster: another one replaces the cluster. */
  readonly version: string;
  readonly options: ClusterOptions;
  /** Returns the cluster. An error leaves the former one in place. */
  load(): Promise<Parameters<Manager['addCluster']>[1]>;
}

/** The clusters that one provider has added, by the key of the object, file or value that describes each. */
export class FleetMembers {
  readonly #manager: Pick<Manager, 'addCluster'>;
  readonly #engaged = new Map<string, { readonly version: string; cluster: ManagerCluster }>();

  constructor(manager: Pick<Manager, 'addCluster'>) {
    this.#manager = manager;
  }

  /** True if the cluster of this key is in the manager. */
  has(key: string): boolean {
    return this.#engaged.has(key);
  }

  /**
   * Adds a cluster, or replaces it if its version or its name has changed. Calls for one key must follow each other.
   * Throws what `load` throws, and `DUPLICATE_CLUSTER`.
   */
  async set(key: string, member: FleetMember, log: Logger): Promise<void> {
    const { name, options } = member;
    const version = `${name}\n${member.version}`;
    const known = this.#engaged.get(key);
    if (known?.version === version) return;
    const source = await member.load();
    if (known !== undefined) await this.#check(known.cluster.name, member, source);
    await this.#remove(key);
    const cluster = this.#manager.addCluster(name, source, options);
    this.#engaged.set(key, { version, cluster });
    log.info({ cluster: name }, known === undefined ? 'cluster engaged' : 'cluster replaced');
  }

  /** Removes a cluster, and waits for the runs that it caused. */
  async delete(key: string, log: Logger): Promise<void> {
    const removed = await this.#remove(key);
    if (removed !== undefined) log.info({ cluster: removed }, 'cluster removed');
  }

  /** Throws what `addCluster` would throw after the removal of the former cluster, so that a failure removes nothing. */
  async #check(
    former: string,
    { name, options }: FleetMember,
    source: Parameters<Manager['addCluster']>[1],
  ): Promise<void> {
    try {
      // The removal follows at once, so that the cluster causes no run while the former one is in place.
      await this.#manager.addCluster(name, source, options).remove();
    } catch (error) {
      if (name !== former || !hasCode(error, 'DUPLICATE_CLUSTER')) throw error;
      // `addCluster` has checked the options and not the cluster, because the former one still has the name.
      await createClient({ ...options.client, cluster: source }).close();
    }
  }

  /** Returns the name of the cluster; `undefined` without one. */
  async #remove(key: string): Promise<string | undefined> {
    const known = this.#engaged.get(key);
    if (known === undefined) return undefined;
    // Before the wait: a removal that fails has removed the cluster too.
    this.#engaged.delete(key);
    await known.cluster.remove();
    return known.cluster.name;
  }
}

/** The digest of the data that describes a cluster. The data has secrets, and is not kept. */
export function versionOf(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Loads the cluster of a kubeconfig. Throws `CLUSTER_NOT_LOADED`, whose facts have no secret. */
export async function loadMember(name: string, source: ClusterSource): Promise<Cluster> {
  try {
    return await loadCluster(source);
  } catch (cause) {
    // The errors of `loadCluster` quote no values of a kubeconfig.
    const reason = hasCode(cause, 'KUBECONFIG_REFUSED') ? 'refused' : 'invalid';
    throw new FleetError('CLUSTER_NOT_LOADED', { cluster: name, reason }, { cause });
  }
}
