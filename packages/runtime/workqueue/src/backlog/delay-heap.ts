import { Place, type EntryTable } from './entry-table.ts';

// Every index is below `size`, and every slot is below the size of the table, so `as number` is
// safe. A check would cost a branch per comparison.

/** A heap of at most this many entries does not shrink, because it would soon grow again. */
const KEPT_ROWS = 1024;

/**
 * The waiting entries as a binary heap over typed arrays, sorted by deadline, then by the order of
 * their adds.
 */
export class DelayHeap {
  readonly #table: EntryTable<unknown, unknown, unknown>;
  #slots: Int32Array = new Int32Array(16);
  #deadlines: Float64Array = new Float64Array(16);
  size = 0;

  constructor(table: EntryTable<unknown, unknown, unknown>) {
    this.#table = table;
  }

  /** The earliest deadline; `Infinity` if the heap is empty. */
  get deadline(): number {
    return this.size === 0 ? Infinity : (this.#deadlines[0] as number);
  }

  push(slot: number, deadline: number): void {
    if (this.size === this.#slots.length) this.#grow();
    this.#table.place[slot] = Place.waiting;
    this.#table.stamp(slot);
    this.#rise(this.size++, slot, deadline);
  }

  /** Removes and returns the slot with the earliest deadline. The heap must not be empty. */
  pop(): number {
    const slot = this.#slots[0] as number;
    this.remove(slot);
    return slot;
  }

  deadlineOf(slot: number): number {
    return this.#deadlines[this.#table.heapIndex[slot] as number] as number;
  }

  /** Sets an earlier or later deadline. */
  reschedule(slot: number, deadline: number): void {
    const index = this.#table.heapIndex[slot] as number;
    if (deadline < (this.#deadlines[index] as number)) this.#rise(index, slot, deadline);
    else this.#sink(index, slot, deadline);
  }

  remove(slot: number): void {
    const index = this.#table.heapIndex[slot] as number;
    this.#table.place[slot] = Place.none;
    this.size -= 1;
    if (this.size * 4 < this.#slots.length && this.size >= KEPT_ROWS) this.#shrink();
    if (index === this.size) return;
    const last = this.#slots[this.size] as number;
    const deadline = this.#deadlines[this.size] as number;
    if (index > 0 && this.#precedes(last, deadline, (index - 1) >> 1)) {
      this.#rise(index, last, deadline);
    } else {
      this.#sink(index, last, deadline);
    }
  }

  /** Replaces the slot of an entry after the table has moved its row to `slot`. */
  move(slot: number): void {
    this.#slots[this.#table.heapIndex[slot] as number] = slot;
  }

  #rise(from: number, slot: number, deadline: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#precedes(slot, deadline, parent)) break;
      this.#set(index, this.#slots[parent] as number, this.#deadlines[parent] as number);
      index = parent;
    }
    this.#set(index, slot, deadline);
  }

  #sink(from: number, slot: number, deadline: number): void {
    let index = from;
    for (;;) {
      const child = this.#earlierChild(index);
      if (child === -1 || this.#precedes(slot, deadline, child)) break;
      this.#set(index, this.#slots[child] as number, this.#deadlines[child] as number);
      index = child;
    }
    this.#set(index, slot, deadline);
  }

  #earlierChild(index: number): number {
    const left = 2 * index + 1;
    if (left >= this.size) return -1;
    const right = left + 1;
    if (right >= this.size) return left;
    const slot = this.#slots[right] as number;
    return this.#precedes(slot, this.#deadlines[right] as number, left) ? right : left;
  }

  #precedes(slot: number, deadline: number, index: number): boolean {
    const other = this.#deadlines[index] as number;
    if (deadline !== other) return deadline < other;
    const { order } = this.#table;
    return (order[slot] as number) < (order[this.#slots[index] as number] as number);
  }

  #set(index: number, slot: number, deadline: number): void {
    this.#slots[index] = slot;
    this.#deadlines[index] = deadline;
    this.#table.heapIndex[slot] = index;
  }

  #grow(): void {
    const slots = new Int32Array(this.size * 2);
    const deadlines = new Float64Array(this.size * 2);
    slots.set(this.#slots);
    deadlines.set(this.#deadlines);
    this.#slots = slots;
    this.#deadlines = deadlines;
  }

  #shrink(): void {
    const capacity = this.#slots.length / 2;
    this.#slots = this.#slots.slice(0, capacity);
    this.#deadlines = this.#deadlines.slice(0, capacity);
  }
}
