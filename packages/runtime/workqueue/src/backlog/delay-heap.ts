import { Place, type Entry, type EntryTable } from '../entries/entry-table.ts';

type AnyEntry = Entry<unknown, unknown, unknown>;

// Every index is below `size`, so `as AnyEntry` and `as number` are safe. A check would cost a branch per comparison.

/** A heap of at most this many entries does not shrink, because it would soon grow again. */
const KEPT_SIZE = 1024;

/**
 * The waiting entries as a binary heap, sorted by deadline, then by the order of their adds. The deadlines have an
 * array of their own as well, so that a comparison reads no entry.
 */
export class DelayHeap {
  readonly #table: Pick<EntryTable<unknown, unknown, unknown>, 'stamps'>;
  #entries: AnyEntry[] = [];
  #deadlines: number[] = [];
  /** The most entries since the memory of the arrays was freed. */
  #peak = 0;
  size = 0;

  constructor(table: Pick<EntryTable<unknown, unknown, unknown>, 'stamps'>) {
    this.#table = table;
  }

  /** The earliest deadline; `Infinity` if the heap is empty. */
  get deadline(): number {
    return this.size === 0 ? Infinity : (this.#deadlines[0] as number);
  }

  push(entry: AnyEntry, deadline: number): void {
    entry.place = Place.waiting;
    entry.order = this.#table.stamps++;
    this.#entries.push(entry);
    this.#deadlines.push(deadline);
    this.size += 1;
    if (this.size > this.#peak) this.#peak = this.size;
    this.#rise(this.size - 1, entry, deadline);
  }

  /** Removes and returns the entry with the earliest deadline. The heap must not be empty. */
  pop(): AnyEntry {
    const entry = this.#entries[0] as AnyEntry;
    this.remove(entry);
    return entry;
  }

  /** Sets an earlier or later deadline. */
  reschedule(entry: AnyEntry, deadline: number): void {
    const { heapIndex } = entry;
    if (deadline < entry.at) this.#rise(heapIndex, entry, deadline);
    else this.#sink(heapIndex, entry, deadline);
  }

  remove(entry: AnyEntry): void {
    const { heapIndex } = entry;
    entry.place = Place.none;
    const last = this.#entries.pop() as AnyEntry;
    const deadline = this.#deadlines.pop() as number;
    this.size -= 1;
    if (this.size >= KEPT_SIZE && this.size * 4 < this.#peak) this.#shrink();
    if (last === entry) return;
    if (heapIndex > 0 && this.#precedes(last, deadline, (heapIndex - 1) >> 1)) {
      this.#rise(heapIndex, last, deadline);
    } else {
      this.#sink(heapIndex, last, deadline);
    }
  }

  #rise(from: number, entry: AnyEntry, deadline: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#precedes(entry, deadline, parent)) break;
      this.#move(parent, index);
      index = parent;
    }
    this.#set(index, entry, deadline);
  }

  #sink(from: number, entry: AnyEntry, deadline: number): void {
    let index = from;
    for (;;) {
      const child = this.#earlierChild(index);
      if (child === -1 || this.#precedes(entry, deadline, child)) break;
      this.#move(child, index);
      index = child;
    }
    this.#set(index, entry, deadline);
  }

  #earlierChild(index: number): number {
    const left = 2 * index + 1;
    if (left >= this.size) return -1;
    const right = left + 1;
    if (right >= this.size) return left;
    const entry = this.#entries[right] as AnyEntry;
    return this.#precedes(entry, this.#deadlines[right] as number, left) ? right : left;
  }

  #precedes(entry: AnyEntry, deadline: number, index: number): boolean {
    const other = this.#deadlines[index] as number;
    if (deadline !== other) return deadline < other;
    return entry.order < (this.#entries[index] as AnyEntry).order;
  }

  #move(from: number, to: number): void {
    const entry = this.#entries[from] as AnyEntry;
    this.#entries[to] = entry;
    this.#deadlines[to] = this.#deadlines[from] as number;
    entry.heapIndex = to;
  }

  #set(index: number, entry: AnyEntry, deadline: number): void {
    this.#entries[index] = entry;
    this.#deadlines[index] = deadline;
    entry.heapIndex = index;
    entry.at = deadline;
  }

  /** Frees the memory of a peak: `pop` alone keeps the capacity of an array. */
  #shrink(): void {
    this.#entries = this.#entries.slice();
    this.#deadlines = this.#deadlines.slice();
    this.#peak = this.size;
  }
}
