import type { HeldItem } from './held-item.ts';
import type { Origin } from './origin.ts';

/** The place of the entry of a key. A key that is only held has no entry: `nowhere`. */
export const Place = {
  nowhere: 0,
  /** In the delay heap, until its deadline. */
  waiting: 1,
  /** In the list of its priority. */
  listed: 2,
  /** Ready, but skipped because its key was locked: outside of the list until `done`. */
  skipped: 3,
} as const;

/** A table of at most this many rows does not shrink, because it would soon grow again. */
const KEPT_ROWS = 1024;

/**
 * A table shrinks when it has this many times as many rows as it uses: moving the rows is then
 * cheap.
 */
const SPARSE_FACTOR = 16;

/**
 * Columns of numbers and references with one row ("slot") per key that is queued or held. The
 * garbage collector does not scan typed arrays, even with a million entries, and moving an entry
 * copies nothing.
 */
export class EntryTable<Item, Cause, Source = Cause> {
  readonly keys: unknown[] = [];
  readonly items: (Item | undefined)[] = [];
  /** The causes and sources of the entry; `undefined` if no add named a cause. */
  readonly origins: (Origin<Cause, Source> | undefined)[] = [];
  /** The item that a worker holds. It is also the lock of the key. */
  readonly held: (HeldItem<Item, Cause, Source> | undefined)[] = [];
  place: Uint8Array = new Uint8Array(16);
  priority: Float64Array = new Float64Array(16);
  /** The time when the entry became ready, in ms of the queue's clock. */
  readyAt: Float64Array = new Float64Array(16);
  /** Increases with every entry that is queued: the order among equal entries. */
  order: Float64Array = new Float64Array(16);
  /** The neighbours in the list of a priority; `next` also links the free slots. */
  next: Int32Array = new Int32Array(16);
  previous: Int32Array = new Int32Array(16);
  /** The index in the delay heap while the entry waits. */
  heapIndex: Int32Array = new Int32Array(16);
  /** The slot of every key that is queued or held. */
  readonly #slots = new Map<unknown, number>();
  #stamps = 0;
  #used = 0;
  #free = -1;

  /** The number of slots that were ever used: every used slot is below it. */
  get size(): number {
    return this.#used;
  }

  /** True if a large table is almost empty. */
  get isSparse(): boolean {
    return this.place.length > KEPT_ROWS && this.#slots.size * SPARSE_FACTOR <= this.place.length;
  }

  /** Returns the slot of a key that is queued or held. */
  slotOf(key: unknown): number | undefined {
    return this.#slots.get(key);
  }

  allocate(key: unknown): number {
    const slot = this.#free === -1 ? this.#append() : this.#reuse();
    this.keys[slot] = key;
    this.#slots.set(key, slot);
    return slot;
  }

  /** Frees the slot and drops all its references, so that nothing keeps the item alive. */
  release(slot: number): void {
    this.#slots.delete(this.keys[slot]);
    this.keys[slot] = undefined;
    this.held[slot] = undefined;
    this.clear(slot);
    this.next[slot] = this.#free;
    this.#free = slot;
  }

  /** Gives the entry the last place in the order of adds. */
  stamp(slot: number): void {
    this.order[slot] = this.#stamps++;
  }

  /** Removes the entry of a slot whose key may still be held. */
  clear(slot: number): void {
    this.items[slot] = undefined;
    this.origins[slot] = undefined;
    this.place[slot] = Place.nowhere;
  }

  /**
   * Moves the used rows together and frees the remaining memory. Returns the new slot of each old
   * one; all other data with slots must be renumbered.
   */
  compact(): Int32Array {
    const slots: number[] = [];
    const moved = new Int32Array(this.#used).fill(-1);
    this.#slots.forEach((slot) => {
      moved[slot] = slots.push(slot) - 1;
    });
    this.#slots.forEach((slot, key) => this.#slots.set(key, moved[slot] as number));
    keepOnly(this.keys, slots);
    keepOnly(this.items, slots);
    keepOnly(this.origins, slots);
    keepOnly(this.held, slots);
    this.#compactColumns(slots, Math.max(KEPT_ROWS, capacityFor(2 * slots.length)));
    for (let slot = 0; slot < slots.length; slot += 1) {
      this.next[slot] = moved[this.next[slot] as number] ?? -1;
      this.previous[slot] = moved[this.previous[slot] as number] ?? -1;
    }
    this.#used = slots.length;
    this.#free = -1;
    return moved;
  }

  #compactColumns(slots: readonly number[], capacity: number): void {
    this.place = picked(this.place, new Uint8Array(capacity), slots);
    this.priority = picked(this.priority, new Float64Array(capacity), slots);
    this.readyAt = picked(this.readyAt, new Float64Array(capacity), slots);
    this.order = picked(this.order, new Float64Array(capacity), slots);
    this.next = picked(this.next, new Int32Array(capacity), slots);
    this.previous = picked(this.previous, new Int32Array(capacity), slots);
    this.heapIndex = picked(this.heapIndex, new Int32Array(capacity), slots);
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
    this.origins.push(undefined);
    this.held.push(undefined);
    return this.#used++;
  }

  #grow(capacity: number): void {
    this.place = grown(this.place, new Uint8Array(capacity));
    this.priority = grown(this.priority, new Float64Array(capacity));
    this.readyAt = grown(this.readyAt, new Float64Array(capacity));
    this.order = grown(this.order, new Float64Array(capacity));
    this.next = grown(this.next, new Int32Array(capacity));
    this.previous = grown(this.previous, new Int32Array(capacity));
    this.heapIndex = grown(this.heapIndex, new Int32Array(capacity));
  }
}

type AnyColumn = Uint8Array | Float64Array | Int32Array;

function grown<Column extends AnyColumn>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}

function picked<Column extends AnyColumn>(
  from: Column,
  to: Column,
  slots: readonly number[],
): Column {
  for (let index = 0; index < slots.length; index += 1) {
    to[index] = from[slots[index] as number] as number;
  }
  return to;
}

/** Keeps these elements, in this order, in the same array. */
function keepOnly(column: unknown[], slots: readonly number[]): void {
  const kept = slots.map((slot) => column[slot]);
  column.length = 0;
  for (const element of kept) column.push(element);
}

function capacityFor(rows: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(rows, 1)));
}
