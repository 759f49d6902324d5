import type { CauseReason } from '../reconcile/cause.ts';
import type { ShardGate, ShardPlace } from './shard-gate.ts';

/**
 * The reasons of the requests that wait in each place. The other requests are queued again from the objects of the
 * cache. Values wait only for a slot that this replica takes over: they count for `maxPending`, so that one long run would
 * else stop the iterables of every replica.
 */
const waitingReasons: Readonly<
  Record<Exclude<ShardPlace, 'here'>, ReadonlySet<CauseReason | undefined>>
> = {
  soon: new Set(['deleted', 'manual', 'value']),
  moving: new Set(['deleted', 'manual']),
  elsewhere: new Set(),
};

/**
 * Records which queued requests of one controller wait until this replica owns their slots. Only requests of deletions
 * and of user code wait.
 */
export class MovedRequests {
  readonly #gate: ShardGate;
  /** The slots of the waiting requests, by key. */
  readonly #slots = new Map<string, number>();

  constructor(gate: ShardGate) {
    this.#gate = gate;
  }

  /** The number of requests that wait. */
  get size(): number {
    return this.#slots.size;
  }

  /** True if the request runs in this replica now. */
  runsHere(request: object, key: string): boolean {
    return this.#gate.placeOf(this.#gate.slotOf(request, key)) === 'here';
  }

  /** True if a request may be queued for this reason: it runs here, or it waits until that is decided. */
  admits(request: object, key: string, reason: CauseReason | undefined): boolean {
    const slot = this.#gate.slotOf(request, key);
    const place = this.#gate.placeOf(slot);
    if (place === 'here') return true;
    const waits = waitingReasons[place].has(reason);
    if (waits) this.#slots.set(key, slot);
    return waits;
  }

  /** True while the request of this key waits for its slot. */
  waits(key: string): boolean {
    const slot = this.#slots.get(key);
    if (slot === undefined) return false;
    const place = this.#gate.placeOf(slot);
    return place === 'soon' || place === 'moving';
  }

  /** Records that the request of this key has left the queue. */
  left(key: string): void {
    this.#slots.delete(key);
  }

  /** Ends the waits for slots that have started, or that another replica runs. Returns the keys. */
  end(place: 'here' | 'elsewhere'): ReadonlySet<string> {
    const ended = new Set<string>();
    for (const [key, slot] of this.#slots) if (this.#gate.placeOf(slot) === place) ended.add(key);
    for (const key of ended) this.#slots.delete(key);
    return ended;
  }
}
