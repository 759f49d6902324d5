import type { ShardGate } from './shard-gate.ts';

/**
 * Records which queued requests of one controller wait until this replica owns their slots. Only requests of deletions
 * and of user code wait: the others are queued again from the objects of the cache.
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

  /** True if a request may be queued: it runs here, or `mayWait` is true and it runs here soon. */
  admits(request: object, key: string, mayWait: boolean): boolean {
    const slot = this.#gate.slotOf(request, key);
    const place = this.#gate.placeOf(slot);
    if (place !== 'soon' || !mayWait) return place === 'here';
    this.#slots.set(key, slot);
    return true;
  }

  /** True while the request of this key waits for its slot. */
  waits(key: string): boolean {
    const slot = this.#slots.get(key);
    return slot !== undefined && this.#gate.placeOf(slot) === 'soon';
  }

  /** Records that the request of this key has left the queue. */
  left(key: string): void {
    this.#slots.delete(key);
  }

  /** Ends the waits for slots that have started, or for those that moved elsewhere. Returns the keys. */
  end(place: 'here' | 'elsewhere'): ReadonlySet<string> {
    const ended = new Set<string>();
    for (const [key, slot] of this.#slots) if (this.#gate.placeOf(slot) === place) ended.add(key);
    for (const key of ended) this.#slots.delete(key);
    return ended;
  }
}
