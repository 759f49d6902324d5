import type { WorkItem } from './work-item.ts';

/** Where the entry of a key stands. A key that is only held has no entry: `nowhere`. */
export const Place = {
  nowhere: 0,
  /** In the delay heap until its time. */
  waiting: 1,
  /** In the line of its level. */
  lined: 2,
  /** Ready, but overtaken while its key was locked: off the line until `done`. */
  passed: 3,
} as const;

/**
 * Columns of numbers and references, one row ("slot") per key that is queued or held. Typed arrays
 * keep a million entries out of the garbage collector's way, and moving an entry copies nothing.
 */
export class EntryTable<Item, Cause> {
  readonly keys: unknown[] = [];
  readonly items: (Item | undefined)[] = [];
  /** Why the entry is queued; `undefined` until a cause is known. */
  readonly causes: (readonly Cause[] | undefined)[] = [];
  /** The work handed out, while a worker holds the key: this is the lock. */
  readonly held: (WorkItem<Item, Cause> | undefined)[] = [];
  place: Uint8Array = new Uint8Array(16);
  /** 1 when something asked for the entry that its causes do not name, so that it is never purged. */
  uncaused: Uint8Array = new Uint8Array(16);
  priority: Float64Array = new Float64Array(16);
  /** When the entry became ready. */
  readyAt: Float64Array = new Float64Array(16);
  /** Grows with every entry that is queued: who came first among equals. */
  order: Float64Array = new Float64Array(16);
  /** Neighbours in the line of a level; `next` also chains the free slots. */
  next: Int32Array = new Int32Array(16);
  previous: Int32Array = new Int32Array(16);
  /** Index in the delay heap while waiting. */
  heapIndex: Int32Array = new Int32Array(16);
  #stamps = 0;
  #used = 0;
  #free = -1;

  /** Slots ever used: every slot in use is below. */
  get size(): number {
    return this.#used;
  }

  allocate(key: unknown): number {
    const slot = this.#free === -1 ? this.#append() : this.#reuse();
    this.keys[slot] = key;
    return slot;
  }

  /** Gives the slot back and drops every reference, so that nothing outlives its work. */
  release(slot: number): void {
    this.keys[slot] = undefined;
    this.held[slot] = undefined;
    this.clear(slot);
    this.next[slot] = this.#free;
    this.#free = slot;
  }

  /** Marks the entry as the last to come. */
  stamp(slot: number): void {
    this.order[slot] = this.#stamps++;
  }

  /** Ends the entry of a slot whose key may still be held. */
  clear(slot: number): void {
    this.items[slot] = undefined;
    this.causes[slot] = undefined;
    this.uncaused[slot] = 0;
    this.place[slot] = Place.nowhere;
  }

  #reuse(): number {
    const slot = this.#free;
    this.#free = this.next[slot] ?? -1;
    return slot;
  }

  #append(): number {
    if (this.#used === this.place.length) this.#grow(this.#used * 2);
    this.keys.push(undefined);
    this.items.push(undefined);
    this.causes.push(undefined);
    this.held.push(undefined);
    return this.#used++;
  }

  #grow(capacity: number): void {
    this.place = grown(this.place, new Uint8Array(capacity));
    this.uncaused = grown(this.uncaused, new Uint8Array(capacity));
    this.priority = grown(this.priority, new Float64Array(capacity));
    this.readyAt = grown(this.readyAt, new Float64Array(capacity));
    this.order = grown(this.order, new Float64Array(capacity));
    this.next = grown(this.next, new Int32Array(capacity));
    this.previous = grown(this.previous, new Int32Array(capacity));
    this.heapIndex = grown(this.heapIndex, new Int32Array(capacity));
  }
}

function grown<Column extends Uint8Array | Float64Array | Int32Array>(
  from: Column,
  to: Column,
): Column {
  to.set(from);
  return to;
}
