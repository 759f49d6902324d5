import type { Fleet, FleetCluster } from '../source-set/source-factory.ts';
import type { ShardGate } from '../run/shard-gate.ts';

/** The clusters of a manager, of which a controller watches those whose requests run in this replica. */
export class ShardedFleet implements Fleet {
  readonly #all: Fleet;
  readonly #shards: ShardGate | undefined;

  /** Without `shards` all requests run in this process. */
  constructor(all: Fleet, shards: ShardGate | undefined) {
    this.#all = all;
    this.#shards = shards;
  }

  get present(): readonly FleetCluster[] {
    return this.#all.present.filter((cluster) => this.has(cluster));
  }

  /** All clusters of the manager that are not being removed. */
  get all(): readonly FleetCluster[] {
    return this.#all.present;
  }

  find(name: string): FleetCluster | undefined {
    return this.#all.find(name);
  }

  /** True if the requests of a cluster run in this replica, or may run in it. */
  has({ name }: FleetCluster): boolean {
    const slot = this.#shards?.slotOfCluster(name);
    if (slot === undefined) return true;
    const place = this.#shards?.placeOf(slot);
    return place === 'here' || place === 'soon';
  }

  /** The clusters whose requests belong to these slots. */
  of(slots: ReadonlySet<number>): readonly FleetCluster[] {
    return this.#all.present.filter(({ name }) => {
      const slot = this.#shards?.slotOfCluster(name);
      return slot !== undefined && slots.has(slot);
    });
  }
}
