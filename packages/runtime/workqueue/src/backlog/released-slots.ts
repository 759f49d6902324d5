/** The columns of a table that link its released slots. */
interface Links {
  readonly next: Int32Array;
  readonly previous: Int32Array;
}

/**
 * The slots of keys that were released a short time ago, oldest first. Such a key keeps its slot, because keys are
 * often added again, and a change of the map of keys costs more than the rest of an add.
 */
export class ReleasedSlots {
  readonly #table: Links;
  /** The slot that was released first; -1 without a slot. */
  oldest = -1;
  #newest = -1;
  size = 0;

  constructor(table: Links) {
    this.#table = table;
  }

  push(slot: number): void {
    const { next, previous } = this.#table;
    next[slot] = -1;
    previous[slot] = this.#newest;
    if (this.#newest === -1) this.oldest = slot;
    else next[this.#newest] = slot;
    this.#newest = slot;
    this.size += 1;
  }

  remove(slot: number): void {
    // The slot is in the list, so `as number` on its links is safe.
    const before = this.#table.previous[slot] as number;
    const after = this.#table.next[slot] as number;
    if (before === -1) this.oldest = after;
    else this.#table.next[before] = after;
    if (after === -1) this.#newest = before;
    else this.#table.previous[after] = before;
    this.size -= 1;
  }
}
