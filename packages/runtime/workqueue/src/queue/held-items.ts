import type { EntryTable } from '../backlog/entry-table.ts';
import { HeldItem } from './held-item.ts';

/** A list of at most this many rows keeps its memory when no item is held. */
const KEPT_ROWS = 1024;

/**
 * The items that workers hold, in the order in which they were handed out. The key of a held item
 * is locked: the column `held` of the table has its row. The cost of the metrics does not depend on
 * the number of items.
 */
export class HeldItems<Item, Cause, Source> {
  readonly #table: EntryTable<Item, Cause, Source>;
  /** The list is a ring. Row 0 is its start and has no item. */
  #rows: (HeldItem<Item, Cause, Source> | undefined)[] = [undefined];
  /** The neighbours in the ring; `next` also links the free rows, the last of which has 0. */
  #next: Int32Array = new Int32Array(16);
  #previous: Int32Array = new Int32Array(16);
  #free = 0;
  /** The slot of the item that was handed out last. Another item may have the slot by now. */
  #lastSlot = 0;
  /** The number of held items. */
  size = 0;
  /**
   * The sum of `startedAt`; exactly 0 without held items, so that rounding errors do not add up.
   */
  #startedSum = 0;

  constructor(table: EntryTable<Item, Cause, Source>) {
    this.#table = table;
  }

  /** Returns the held item of a slot. */
  at(slot: number | undefined): HeldItem<Item, Cause, Source> | undefined {
    return slot === undefined ? undefined : this.#rows[this.#table.held[slot] as number];
  }

  /** Returns the held item of a key. */
  of(key: unknown): HeldItem<Item, Cause, Source> | undefined {
    return this.at(this.#table.slotOf(key));
  }

  /** Hands out the entry of a slot: it locks the key. */
  hold(slot: number, failures: number, now: number): HeldItem<Item, Cause, Source> {
    const table = this.#table;
    const held = new HeldItem<Item, Cause, Source>(
      table.items[slot] as Item,
      table.priority[slot] as number,
      failures,
      now - (table.readyAt[slot] as number),
      now,
      table.origins[slot],
    );
    table.clear(slot);
    const row = this.#free === 0 ? this.#append() : this.#free;
    if (row === this.#free) this.#free = this.#next[row] as number;
    this.#rows[row] = held;
    table.held[slot] = row;
    const last = this.#previous[0] as number;
    this.#next[last] = row;
    this.#previous[row] = last;
    this.#next[row] = 0;
    this.#previous[0] = row;
    this.size += 1;
    this.#startedSum += now;
    this.#lastSlot = slot;
    return held;
  }

  /**
   * Returns the slot of an item if it was handed out last. A worker that finishes each item before
   * it takes the next saves a search for the key.
   */
  slotIfLast(item: Item): number | undefined {
    const last = this.#rows[this.#table.held[this.#lastSlot] as number];
    return last !== undefined && last.item === item ? this.#lastSlot : undefined;
  }

  /** Unlocks the key of a slot. Returns the item that was held, if any. */
  release(slot: number): HeldItem<Item, Cause, Source> | undefined {
    const row = this.#table.held[slot] as number;
    const held = this.#rows[row];
    if (held === undefined) return undefined;
    this.#table.held[slot] = 0;
    this.#rows[row] = undefined;
    const before = this.#previous[row] as number;
    const after = this.#next[row] as number;
    this.#next[before] = after;
    this.#previous[after] = before;
    this.#next[row] = this.#free;
    this.#free = row;
    this.size -= 1;
    this.#startedSum = this.size === 0 ? 0 : this.#startedSum - held.startedAt;
    if (this.size === 0 && this.#rows.length > KEPT_ROWS) this.#freeRows();
    return held;
  }

  *[Symbol.iterator](): Generator<HeldItem<Item, Cause, Source>, void> {
    for (let row = this.#next[0] as number; row !== 0; row = this.#next[row] as number) {
      yield this.#rows[row] as HeldItem<Item, Cause, Source>;
    }
  }

  /** The sum of the times for which the items have been held, in ms. */
  unfinishedMs(now: number): number {
    return Math.max(0, this.size * now - this.#startedSum);
  }

  /**
   * How long the first item has been held, in ms. It is the longest time, because the clock never
   * goes back.
   */
  longestRunningMs(now: number): number {
    const first = this.#rows[this.#next[0] as number];
    return first === undefined ? 0 : now - first.startedAt;
  }

  #append(): number {
    const row = this.#rows.length;
    this.#rows.push(undefined);
    if (row === this.#next.length) {
      this.#next = doubled(this.#next);
      this.#previous = doubled(this.#previous);
    }
    return row;
  }

  #freeRows(): void {
    this.#rows = [undefined];
    this.#next = new Int32Array(16);
    this.#previous = new Int32Array(16);
    this.#free = 0;
  }
}

function doubled(from: Int32Array): Int32Array {
  const to = new Int32Array(from.length * 2);
  to.set(from);
  return to;
}
