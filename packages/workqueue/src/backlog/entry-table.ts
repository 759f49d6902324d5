import type { Origin } from './origin.ts';

/** The place of a slot. A key that is only held has no entry: `nowhere`. */
export const Place = {
  nowhere: 0,
  /** In the delay heap, until its deadline. */
  waiting: 1,
  /** In the list of its priority. */
  listed: 2,
  /** Ready, but skipped because its key was locked: outside of the list until `done`. */
  skipped: 3,
  /** In the list of free slots, which belong to no key. */
  free: 4,
} as const;

/** A table of at most this many rows does not shrink, because it would soon grow again. */
const KEPT_ROWS = 1024;

/** A table shrinks when it has this many times as many rows as it uses: few rows then move. */
const SPARSE_FACTOR = 32;

/**
 * Columns shrink when they have this many times as many elements as the table has rows: copying
 * more would block the event loop.
 */
const UNUSED_FACTOR = 16;

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
  place: Uint8Array = new Uint8Array(16);
  priority: Float64Array = new Float64Array(16);
  /** The time when the entry became ready, in ms of the queue's clock. */
  readyAt: Float64Array = new Float64Array(16);
  /** Increases with every entry that is queued: the order among equal entries. */
  order: Float64Array = new Float64Array(16);
  /** The row of `HeldItems` while a worker holds the key; 0 for a key that is not locked. */
  held: Int32Array = new Int32Array(16);
  /** The neighbours in the list of a priority, or in the list of free slots. */
  next: Int32Array = new Int32Array(16);
  previous: Int32Array = new Int32Array(16);
  /** The index in the delay heap while the entry waits. */
  heapIndex: Int32Array = new Int32Array(16);
  /** The slot of every key that is queued or held. */
  readonly #slots = new Map<unknown, number>();
  #stamps = 0;
  #used = 0;
  /** Slots of keys. The size of the map costs a call. */
  #live = 0;
  /** The slot that was freed last; -1 without a free slot. It is reused first. */
  #free = -1;
  /** The slot that was freed first. It is probably far from the last row. */
  #oldestFree = -1;

  /** The number of rows: every slot is below it. */
  get size(): number {
    return this.#used;
  }

  /** True if a large table is almost empty. */
  get isSparse(): boolean {
    return this.#used > KEPT_ROWS && this.#live * SPARSE_FACTOR < this.#used;
  }

  /** Returns the slot of a key that is queued or held. */
  slotOf(key: unknown): number | undefined {
    return this.#slots.get(key);
  }

  /** True if the key of the slot is queued, and not only held. */
  hasEntry(slot: number): boolean {
    const place = this.place[slot];
    return place !== Place.nowhere && place !== Place.free;
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
    this.clear(slot);
    this.place[slot] = Place.free;
    this.next[slot] = this.#free;
    if (this.#free === -1) this.#oldestFree = slot;
    else this.previous[this.#free] = slot;
    this.#free = slot;
  }

  /** Creates the entry of a slot; it is still `nowhere`. */
  fill(
    slot: number,
    item: Item,
    priority: number,
    origin: Origin<Cause, Source> | undefined,
  ): void {
    this.items[slot] = item;
    this.priority[slot] = priority;
    this.origins[slot] = origin;
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
   * Removes the last row of a sparse table. The data of a key moves to a free slot, which is
   * returned: other data with the old slot, the new `size`, must be changed. Returns -1 if the row
   * was free.
   */
  dropLastRow(): number {
    const last = this.#used - 1;
    const isFree = this.place[last] === Place.free;
    const target = isFree ? last : this.#oldestFree;
    this.#unlinkFree(target);
    if (!isFree) this.#copyRow(last, target);
    this.place[last] = Place.nowhere;
    this.#used = last;
    if (last * UNUSED_FACTOR <= this.place.length) this.#shrinkColumns();
    return isFree ? -1 : target;
  }

  #shrinkColumns(): void {
    this.#resize((this.place.length / UNUSED_FACTOR) * 2);
    this.keys.length = this.#used;
    this.items.length = this.#used;
    this.origins.length = this.#used;
  }

  #copyRow(from: number, to: number): void {
    this.#slots.set(this.keys[from], to);
    this.keys[to] = this.keys[from];
    this.items[to] = this.items[from];
    this.origins[to] = this.origins[from];
    this.place[to] = this.place[from] as number;
    this.priority[to] = this.priority[from] as number;
    this.readyAt[to] = this.readyAt[from] as number;
    this.order[to] = this.order[from] as number;
    this.held[to] = this.held[from] as number;
    this.next[to] = this.next[from] as number;
    this.previous[to] = this.previous[from] as number;
    this.heapIndex[to] = this.heapIndex[from] as number;
    this.keys[from] = undefined;
    this.items[from] = undefined;
    this.origins[from] = undefined;
    this.held[from] = 0;
  }

  #reuse(): number {
    const slot = this.#free;
    this.#unlinkFree(slot);
    this.place[slot] = Place.nowhere;
    return slot;
  }

  #unlinkFree(slot: number): void {
    const next = this.next[slot] as number;
    const previous = slot === this.#free ? -1 : (this.previous[slot] as number);
    if (previous === -1) this.#free = next;
    else this.next[previous] = next;
    if (next === -1) this.#oldestFree = previous;
    else this.previous[next] = previous;
  }

  #append(): number {
    if (this.#used === this.place.length) this.#resize(this.#used * 2);
    return this.#used++;
  }

  #resize(capacity: number): void {
    this.place = resized(this.place, new Uint8Array(capacity), this.#used);
    this.priority = resized(this.priority, new Float64Array(capacity), this.#used);
    this.readyAt = resized(this.readyAt, new Float64Array(capacity), this.#used);
    this.order = resized(this.order, new Float64Array(capacity), this.#used);
    this.held = resized(this.held, new Int32Array(capacity), this.#used);
    this.next = resized(this.next, new Int32Array(capacity), this.#used);
    this.previous = resized(this.previous, new Int32Array(capacity), this.#used);
    this.heapIndex = resized(this.heapIndex, new Int32Array(capacity), this.#used);
  }
}

type AnyColumn = Uint8Array | Float64Array | Int32Array;

function resized<Column extends AnyColumn>(from: Column, to: Column, rows: number): Column {
  to.set(from.subarray(0, rows));
  return to;
}
