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

/** A change of a cluster that is ready to be applied. */
interface Change {
  readonly version: string;
  readonly member: FleetMember;
  readonly source: Parameters<Manager['addCluster']>[1];
}

/** The members of a Secret that describe a cluster. */
interface DescribingSecret {
  readonly metadata: { readonly namespace?: string; readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
}

/** The clusters that one provider has added, by the key of the object, file or value that describes each. */
export class FleetMembers {
  readonly #manager: Pick<Manager, 'addCluster'>;
  readonly #engaged = new Map<string, { readonly version: string; cluster: ManagerCluster }>();
  /** The changes of clusters whose new names other clusters of the provider have. */
  readonly #waiting = new Map<string, Change>();
  /** The ends of the exchanges of names, by the keys that take part. */
  readonly #exchanges = new Map<string, Promise<void>>();

  constructor(manager: Pick<Manager, 'addCluster'>) {
    this.#manager = manager;
  }

  /** True if the cluster of this key is in the manager. */
  has(key: string): boolean {
    return this.#engaged.has(key);
  }

  /**
   * Adds a cluster, or replaces it if its version or its name has changed. Calls for one key must follow each other.
   * Clusters that exchange their names are replaced together, at the call for the last of them. Throws what `load`
   * throws, and `DUPLICATE_CLUSTER`.
   */
  async set(key: string, member: FleetMember, log: Logger): Promise<void> {
    await this.#exchanges.get(key);
    this.#waiting.delete(key);
    const version = `${member.name}\n${member.version}`;
    const known = this.#engaged.get(key);
    if (known?.version === version) return;
    const change = { version, member, source: await member.load() };
    const conflict = known && (await this.#conflictOf(known.cluster.name, change));
    if (conflict !== undefined) {
      this.#waiting.set(key, change);
      const circle = this.#circleOf(key);
      if (circle.length === 0) throw conflict;
      return this.#exchange(circle, log);
    }
    await this.#remove(key);
    this.#engage(key, change);
    log.info(
      { cluster: member.name },
      known === undefined ? 'cluster engaged' : 'cluster replaced',
    );
  }

  /** Removes a cluster, and waits for the runs that it caused. */
  async delete(key: string, log: Logger): Promise<void> {
    await this.#exchanges.get(key);
    this.#waiting.delete(key);
    const removed = await this.#remove(key);
    if (removed !== undefined) log.info({ cluster: removed }, 'cluster removed');
  }

  #engage(key: string, { version, member, source }: Change): void {
    const cluster = this.#manager.addCluster(member.name, source, member.options);
    this.#engaged.set(key, { version, cluster });
  }

  /**
   * Throws what `addCluster` would throw after the removal of the former cluster, so that a failure removes nothing. Returns
   * the error if another cluster has the new name.
   */
  async #conflictOf(former: string, { member, source }: Change): Promise<unknown> {
    const { name, options } = member;
    try {
      // The removal follows at once, so that the cluster causes no run while the former one is in place.
      await this.#manager.addCluster(name, source, options).remove();
    } catch (error) {
      if (!hasCode(error, 'DUPLICATE_CLUSTER')) throw error;
      // `addCluster` has checked the options and not the cluster, because another one has the name.
      await createClient({ ...options.client, cluster: source }).close();
      return name === former ? undefined : error;
    }
    return undefined;
  }

  /** The keys that pass their names on in a circle that begins with this key; an empty list without such a circle. */
  #circleOf(key: string): readonly string[] {
    const circle = [key];
    for (;;) {
      const wanted = this.#waiting.get(circle.at(-1) ?? key)?.member.name;
      const next = this.#keyOf(wanted);
      if (next === key) return circle;
      if (next === undefined || circle.includes(next)) return [];
      circle.push(next);
    }
  }

  /** The key whose cluster has this name. */
  #keyOf(name: string | undefined): string | undefined {
    const engaged = [...this.#engaged].find(([, { cluster }]) => cluster.name === name);
    return engaged?.[0];
  }

  /** Replaces clusters that exchange their names: all names are free when the first of the new clusters is added. */
  async #exchange(circle: readonly string[], log: Logger): Promise<void> {
    const changes = circle.flatMap((key) => {
      const change = this.#waiting.get(key);
      this.#waiting.delete(key);
      return change === undefined ? [] : [[key, change] as const];
    });
    const exchange = async (): Promise<void> => {
      await Promise.all(circle.map((key) => this.#remove(key)));
      for (const [key, change] of changes) this.#engage(key, change);
    };
    const done = exchange();
    const ended = done.catch(() => undefined);
    for (const key of circle) this.#exchanges.set(key, ended);
    try {
      await done;
    } finally {
      for (const key of circle) this.#exchanges.delete(key);
    }
    log.info(
      { clusters: changes.map(([, { member }]) => member.name) },
      'clusters exchanged names',
    );
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

/** The text under a key of a Secret. Throws `KUBECONFIG_KEY_MISSING`. */
export function textOf({ metadata, data = {} }: DescribingSecret, key: string): string {
  const { namespace, name } = metadata;
  const value = data[key];
  if (value === undefined) throw new FleetError('KUBECONFIG_KEY_MISSING', { namespace, name, key });
  return Buffer.from(value, 'base64').toString('utf8');
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
