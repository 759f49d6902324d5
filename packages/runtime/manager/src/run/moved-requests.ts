import type { ShardGate } from './shard-gate.ts';

/** A call that queues a request. */
type QueueAgain = () => void;

/**
 * The requests of one controller that wait until this replica may run their slots. Only requests of deletions and of
 * user code are kept: the others are queued again from the objects of the cache.
 */
export class MovedRequests {
  readonly #gate: ShardGate;
  readonly #waiting = new Map<string, { readonly slot: number; readonly queue: QueueAgain }>();

  constructor(gate: ShardGate) {
    this.#gate = gate;
  }

  /** True if a request runs here. Otherwise it is dropped, or kept until its slot starts. */
  admits(request: object, key: string, queue: QueueAgain | undefined): boolean {
    const slot = this.#gate.slotOf(request, key);
    const place = this.#gate.placeOf(slot);
    if (place === 'soon' && queue !== undefined) this.#waiting.set(key, { slot, queue });
    return place === 'here';
  }

  /** Queues the requests of slots that have started, and drops those of slots that moved elsewhere. */
  start(): void {
    for (const [key, { slot, queue }] of this.#waiting) {
      const place = this.#gate.placeOf(slot);
      if (place === 'soon') continue;
      this.#waiting.delete(key);
      if (place === 'here') queue();
    }
  }
}
