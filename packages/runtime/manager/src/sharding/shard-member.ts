import { isAlreadyExists, isConflict, isNotFound } from '@keelson/apimachinery';
import type { WriteGuard } from '@keelson/client';
import { ManagerError } from '../errors.ts';
import { sleep, type ElectionTime } from '../leader-election/election-time.ts';
import type { ElectionTimings } from '../leader-election/leader-elector.ts';
import { microTime } from '../leader-election/lease-record.ts';
import { RenewDeadline } from '../leader-election/renew-deadline.ts';
import type { Logger } from '../logging/logger.ts';
import { OwnWrites } from './own-writes.ts';
import { Peers, type ShardStates } from './peers.ts';
import { ringOf, type Ring } from './ring.ts';
import type { ShardRecord, StoredShard } from './shard-record.ts';
import { SlotSet } from './slot-set.ts';
import type { SlotState } from './slot-state.ts';
import { SlotTable } from './slot-table.ts';

/** Reads and writes the Leases of a sharding. Each write fails with 409 if another write came in between. */
export interface ShardLeases {
  /** `undefined` if the Lease does not exist. */
  get(name: string, signal: AbortSignal): Promise<StoredShard | undefined>;
  create(name: string, record: ShardRecord, signal: AbortSignal): Promise<StoredShard>;
  /** Replaces the record of exactly this version of the Lease. */
  update(stored: StoredShard, record: ShardRecord, signal: AbortSignal): Promise<StoredShard>;
  /** Deletes exactly this version of the Lease. */
  delete(stored: StoredShard, signal: AbortSignal): Promise<void>;
}

/** Receives the changes of the slots that this replica runs. */
export interface ShardObserver {
  /**
   * From now on requests of these slots run here. `waited`: the milliseconds since the claim, for each slot that was
   * claimed.
   */
  started(slots: readonly number[], waited: readonly number[]): void;
  /** No run of these slots begins from now on. `drained` must be called for each slot when its runs have ended. */
  draining(slots: readonly number[], drained: (slot: number) => void): void;
  /** The slots that this replica claims have changed, or those that move between others. Default: not called. */
  moved?(): void;
  /** Called when the Lease was lost, after the write guard has closed. */
  lost(error: ManagerError): void;
}

export interface ShardMemberOptions {
  /** The name of the own Lease, unique for this process. */
  readonly name: string;
  readonly identity: string;
  readonly scheme: string;
  readonly leases: ShardLeases;
  readonly timings: ElectionTimings;
  readonly time: ElectionTime;
  readonly log: Logger;
  readonly observer: ShardObserver;
}

/**
 * - `outside`: the replica observes the others.
 * - `joining`: the Lease of the replica is being created, with the slots that it claims.
 * - `member`: the replica renews its Lease, and claims, runs and drains slots.
 * - `leaving`: the replica renews its Lease, and drains all slots.
 * - `left`: the replica gave up its Lease. This state is final.
 * - `lost`: the Lease could not be renewed in time, or was deleted. This state is final.
 */
type State = 'outside' | 'joining' | 'member' | 'leaving' | 'left' | 'lost';

const NEVER = new AbortController().signal;

/**
 * One replica of a sharding. Its Lease has the slots that it claims. Every replica computes the same ring from the
 * Leases.
 *
 * A slot never runs in two replicas. A replica first writes its claim, and starts the slot when it observes a state of
 * all Leases that contains this write and no other live claim. Of two replicas that claim a slot, the later write is
 * observed together with the earlier one. A replica writes a Lease without a slot only after the last run of the slot
 * has ended. A Lease counts as expired only after its replica has closed its write guard; see `Peers`.
 */
export class ShardMember implements WriteGuard {
  readonly #options: ShardMemberOptions;
  readonly #peers: Peers;
  readonly #slots = new SlotTable();
  /** The claims of this replica in the latest observed state. */
  #observedClaims = new SlotSet();
  #settled: SlotSet = SlotSet.all();
  readonly #writes = new OwnWrites();
  readonly #end = new AbortController();
  readonly #joined = Promise.withResolvers<void>();
  #state: State = 'outside';
  #ring: Ring = ringOf([]);
  /** The own Lease as this replica wrote or read it last. */
  #stored: StoredShard | undefined;
  #acquireTime = '';
  readonly #deadline: RenewDeadline;
  /** True if the Lease is to be written before the next renewal. */
  #isDirty = false;
  #wake: () => void = () => undefined;
  #attempt: Promise<unknown> = Promise.resolve();
  /** What decided the states of the slots last. */
  #followed = '';
  /** The expired Leases that this replica deletes. */
  readonly #collecting = new Set<string>();
  #states: ShardStates<StoredShard> = new Map();

  constructor(options: ShardMemberOptions) {
    this.#options = options;
    this.#deadline = new RenewDeadline({
      time: options.time,
      limit: options.timings.renewDeadline,
      onOverdue: () => this.#expire(),
    });
    this.#peers = new Peers(options.scheme);
    this.#joined.promise.catch(() => undefined);
  }

  /** Aborts when the membership ends. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** The replicas that share the slots, as this one observes them. */
  get ring(): Ring {
    return this.#ring;
  }

  /** The states of the slots of this replica. */
  get slots(): Pick<SlotTable, 'claimed' | 'count' | 'unownedFor'> {
    return this.#slots;
  }

  /** The slots that this replica would claim if it joined now. */
  get planned(): SlotSet {
    const { name, time } = this.#options;
    if (this.#peers.precede(microTime(time.wallClock()))) return new SlotSet();
    const { owners } = ringOf([...this.#peers.members, name]);
    return new SlotSet(owners.flatMap((owner, slot) => (owner === name ? [slot] : [])));
  }

  /** Requests of the slot run here if it is `owned`. */
  stateOf(slot: number): SlotState {
    return this.#slots.stateOf(slot);
  }

  /**
   * The slots that one other replica has to itself, as this replica observes it. All slots before this replica joins, and
   * while it leaves, because it takes no slot over then.
   */
  get settled(): SlotSet {
    return this.#settled;
  }

  /** The identities of the other live replicas that claim a slot, as this one observes them. */
  claimantsOf(slot: number): readonly string[] {
    return this.#peers.claimantsOf(slot);
  }

  /** True while the write guard is open. */
  get isLive(): boolean {
    return this.#isMember && !this.#deadline.isOverdue;
  }

  /** Throws `SHARDS_LOST` unless this process may write: its Lease was renewed in time. */
  check(): void {
    if (this.#isMember && this.#deadline.isOverdue) this.#expire();
    if (this.#isMember) return;
    throw this.#end.signal.aborted ? this.#end.signal.reason : this.#error('not a member');
  }

  /** Joins the ring. Resolves when the Lease is stored. Rejects if the membership ends first. */
  join(): Promise<void> {
    this.#state = 'joining';
    this.#acquireTime = microTime(this.#options.time.wallClock());
    this.#follow();
    void this.#publishUntilEnd();
    return this.#joined.promise;
  }

  /** Drains all slots. The other replicas take them over; the Lease is kept until `end`. */
  leave(): void {
    if (this.#state === 'joining') this.#finish('left', this.#error('the replica has left'));
    if (this.#state !== 'member') return;
    this.#state = 'leaving';
    this.#publishSoon();
    this.#follow();
  }

  /**
   * Ends the membership. `isClean`: all runs have ended, so the Lease is deleted. Otherwise it expires, with the slots
   * whose runs have not ended.
   */
  async end(isClean: boolean, signal: AbortSignal): Promise<void> {
    const mayHold = this.#state !== 'lost';
    this.#finish('left', this.#error('the replica has left'));
    // A write is never aborted, because it may succeed nevertheless.
    await this.#attempt.catch(() => undefined);
    if (!mayHold || !isClean || this.#stored === undefined) return;
    this.#slots.clear();
    await this.#delete(signal);
  }

  /** Receives a state of all Leases at one moment, which a list or a watch returned. */
  observe(states: ShardStates<StoredShard>): void {
    const { name, time } = this.#options;
    const own = states.get(name)?.record;
    this.#states = states;
    const others = new Map([...states].filter(([other]) => other !== name));
    this.#observedClaims = own?.slots ?? new SlotSet();
    const completeAt = this.#writes.seen(own?.sequence ?? 0);
    this.#peers.observe(others, time.now(), completeAt);
    this.#follow();
  }

  /** Deletes the own Lease. A Lease without slots first, so that the others see that they are free. */
  async #delete(signal: AbortSignal): Promise<void> {
    const { leases, name, time, timings } = this.#options;
    for (let stored = this.#stored; stored !== undefined; stored = await leases.get(name, signal)) {
      try {
        const empty = await leases.update(stored, this.#nextRecord(), signal);
        return await leases.delete(empty, signal);
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error)) throw error;
        await sleep(time, timings.retryPeriod / 10, signal);
      }
    }
  }

  get #isMember(): boolean {
    return this.#state === 'member' || this.#state === 'leaving';
  }

  /** Moves the slots towards the ring: claims, starts and drains them. */
  #follow(): void {
    // After a suspension of the process, a response may come before the timer of the deadline.
    if (this.#isMember && this.#deadline.isOverdue) this.#expire();
    if (!this.#isMember && this.#state !== 'joining') return;
    const { name, time } = this.#options;
    const members = this.#peers.members;
    this.#useRing(this.#state === 'leaving' ? members : [...members, name]);
    const yields = this.#peers.precede(this.#acquireTime);
    const claims = this.#peers.claims();
    // Most states are renewals, which change nothing for the slots.
    const seen = this.#slots.count('claimed') === 0 ? 0 : this.#writes.latestSeen;
    const settled =
      this.#state === 'leaving'
        ? SlotSet.all()
        : this.#peers.settled(this.#ring, this.#ownClaims());
    const facts = [this.#state, yields, seen, claims, settled, ...this.#ring.replicas].join();
    if (facts === this.#followed) return this.#collect();
    this.#followed = facts;
    const change = this.#slots.follow({
      isMine: (slot) => !yields && this.#ring.owners[slot] === name,
      nextWrite: this.#writes.next,
      isConfirmed: (slot, claimedBy) =>
        this.#isMember && claimedBy <= this.#writes.latestSeen && !claims.has(slot),
      isClaimedElsewhere: (slot) => claims.has(slot),
      now: time.now(),
    });
    const hasMoved = change.publishes || String(settled) !== String(this.#settled);
    this.#settled = settled;
    if (change.publishes) this.#publishSoon();
    if (hasMoved) this.#options.observer.moved?.();
    this.#report(change);
    this.#collect();
  }

  /** The slots that this replica claims, and those that its Lease had when it was observed last. */
  #ownClaims(): SlotSet {
    const claims = this.#slots.claimed();
    claims.addAll(this.#observedClaims);
    return claims;
  }

  #useRing(members: readonly string[]): void {
    const ring = members.toSorted();
    if (ring.join() === this.#ring.replicas.join()) return;
    this.#ring = ringOf(ring);
    this.#options.log.info({ replicas: ring.length }, 'the ring has changed');
  }

  #report({ started, waited, draining }: ReturnType<SlotTable['follow']>): void {
    const { observer } = this.#options;
    if (draining.length > 0) {
      const ended = this.#slots.drains(draining);
      observer.draining(draining, (slot) => {
        if (!ended(slot)) return;
        this.#followed = '';
        this.#publishSoon();
      });
    }
    if (started.length > 0) observer.started(started, waited);
  }

  /** Deletes expired Leases, so that the next replicas need not wait for them. */
  #collect(): void {
    const { time, timings } = this.#options;
    for (const name of this.#peers.expired) {
      if (this.#collecting.has(name)) continue;
      this.#collecting.add(name);
      // At different times, because all replicas observe the expiry at about the same time.
      time.startTimer(time.random() * timings.retryPeriod, () => void this.#deleteExpired(name));
    }
  }

  async #deleteExpired(name: string): Promise<void> {
    const { leases, log } = this.#options;
    const stored = this.#states.get(name);
    try {
      if (stored === undefined || !this.#peers.expired.includes(name) || !this.#isMember) return;
      await leases.delete(stored, this.#end.signal);
      log.info({ lease: name, identity: stored.record.identity }, 'deleted an expired Lease');
    } catch (error) {
      // Another replica has deleted it, or its replica has renewed it.
      log.debug({ err: error, lease: name }, 'did not delete an expired Lease');
    } finally {
      this.#collecting.delete(name);
    }
  }

  #publishSoon(): void {
    this.#isDirty = true;
    this.#wake();
  }

  async #publishUntilEnd(): Promise<void> {
    const { time, timings } = this.#options;
    const { signal } = this.#end;
    while (!signal.aborted) {
      const began = time.now();
      const isWritten = await this.#publish();
      if (signal.aborted) return;
      const left = began + timings.retryPeriod - time.now();
      await this.#pause(Math.max(0, isWritten ? left : timings.retryPeriod), isWritten);
    }
  }

  /** Waits for the next renewal, or until the Lease is to be written before. */
  async #pause(milliseconds: number, endsEarly: boolean): Promise<void> {
    if (endsEarly && this.#isDirty) return;
    const { signal } = this.#end;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.time.startTimer(milliseconds, resolve);
    const end = (): void => resolve();
    this.#wake = endsEarly ? end : () => undefined;
    signal.addEventListener('abort', end, { once: true });
    await promise;
    cancel();
    signal.removeEventListener('abort', end);
    this.#wake = () => undefined;
  }

  /** Writes the Lease. Returns false if that failed. */
  async #publish(): Promise<boolean> {
    const { time, log } = this.#options;
    try {
      const began = time.now();
      this.#isDirty = false;
      const attempt = this.#write(began);
      this.#attempt = attempt;
      this.#stored = await attempt;
      this.#renewed(began);
      return true;
    } catch (error) {
      this.#isDirty = true;
      if (this.#end.signal.aborted) return false;
      if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return this.#read();
      log.warn({ err: error }, 'write of the Lease failed');
      return false;
    }
  }

  #write(began: number): Promise<StoredShard> {
    const { leases, name } = this.#options;
    // A Lease whose creation was not acknowledged may have expired meanwhile, or was deleted: its claims do not count.
    if (this.#state === 'joining') this.#slots.claimAgain(this.#writes.next);
    const record = this.#nextRecord(began);
    // Without a signal, because an aborted write may still succeed.
    if (this.#stored === undefined) return leases.create(name, record, NEVER);
    return leases.update(this.#stored, record, NEVER);
  }

  #nextRecord(began: number = this.#options.time.now()): ShardRecord {
    const { identity, scheme, time, timings } = this.#options;
    return {
      identity,
      durationSeconds: timings.leaseDuration / 1000,
      acquireTime: this.#acquireTime,
      renewTime: microTime(time.wallClock()),
      sequence: this.#writes.begin(began),
      scheme,
      leaving: this.#state === 'leaving' || this.#state === 'left',
      slots: this.#slots.claimed(),
    };
  }

  /** Reads the own Lease after a write was refused: an earlier write may have succeeded without a response. */
  async #read(): Promise<boolean> {
    const { leases, name, log } = this.#options;
    try {
      const before = this.#stored?.lease.metadata?.resourceVersion;
      const read = leases.get(name, NEVER);
      this.#attempt = read;
      const stored = await read;
      if (stored === undefined && this.#isMember) this.#lose('the Lease was deleted');
      this.#stored = stored;
      // A stale read would lead to the same conflict, so the next attempt waits.
      return stored?.lease.metadata?.resourceVersion !== before;
    } catch (error) {
      log.warn({ err: error }, 'read of the Lease failed');
      return false;
    }
  }

  #renewed(began: number): void {
    if (this.#state === 'lost' || this.#state === 'left') return;
    if (!this.#deadline.renewed(began)) return this.#isMember ? this.#expire() : undefined;
    if (this.#state !== 'joining') return;
    this.#state = 'member';
    this.#joined.resolve();
    this.#follow();
  }

  #expire(): void {
    this.#lose('the Lease was not renewed in time');
  }

  #lose(reason: string): void {
    if (!this.#isMember) return;
    const error = this.#error(reason);
    this.#finish('lost', error);
    this.#options.log.error({ err: error }, 'lost all slots');
    this.#options.observer.lost(error);
  }

  #finish(state: 'left' | 'lost', reason: ManagerError): void {
    if (this.#end.signal.aborted) return;
    this.#state = state;
    this.#deadline.stop();
    this.#joined.reject(reason);
    this.#end.abort(reason);
  }

  #error(reason: string): ManagerError {
    const { identity } = this.#options;
    return new ManagerError('SHARDS_LOST', { identity, reason });
  }
}
