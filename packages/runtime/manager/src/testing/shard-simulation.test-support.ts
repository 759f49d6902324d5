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
  #named = 0;

  constructor(seed: number) {
    let state = seed;
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
      () => alive.length < 6 && this.join(),
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
  const simulation = new ShardSimulation(seed);
  const { world, server } = simulation;
  for (let replicas = 1 + (Math.abs(seed) % 4); replicas > 0; replicas -= 1) simulation.join();
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
