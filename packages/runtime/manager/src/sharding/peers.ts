import type { Ring } from './ring.ts';
import type { ShardRecord } from './shard-record.ts';
import { SlotSet } from './slot-set.ts';

/** The Leases of all replicas at one moment, by the names of the Leases. */
export type ShardStates<
  Stored extends { readonly record: ShardRecord } = { readonly record: ShardRecord },
> = ReadonlyMap<string, Stored>;

interface Peer {
  record: ShardRecord;
  /** The local time at which this record was first observed. */
  since: number;
  /** False once the Lease was deleted. Its claims count until its period has passed, because it may be a mistake. */
  isPresent: boolean;
}

/**
 * The other replicas, as this one observes them. The clocks of other processes are not compared: a Lease has expired
 * when its record has not changed for its duration by the local clock.
 *
 * A watch may be late, so the time of this comparison is not the present. It is the start of the latest own write that
 * the observed states contain: they contain every renewal that the server stored before it.
 */
export class Peers {
  readonly #scheme: string;
  readonly #peers = new Map<string, Peer>();
  /** The local time up to which the observed states are complete. */
  #completeAt = -Infinity;

  constructor(scheme: string) {
    this.#scheme = scheme;
  }

  /** Records a state of all other Leases that was observed at `now` and is complete up to `completeAt`. */
  observe(states: ShardStates, now: number, completeAt: number): void {
    this.#completeAt = completeAt;
    for (const [name, { record }] of states) this.#observe(name, record, now);
    for (const [name, peer] of this.#peers) {
      peer.isPresent = states.has(name);
      // A replica that leaves gives up its slots first, so its deletion ends its membership at once.
      const isOver = peer.record.slots.isEmpty || this.#hasExpired(peer);
      if (!peer.isPresent && isOver) this.#peers.delete(name);
    }
  }

  /** The names of the live replicas that share the ring. */
  get members(): readonly string[] {
    return this.#live()
      .filter(([, { isPresent, record }]) => {
        return isPresent && !record.leaving && record.scheme === this.#scheme;
      })
      .map(([name]) => name);
  }

  /** The slots that live replicas claim. A claim of a replica with another scheme covers keys of every slot. */
  claims(): SlotSet {
    const claims = new SlotSet();
    for (const [, { record }] of this.#live()) {
      if (record.slots.isEmpty) continue;
      claims.addAll(record.scheme === this.#scheme ? record.slots : SlotSet.all());
    }
    return claims;
  }

  /**
   * The slots that one other replica has to itself: their owner in the ring claims them, and no other live replica
   * does. `own`: the claims of this replica. All slots while a replica of another scheme claims any.
   */
  settled({ slotsOf }: Ring, own: SlotSet): SlotSet {
    const settled = new SlotSet();
    const claimed = new SlotSet();
    const contested = new SlotSet();
    claimed.addAll(own);
    for (const [name, { record }] of this.#live()) {
      const { scheme, slots } = record;
      if (slots.isEmpty) continue;
      if (scheme !== this.#scheme) return SlotSet.all();
      contested.addAll(claimed.and(slots));
      claimed.addAll(slots);
      const wanted = slotsOf.get(name);
      if (wanted !== undefined) settled.addAll(slots.and(wanted));
    }
    return settled.without(contested);
  }

  /** The identities of the live replicas that claim a slot: one, or several while it moves. */
  claimantsOf(slot: number): readonly string[] {
    return this.#live().flatMap(([, { record }]) => {
      const claims =
        record.scheme === this.#scheme ? record.slots.has(slot) : !record.slots.isEmpty;
      return claims ? [record.identity] : [];
    });
  }

  /**
   * True if a live replica of another scheme claims slots and joined before this one. This replica then claims none: of
   * two schemes, that of the older replicas is in force until they have left.
   */
  precede(joinedAt: string): boolean {
    return this.#live().some(([, { record }]) => {
      const { scheme, slots, acquireTime } = record;
      return scheme !== this.#scheme && !slots.isEmpty && acquireTime < joinedAt;
    });
  }

  /** The names of the Leases that have expired and exist. */
  get expired(): readonly string[] {
    const all = [...this.#peers];
    return all.filter(([, peer]) => peer.isPresent && this.#hasExpired(peer)).map(([name]) => name);
  }

  #observe(name: string, record: ShardRecord, now: number): void {
    const known = this.#peers.get(name);
    if (known?.record.sequence === record.sequence && known.record.renewTime === record.renewTime)
      return;
    this.#peers.set(name, { record, since: now, isPresent: true });
  }

  #live(): readonly [name: string, peer: Peer][] {
    return [...this.#peers].filter(([, peer]) => !this.#hasExpired(peer));
  }

  #hasExpired({ record, since }: Peer): boolean {
    return this.#completeAt - since >= record.durationSeconds * 1000;
  }
}
