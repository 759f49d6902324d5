import type { Group } from '../contract/grouping.ts';
import type { Origin } from './origin.ts';
import { ReleasedSlots } from './released-slots.ts';

/** The place of a slot. A key that is only held has no entry: `none`. */
export const Place = {
  none: 0,
  /** In the delay heap, until its deadline. */
  waiting: 1,
  /** In the list of its priority. */
  listed: 2,
  /** Ready, but skipped because its key was locked: outside of the list until `done`. */
  skipped: 3,
  /** In the list of the slots that belong to no key. */
  free: 4,
  /** Released by its key, and kept for the next add of this key. */
  released: 5,
} as const;

/** A table of at most this many rows does not shrink, because it would soon grow again. */
const KEPT_ROWS = 1024;

/**
 * The least number of released keys that keep their slots. If more keys are in use, as many released keys keep theirs.
 */
const KEPT_KEYS = 512;

/**
 * A table shrinks when it has this many times as many rows as it uses: few rows then move, and the
 * event loop is not blocked.
 */
const SPARSE_FACTOR = 128;

/**
 * Columns of numbers and references with one row ("slot") per key that is queued or held. The
 * garbage collector does not scan typed arrays, even with a million entries, and moving an entry
 * copies nothing.
 *
 * Each column has one writer for each state of a row. Every part may read every column.
 *
 * | Column | Written by | When |
 * |---|---|---|
 * | `keys` | `EntryTable` | a key gets or loses its slot |
 * | `items` | `EntryTable` | `fill` and `clear` |
 * | `groups` | `Adds` | after `fill` |
 * | `origins` | `EntryTable`, then `Backlog` | `fill` and `clear`; a later add or a change of sources |
 * | `priority` | `EntryTable`, then `Backlog` | `fill`; a later add with a higher priority |
 * | `place` | `DelayHeap` | it holds the entry: `waiting` |
 * | | `ReadyLevels` | it holds the entry: `listed` or `skipped` |
 * | | `EntryTable` | neither holds it: `none`, `free` or `released` |
 * | `readyAt` | `Backlog` | the entry becomes ready |
 * | `order` | `DelayHeap`, `ReadyLevels` | an entry is pushed, by `stamp` |
 * | `held` | `HeldItems` | a key is locked or unlocked |
 * | `next`, `previous` | `ReadyLevels` | `listed` or `skipped` |
 * | | `ReleasedSlots` | `released` |
 * | | `EntryTable` | `free` (only `next`) |
 * | `heapIndex` | `DelayHeap` | `waiting` |
 */
export class EntryTable<Item, Cause, Source = Cause> {
  readonly keys: unknown[] = [];
  readonly items: (Item | undefined)[] = [];
  /** The causes and sources of the entry; `undefined` if no add named a cause. */
  readonly origins: (Origin<Cause, Source> | undefined)[] = [];
  /** The group of the entry; `undefined` for a queue without groups, which costs no memory. */
  readonly groups: Group[] | undefined;
  place: Uint8Array = new Uint8Array(16);
  priority: Float64Array = new Float64Array(16);
  /** The time when the entry became ready, in ms of the queue's clock. */
  readyAt: Float64Array = new Float64Array(16);
  /** Increases with every entry that is queued: the order among equal entries. */
  order: Float64Array = new Float64Array(16);
  /** The row of `HeldItems` while a worker holds the key; 0 for a key that is not locked. */
  held: Int32Array = new Int32Array(16);
  /** The neighbours in the list of a priority, or of the released slots; `next` also links the free slots. */
  next: Int32Array = new Int32Array(16);
  previous: Int32Array = new Int32Array(16);
  /** The index in the delay heap while the entry waits. */
  heapIndex: Int32Array = new Int32Array(16);
  /** The slot of every key that is queued, held or released. */
  readonly #slots = new Map<unknown, number>();
  readonly #released = new ReleasedSlots(this);
  #stamps = 0;
  /** The number of rows: every slot is below it. */
  size = 0;
  /** The number of keys that are queued or held. */
  #live = 0;
  /** The slot that was freed last, which is reused first; -1 without a free slot. */
  #free = -1;

  constructor(hasGroups: boolean = false) {
    this.groups = hasGroups ? [] : undefined;
  }

  /** True if a large table is almost empty. */
  get isSparse(): boolean {
    return this.size > KEPT_ROWS && this.#live * SPARSE_FACTOR < this.size;
  }

  /** Returns the slot of a key that is queued, held, or was released a short time ago. */
  slotOf(key: unknown): number | undefined {
    return this.#slots.get(key);
  }

  /** True if the key is queued, and not only held. */
  hasKey(key: unknown): boolean {
    const slot = this.#slots.get(key);
    return slot !== undefined && this.hasEntry(slot);
  }

  /** True if the key of the slot is queued, and not only held. */
  hasEntry(slot: number): boolean {
    const place = this.place[slot] as number;
    return place >= Place.waiting && place <= Place.skipped;
  }

  /** Returns the slot of a key that is used from now on. `known` is the result of `slotOf`. */
  claim(key: unknown, known: number | undefined): number {
    if (known === undefined) return this.allocate(key);
    if (this.place[known] === Place.released) {
      this.#released.remove(known);
      this.place[known] = Place.none;
      this.#live += 1;
    }
    return known;
  }

  /** Returns a slot for a key that has none. */
  allocate(key: unknown): number {
    const slot = this.#free === -1 ? this.#append() : this.#reuse();
    this.keys[slot] = key;
    this.#slots.set(key, slot);
    this.#live += 1;
    return slot;
  }

  /**
   * Releases the slot of a key and drops its references, so that nothing keeps the item alive. A key that is a string
   * or a number keeps its slot until enough other keys are released after it.
   */
  release(slot: number): void {
    this.clear(slot);
    this.#live -= 1;
    const key = this.keys[slot];
    if (typeof key !== 'string' && typeof key !== 'number') {
      this.#freeSlot(slot);
      return;
    }
    this.place[slot] = Place.released;
    this.#released.push(slot);
    const kept = Math.max(KEPT_KEYS, this.#live);
    while (this.#released.size > kept) this.#freeOldest();
  }

  /** Creates the entry of a slot; its place is still `none`. */
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

  /** Makes the entry the last one in the order of adds. */
  stamp(slot: number): void {
    this.order[slot] = this.#stamps++;
  }

  /** Removes the entry of a slot whose key may still be held. */
  clear(slot: number): void {
    this.items[slot] = undefined;
    this.origins[slot] = undefined;
    if (this.groups !== undefined) this.groups[slot] = undefined;
    this.place[slot] = Place.none;
  }

  /**
   * Moves all keys into the first rows and frees the remaining memory. Only keys of later rows move. Calls `onMoved`
   * with the new slot of each of them, so that the caller can replace the old slot in its own data.
   */
  compact(onMoved: (slot: number) => void): void {
    while (this.#released.size > 0) this.#freeOldest();
    const count = this.#live;
    let target = 0;
    for (const slot of this.#slots.values()) {
      if (slot < count) continue;
      while (this.place[target] !== Place.free) target += 1;
      this.#copyRow(slot, target);
      onMoved(target);
    }
    this.size = count;
    this.#free = -1;
    this.#resize(Math.max(KEPT_ROWS, capacityFor(2 * count)));
    this.keys.length = count;
    this.items.length = count;
    this.origins.length = count;
    if (this.groups !== undefined) this.groups.length = count;
  }

  #copyRow(from: number, to: number): void {
    this.#slots.set(this.keys[from], to);
    this.keys[to] = this.keys[from];
    this.items[to] = this.items[from];
    this.origins[to] = this.origins[from];
    if (this.groups !== undefined) this.groups[to] = this.groups[from];
    this.place[to] = this.place[from] as number;
    this.priority[to] = this.priority[from] as number;
    this.readyAt[to] = this.readyAt[from] as number;
    this.order[to] = this.order[from] as number;
    this.held[to] = this.held[from] as number;
    this.next[to] = this.next[from] as number;
    this.previous[to] = this.previous[from] as number;
    this.heapIndex[to] = this.heapIndex[from] as number;
  }

  #freeOldest(): void {
    const slot = this.#released.oldest;
    this.#released.remove(slot);
    this.#freeSlot(slot);
  }

  #freeSlot(slot: number): void {
    this.#slots.delete(this.keys[slot]);
    this.keys[slot] = undefined;
    this.place[slot] = Place.free;
    this.next[slot] = this.#free;
    this.#free = slot;
  }

  #reuse(): number {
    const slot = this.#free;
    this.#free = this.next[slot] as number;
    this.place[slot] = Place.none;
    return slot;
  }

  #append(): number {
    if (this.size === this.place.length) this.#resize(this.size * 2);
    return this.size++;
  }

  #resize(capacity: number): void {
    this.place = resized(this.place, new Uint8Array(capacity), this.size);
    this.priority = resized(this.priority, new Float64Array(capacity), this.size);
    this.readyAt = resized(this.readyAt, new Float64Array(capacity), this.size);
    this.order = resized(this.order, new Float64Array(capacity), this.size);
    this.held = resized(this.held, new Int32Array(capacity), this.size);
    this.next = resized(this.next, new Int32Array(capacity), this.size);
    this.previous = resized(this.previous, new Int32Array(capacity), this.size);
    this.heapIndex = resized(this.heapIndex, new Int32Array(capacity), this.size);
  }
}

type AnyColumn = Uint8Array | Float64Array | Int32Array;

function resized<Column extends AnyColumn>(from: Column, to: Column, rows: number): Column {
  to.set(from.subarray(0, rows));
  return to;
}

function capacityFor(rows: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(rows, 1)));
}
