import type { ShardGate } from './shard-gate.ts';

/** An add of a request that may be repeated later. */
export interface KeptAdd {
  /** The source that requested it. */
  readonly source: object;
  /** Adds the request again. Has no effect if the source was removed. */
  readonly repeat: () => void;
}

interface WaitingRequest {
  readonly slot: number;
  /** The last add of each source, because a removed source must not take the requests of the others with it. */
  readonly adds: Map<object, KeptAdd>;
}

/**
 * The requests of one controller that wait until this replica may run their slots. Only requests of deletions and of
 * user code are kept: the others are queued again from the objects of the cache.
 */
export class MovedRequests {
  readonly #gate: ShardGate;
  readonly #waiting = new Map<string, WaitingRequest>();

  constructor(gate: ShardGate) {
    this.#gate = gate;
  }

  /** True if a request runs here. Otherwise it is dropped, or kept until its slot starts. */
  admits(request: object, key: string, add: KeptAdd | undefined): boolean {
    const slot = this.#gate.slotOf(request, key);
    const place = this.#gate.placeOf(slot);
    if (place === 'soon' && add !== undefined) this.#keep(key, slot, add);
    return place === 'here';
  }

  /** Queues the requests of slots that have started, and drops those of slots that moved elsewhere. */
  start(): void {
    for (const [key, { slot, adds }] of this.#waiting) {
      const place = this.#gate.placeOf(slot);
      if (place === 'soon') continue;
      this.#waiting.delete(key);
      if (place === 'here') for (const { repeat } of adds.values()) repeat();
    }
  }

  #keep(key: string, slot: number, add: KeptAdd): void {
    const known = this.#waiting.get(key);
    const adds = known?.slot === slot ? known.adds : new Map<object, KeptAdd>();
    this.#waiting.set(key, { slot, adds: adds.set(add.source, add) });
  }
}
