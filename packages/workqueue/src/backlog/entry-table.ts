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
  /** Rows in use. The size of the map costs a call. */
  #live = 0;
  /** With this many live rows or fewer the table is sparse; -1 for a table that is never made smaller. */
  #sparseRows = -1;
  #free = -1;

  /** The number of slots that were ever used: every used slot is below it. */
  get size(): number {
    return this.#used;
  }

  /** True if a large table is almost empty. */
  get isSparse(): boolean {
    return this.#live <= this.#sparseRows;
  }

  /** Returns the slot of a key that is queued or held. */
  slotOf(key: unknown): number | undefined {
    return this.#slots.get(key);
  }

  allocate(key: unknown): number {
    const slot = this.#free === -1 ? this.#append() : this.#reuse();
    this.keys[slot] = key;
    this.#slots.set(key, slot);
    this.#live += 1;
    return slot;
  }

  /** Frees the slot and drops all its references, so that nothing keeps the item alive. */
  release(slot: number): void {
    this.#slots.delete(this.keys[slot]);
    this.#live -= 1;
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
    const slots = this.#liveSlots();
    const moved = new Int32Array(this.#used).fill(-1);
    for (let slot = 0; slot < slots.length; slot += 1) {
      const before = slots[slot] as number;
      moved[before] = slot;
      this.#slots.set(this.keys[before], slot);
    }
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

  /** Ascending, so that every row moves down. */
  #liveSlots(): Int32Array {
    const slots = new Int32Array(this.#live);
    let index = 0;
    for (const slot of this.#slots.values()) slots[index++] = slot;
    return slots.toSorted();
  }

  #compactColumns(slots: Int32Array, capacity: number): void {
    this.place = picked(this.place, new Uint8Array(capacity), slots);
    this.priority = picked(this.priority, new Float64Array(capacity), slots);
    this.readyAt = picked(this.readyAt, new Float64Array(capacity), slots);
    this.order = picked(this.order, new Float64Array(capacity), slots);
    this.next = picked(this.next, new Int32Array(capacity), slots);
    this.previous = picked(this.previous, new Int32Array(capacity), slots);
    this.heapIndex = picked(this.heapIndex, new Int32Array(capacity), slots);
    this.#sparseRows = sparseRows(capacity);
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
    this.#sparseRows = sparseRows(capacity);
  }
}

type AnyColumn = Uint8Array | Float64Array | Int32Array;

function grown<Column extends AnyColumn>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}

function picked<Column extends AnyColumn>(from: Column, to: Column, slots: Int32Array): Column {
  for (let index = 0; index < slots.length; index += 1) {
    to[index] = from[slots[index] as number] as number;
  }
  return to;
}

/** Keeps the elements of these ascending slots, in the same array. */
function keepOnly(column: unknown[], slots: Int32Array): void {
  for (let index = 0; index < slots.length; index += 1) {
    column[index] = column[slots[index] as number];
  }
  column.length = slots.length;
}

function sparseRows(capacity: number): number {
  return capacity > KEPT_ROWS ? capacity / SPARSE_FACTOR : -1;
}

function capacityFor(rows: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(rows, 1)));
}
