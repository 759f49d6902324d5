import assert from 'node:assert/strict';
import { ringOf } from '../sharding/ring.ts';
import { finalized, SLOTS } from '../sharding/slots.ts';
import { LeaseWorld } from './lease-world.test-support.ts';
import { ownersIn, Replica, ShardServer } from './shard-world.test-support.ts';

/** After this time without faults every slot has an owner: a Lease, the renewal after it, and the handover. */
const QUIET_MS = 40_000;

/** A simulation of replicas that join, leave and fail. The seed decides everything. */
export class ShardSimulation {
  readonly world: LeaseWorld;
  readonly server: ShardServer;
  readonly #random: () => number;
  readonly #most: number;
  #named = 0;

  /** `most`: the number of replicas from which on none joins. */
  constructor(seed: number, most: number = 6) {
    let state = seed;
    this.#most = most;
    this.#random = () => {
      state = (state + 0x9e3779b9) | 0;
      return finalized(state) / 2 ** 32;
    };
    this.world = new LeaseWorld(this.#random);
    this.server = new ShardServer(this.world);
  }

  get alive(): Replica[] {
    return this.server.replicas.filter(({ isAlive, member }) => isAlive && !member.signal.aborted);
  }

  join(): Replica {
    this.#named += 1;
    return new Replica(this.world, this.server, `r-${this.#named}-${this.#random()}`);
  }

  /** Lets one of the replicas, the network or the server fail, or changes the replicas. */
  act(): void {
    const { world, server, alive } = this;
    const replica = alive[Math.floor(this.#random() * alive.length)];
    const milliseconds = this.#random() * 25_000;
    const later = (act: () => void): void => void world.after(milliseconds, act);
    if (replica === undefined) return void this.join();
    const actions: (() => void)[] = [
      () => alive.length < this.#most && this.join(),
      () => replica.leave(),
      () => replica.kill(),
      () => replica.process.stall(milliseconds),
      () => {
        replica.process.partitioned = true;
        later(() => {
          replica.process.partitioned = false;
          replica.reconnect();
        });
      },
      () => {
        replica.isWatchFrozen = true;
        later(() => {
          replica.isWatchFrozen = false;
          replica.reconnect();
        });
      },
      () => (replica.process.wallSkew = (this.#random() - 0.5) * 1e9),
      () => {
        server.slowness = this.#random() * 8_000;
        later(() => (server.slowness = 0));
      },
      () => {
        server.loss = this.#random() * 0.5;
        later(() => (server.loss = 0));
      },
      () => {
        server.isFrozen = true;
        world.after(milliseconds / 2, () => this.#thaw());
      },
      () => replica.reconnect(),
    ];
    actions[Math.floor(this.#random() * actions.length)]?.();
  }

  #thaw(): void {
    this.server.isFrozen = false;
    for (const replica of this.alive) replica.reconnect();
  }

  /** Ends all faults, and waits until nothing changes. */
  async settle(): Promise<void> {
    const { server, world } = this;
    server.loss = 0;
    server.slowness = 0;
    server.isFrozen = false;
    for (const replica of this.alive) {
      replica.process.partitioned = false;
      replica.isWatchFrozen = false;
      replica.reconnect();
    }
    // Stalls end, and replicas that could not renew their Lease in time are lost.
    await world.pass(40_000);
    if (this.alive.length === 0) this.join();
    await world.pass(QUIET_MS);
  }

  /** Every slot runs in the replica to which the ring assigns it. */
  expectRing(): void {
    const { owners } = ringOf(this.alive.map(({ name }) => name));
    const wrong = ownersIn(this.server).flatMap((owner, slot) =>
      owner === owners[slot] ? [] : [`${slot}: ${owner || 'none'}, not ${owners[slot]}`],
    );
    assert.equal(wrong.length, 0, `${wrong.length} slots are not where they belong: ${wrong[0]}`);
  }
}

/** Runs a simulation with faults, then without, then lets one replica join and leave. Throws on a violation. */
export async function simulateShards(seed: number): Promise<void> {
  await simulateFaults(new ShardSimulation(seed), 1 + (Math.abs(seed) % 4));
}

/** As `simulateShards`, with so many replicas from the start on. */
export async function simulateManyShards(seed: number, replicas: number): Promise<void> {
  await simulateFaults(new ShardSimulation(seed, replicas), replicas);
}

async function simulateFaults(simulation: ShardSimulation, replicas: number): Promise<void> {
  const { world, server } = simulation;
  for (let at = 0; at < replicas; at += 1) simulation.join();
  for (let step = 0; step < 15; step += 1) {
    await world.pass(world.random() * 8_000);
    simulation.act();
  }
  await simulation.settle();
  assert.deepEqual(server.overlaps, []);
  simulation.expectRing();
  const before = ownersIn(server);
  const joined = simulation.join();
  await world.pass(10_000);
  simulation.expectRing();
  const after = ownersIn(server);
  const moves = before.filter((owner, slot) => owner !== after[slot]).length;
  assert.ok(moves / SLOTS < 1 / simulation.alive.length + 0.05, `${moves} slots moved`);
  joined.leave();
  await world.pass(10_000);
  assert.deepEqual(server.overlaps, []);
  assert.deepEqual(ownersIn(server), before);
}

/** The writes of Leases from the join or the leave of one replica until the last slot has moved. */
export interface MoveCost {
  /** The other replicas that gave or took slots. */
  readonly others: number;
  readonly writes: number;
  /** The writes that would also have come without the move. */
  readonly renewals: number;
  /** The writes of other replicas that took slots: each leads to a list of every kind, except with the mode `full`. */
  readonly lists: number;
  readonly milliseconds: number;
}

/** Counts what a number of replicas without faults, and one more that joins and leaves, costs the API server. */
export async function countShardTraffic(
  seed: number,
  replicas: number,
): Promise<{ writesPerSecond: number; join: MoveCost; leave: MoveCost }> {
  const simulation = new ShardSimulation(seed, replicas);
  const { world, server } = simulation;
  for (let at = 0; at < replicas; at += 1) {
    simulation.join();
    await world.pass(world.random() * 200);
  }
  await world.pass(20_000);
  const before = server.writes.length;
  await world.pass(20_000);
  const writesPerSecond = (server.writes.length - before) / 20;
  const newcomer = simulation.join();
  const join = await costOfMove(simulation, newcomer, simulation.alive);
  await world.pass(10_000);
  newcomer.leave();
  const rest = simulation.alive.filter((replica) => replica !== newcomer);
  return { writesPerSecond, join, leave: await costOfMove(simulation, newcomer, rest) };
}

/** Counts until each slot runs where the ring of these replicas assigns it. */
async function costOfMove(
  { world, server }: ShardSimulation,
  moving: Replica,
  members: readonly Replica[],
): Promise<MoveCost> {
  const began = world.now;
  const first = server.writes.length;
  const { owners } = ringOf(members.map(({ name }) => name));
  while (ownersIn(server).some((owner, slot) => owner !== owners[slot])) {
    assert.ok(world.now - began < QUIET_MS, 'the slots did not move');
    await world.pass(10);
  }
  const writes = server.writes.slice(first);
  const ofOthers = writes.filter(({ replica, renews }) => replica !== moving.name && !renews);
  return {
    others: new Set(ofOthers.map(({ replica }) => replica)).size,
    writes: writes.length,
    renewals: writes.filter(({ renews }) => renews).length,
    lists: ofOthers.filter(({ gains }) => gains).length,
    milliseconds: Math.round(world.now - began),
  };
}
