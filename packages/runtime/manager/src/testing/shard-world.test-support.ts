import { StatusError } from '@keelson/apimachinery';
import type { ElectionTime } from '../leader-election/election-time.ts';
import type { ShardStates } from '../sharding/peers.ts';
import { ShardMember, type ShardLeases } from '../sharding/shard-member.ts';
import {
  storedShard,
  withShardRecord,
  type ShardRecord,
  type StoredShard,
} from '../sharding/shard-record.ts';
import { SlotSet } from '../sharding/slot-set.ts';
import { SLOTS } from '../sharding/slots.ts';
import { createLogger } from '../logging/logger.ts';
import { LeaseWorld, VirtualProcess } from './lease-world.test-support.ts';

export const TIMINGS = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 };
const silent = createLogger({ level: 'silent' });
const nothing = (): void => undefined;
const REQUEST_TIMEOUT_MS = 5_000;

type States = ShardStates<StoredShard>;

/** A write of a Lease. A write that changes neither the slots nor the departure only renews it. */
export interface LeaseWrite {
  readonly replica: string;
  readonly gains: boolean;
  readonly gives: boolean;
  readonly renews: boolean;
}

function leaseWrite(
  replica: string,
  before: ShardRecord | undefined,
  after: ShardRecord,
): LeaseWrite {
  const former = before?.slots ?? new SlotSet();
  const gains = !former.hasAll(after.slots);
  const gives = !after.slots.hasAll(former);
  return { replica, gains, gives, renews: !gains && !gives && before?.leaving === after.leaving };
}

/** Stores the Leases of a sharding, and keeps every state for watches that are late. */
export class ShardServer {
  readonly #world: LeaseWorld;
  readonly states: States[] = [new Map()];
  readonly replicas: Replica[] = [];
  /** Milliseconds until some runs of a slot that drains have ended. */
  drainTime: () => number;
  /** The writes of Leases that succeeded. */
  readonly writes: LeaseWrite[] = [];
  /** The starts of slots that another replica ran at the same time. */
  readonly overlaps: string[] = [];
  /** The most milliseconds that a request takes to the server, and its response back. */
  slowness = 0;
  /** The probability that a request is lost, and that its response is. */
  loss = 0;
  isFrozen = false;

  constructor(world: LeaseWorld) {
    this.#world = world;
    this.drainTime = () => (world.random() < 0.5 ? 0 : world.random() * 4_000);
  }

  get state(): States {
    return this.states.at(-1) as States;
  }

  leasesFor(replica: Replica): ShardLeases {
    const request = <Result>(act: () => Result): Promise<Result> => this.#request(replica, act);
    return {
      get: (name) => request(() => this.state.get(name)),
      create: (name, record) =>
        request(() => {
          if (this.state.has(name)) throw statusOf(409, 'AlreadyExists');
          return this.#write(name, record);
        }),
      update: (stored, record) => request(() => this.#write(this.#checked(stored), record)),
      delete: (stored) =>
        request(() => {
          const name = this.#checked(stored);
          this.#change((states) => states.delete(name));
        }),
    };
  }

  latency(): number {
    return this.#world.random() * (this.slowness || 5);
  }

  #checked({ lease }: StoredShard): string {
    const { name = '', resourceVersion } = lease.metadata ?? {};
    const present = this.state.get(name);
    if (present === undefined) throw statusOf(404, 'NotFound');
    if (present.lease.metadata?.resourceVersion !== resourceVersion)
      throw statusOf(409, 'Conflict');
    return name;
  }

  #write(name: string, record: ShardRecord): StoredShard {
    const metadata = { namespace: 'default', name, resourceVersion: `${this.states.length}` };
    const stored = storedShard(withShardRecord({ metadata }, 'sharding', record));
    this.writes.push(leaseWrite(name, this.state.get(name)?.record, record));
    this.#change((states) => states.set(name, stored));
    return stored;
  }

  #change(act: (states: Map<string, StoredShard>) => unknown): void {
    const states = new Map(this.state);
    act(states);
    this.states.push(states);
    for (const replica of this.replicas) replica.follow(this.states.length - 1);
  }

  #request<Result>({ process }: Replica, act: () => Result): Promise<Result> {
    const world = this.#world;
    const [there, back] = [this.latency(), this.latency()];
    const lost = (): boolean => world.random() < this.loss;
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error('timeout'));
      const cancel = world.after(REQUEST_TIMEOUT_MS, fail, process, world.random() < 0.5);
      if (process.partitioned || lost()) return;
      const arrive = (): void => {
        // A frozen server processes the request when it continues.
        if (this.isFrozen) return void world.after(100, arrive);
        let settle: () => void;
        try {
          const result = act();
          settle = () => resolve(result);
        } catch (error) {
          settle = () => reject(error);
        }
        if (lost()) return;
        const respond = (): void => {
          if (process.partitioned) return;
          cancel();
          settle();
        };
        world.after(back, respond, process);
      };
      world.after(there, arrive);
    });
  }
}

/** The clock of a process that runs faster or slower than that of the world. */
class DriftingProcess extends VirtualProcess {
  override readonly now: () => number;
  override readonly wallClock: () => number;
  override readonly startTimer: ElectionTime['startTimer'];
  /** How wrong the wall clock is. */
  wallSkew = 0;

  constructor(world: LeaseWorld) {
    super(world);
    const rate = 0.95 + world.random() * 0.1;
    const offset = world.random() * 100_000;
    this.now = () => world.now * rate + offset;
    this.wallClock = () => Date.UTC(2026, 0, 1) + world.now + this.wallSkew;
    // Up to a microsecond late, so that a rounded time is never before the end of the timer.
    this.startTimer = (milliseconds, fire) =>
      world.after(milliseconds / rate + 0.001, fire, this, world.random() < 0.5);
  }
}

/** One process of a sharding, with runs that hold its slots for random times. */
export class Replica {
  readonly name: string;
  readonly process: DriftingProcess;
  readonly member: ShardMember;
  /** The slots that may have runs here. */
  readonly held: Set<number> = new Set();
  readonly #world: LeaseWorld;
  readonly #server: ShardServer;
  isKilled = false;
  /** True while the watch delivers nothing although requests succeed. */
  isWatchFrozen = false;
  hasLost = false;
  #deliveredAt = 0;
  /** The latest drain of each slot. */
  readonly #drains = new Map<number, object>();

  constructor(world: LeaseWorld, server: ShardServer, name: string, scheme = 'name') {
    this.name = name;
    this.#world = world;
    this.#server = server;
    this.process = new DriftingProcess(world);
    this.member = new ShardMember({
      name,
      identity: name,
      scheme,
      leases: server.leasesFor(this),
      timings: TIMINGS,
      time: this.process,
      log: silent,
      observer: {
        started: (slots) => this.#start(slots),
        draining: (slots, drained) => this.#drain(slots, drained),
        lost: () => {
          this.hasLost = true;
        },
      },
    });
    server.replicas.push(this);
    this.member.observe(server.state);
    this.member.join().catch(nothing);
  }

  get isAlive(): boolean {
    return !this.isKilled && !this.hasLost;
  }

  kill(): void {
    this.isKilled = true;
    this.process.stalledUntil = Infinity;
  }

  /** Leaves, and ends when the runs have. */
  leave(): void {
    this.member.leave();
    const end = (): void => {
      if (this.held.size > 0) return void this.#world.after(10, end, this.process);
      this.member.end(true, new AbortController().signal).then(() => this.kill(), nothing);
    };
    end();
  }

  /** Receives a state after a while, in order. */
  follow(version: number): void {
    if (this.isKilled) return;
    const lag = this.#server.latency();
    this.#deliveredAt = Math.max(this.#deliveredAt, this.#world.now + lag);
    this.#world.after(
      this.#deliveredAt - this.#world.now,
      () => this.#deliver(version),
      this.process,
    );
  }

  /** The watch begins again: it may return an earlier state first. */
  reconnect(): void {
    const { states } = this.#server;
    if (this.#world.random() < 0.3) {
      const earlier = Math.floor(this.#world.random() * states.length);
      this.follow(earlier);
    }
    this.follow(states.length - 1);
  }

  #deliver(version: number): void {
    if (this.process.partitioned || this.isWatchFrozen || this.#server.isFrozen) return;
    this.member.observe(this.#server.states[version] as States);
  }

  #start(slots: readonly number[]): void {
    for (const slot of slots) {
      for (const other of this.#server.replicas) {
        if (other === this || other.isKilled) continue;
        if (other.held.has(slot) && other.member.isLive) {
          this.#server.overlaps.push(
            `slot ${slot} starts in ${this.name}, and runs in ${other.name}`,
          );
        }
      }
      this.held.add(slot);
    }
  }

  #drain(slots: readonly number[], drained: (slot: number) => void): void {
    const drain = {};
    for (const slot of slots) this.#drains.set(slot, drain);
    // The slots of one run end together, a few later than the others.
    const groups = Map.groupBy(slots, (slot) => slot % 4);
    for (const group of groups.values()) {
      this.#world.after(
        this.#server.drainTime(),
        () => {
          for (const slot of group) {
            // Also reported if the slot was resumed meanwhile: then its new runs have not ended.
            const isLatest =
              this.#drains.get(slot) === drain && this.member.stateOf(slot) !== 'owned';
            if (isLatest) this.held.delete(slot);
            drained(slot);
          }
        },
        this.process,
      );
    }
  }
}

/** The owner of each slot; several or none are joined in one text. */
export function ownersIn(server: ShardServer): string[] {
  const live = server.replicas.filter(({ isAlive }) => isAlive);
  return Array.from({ length: SLOTS }, (_, slot) =>
    live
      .filter(({ held, member }) => held.has(slot) && member.stateOf(slot) === 'owned')
      .map(({ name }) => name)
      .join(),
  );
}

function statusOf(code: number, reason: string): StatusError {
  return new StatusError({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason });
}
