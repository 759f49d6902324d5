import { Place, type EntryTable } from './entry-table.ts';

// Slots come from the table, so `as number` on its columns is safe.

/** The entries of one priority: a list linked by `next` and `previous` of the table. */
interface Level {
  readonly priority: number;
  head: number;
  tail: number;
  /** The number of ready entries of this priority, including skipped ones. */
  depth: number;
}

/** The number of empty levels that are kept, because their priority is likely to be used again. */
const MAX_EMPTY_LEVELS = 64;

/**
 * The ready entries: one list per priority. Only this class decides which entry is handed out next.
 * Adding and taking have the same cost for any number of entries. A locked entry leaves the list
 * when it becomes the first, and `unlock` puts it back at its old place.
 */
export class ReadyLevels {
  readonly #table: EntryTable<unknown, unknown, unknown>;
  readonly #byPriority = new Map<number, Level>();
  /** Sorted by priority: the last level is the highest. */
  #ascending: Level[] = [];
  /** The level that was used last: most adds have the same priority. */
  #recent: Level | undefined;
  /** The number of levels at which empty ones are removed. */
  #sweepAt = MAX_EMPTY_LEVELS;
  #length = 0;
  #available = 0;

  constructor(table: EntryTable<unknown, unknown, unknown>) {
    this.#table = table;
  }

  /** The number of ready entries. */
  get length(): number {
    return this.#length;
  }

  /** The number of ready entries whose key is not locked, so that `take` can return them. */
  get available(): number {
    return this.#available;
  }

  /** The number of ready entries by priority, highest first, without empty levels. */
  depths(): Map<number, number> {
    const filled = this.#ascending.toReversed().filter((level) => level.depth > 0);
    return new Map(filled.map((level) => [level.priority, level.depth]));
  }

  /** Adds an entry at the end of the list of its priority. */
  push(slot: number): void {
    const level = this.#level(this.#table.priority[slot] as number);
    level.depth += 1;
    this.#length += 1;
    this.#table.stamp(slot);
    if (!this.#isLocked(slot)) this.#available += 1;
    this.#link(level, slot, level.tail, -1);
  }

  /** Removes and returns the best entry whose key is not locked; -1 without such an entry. */
  take(): number {
    if (this.#available === 0) return -1;
    this.#dropEmptyTop();
    for (let index = this.#ascending.length - 1; index >= 0; index -= 1) {
      const level = this.#ascending[index] as Level;
      const slot = this.#firstUnlocked(level);
      if (slot === -1) continue;
      this.#remove(level, slot);
      return slot;
    }
    throw new Error('workqueue: no list has an entry although entries are counted as available');
  }

  /** Removes an entry from any place. */
  remove(slot: number): void {
    this.#remove(this.#level(this.#table.priority[slot] as number), slot);
  }

  /** Makes a ready entry available after the lock of its key is released. */
  unlock(slot: number): void {
    this.#available += 1;
    if (this.#table.place[slot] === Place.listed) return;
    const level = this.#level(this.#table.priority[slot] as number);
    const { order, next } = this.#table;
    // Only entries that were skipped and unlocked in the same way can be before it.
    let after = level.head;
    while (after !== -1 && (order[after] as number) < (order[slot] as number)) {
      after = next[after] as number;
    }
    const before = after === -1 ? level.tail : (this.#table.previous[after] as number);
    this.#link(level, slot, before, after);
  }

  /** Links an entry again after the table has moved its row to `slot`. */
  move(slot: number): void {
    if (this.#table.place[slot] !== Place.listed) return;
    const level = this.#level(this.#table.priority[slot] as number);
    this.#link(level, slot, this.#table.previous[slot] as number, this.#table.next[slot] as number);
  }

  #remove(level: Level, slot: number): void {
    level.depth -= 1;
    this.#length -= 1;
    if (!this.#isLocked(slot)) this.#available -= 1;
    if (this.#table.place[slot] === Place.listed) this.#unlink(level, slot);
    this.#table.place[slot] = Place.none;
  }

  #isLocked(slot: number): boolean {
    return this.#table.held[slot] !== 0;
  }

  #firstUnlocked(level: Level): number {
    while (level.head !== -1 && this.#isLocked(level.head)) {
      const slot = level.head;
      this.#unlink(level, slot);
      this.#table.place[slot] = Place.skipped;
    }
    return level.head;
  }

  #link(level: Level, slot: number, before: number, after: number): void {
    const { next, previous, place } = this.#table;
    place[slot] = Place.listed;
    previous[slot] = before;
    next[slot] = after;
    if (before === -1) level.head = slot;
    else next[before] = slot;
    if (after === -1) level.tail = slot;
    else previous[after] = slot;
  }

  #unlink(level: Level, slot: number): void {
    const { next, previous } = this.#table;
    const before = previous[slot] as number;
    const after = next[slot] as number;
    if (before === -1) level.head = after;
    else next[before] = after;
    if (after === -1) level.tail = before;
    else previous[after] = before;
  }

  #level(priority: number): Level {
    if (this.#recent?.priority === priority) return this.#recent;
    this.#recent = this.#byPriority.get(priority) ?? this.#addLevel(priority);
    return this.#recent;
  }

  #addLevel(priority: number): Level {
    if (this.#ascending.length >= this.#sweepAt) this.#sweep();
    const level: Level = { priority, head: -1, tail: -1, depth: 0 };
    this.#byPriority.set(priority, level);
    this.#ascending.splice(this.#indexFor(priority), 0, level);
    return level;
  }

  #indexFor(priority: number): number {
    let low = 0;
    let high = this.#ascending.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ascending[middle] as Level).priority < priority) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Removes empty levels at the top if there are many, so that `take` does not scan them. */
  #dropEmptyTop(): void {
    while (this.#ascending.length > MAX_EMPTY_LEVELS && this.#ascending.at(-1)?.depth === 0) {
      this.#byPriority.delete((this.#ascending.pop() as Level).priority);
      this.#recent = undefined;
    }
  }

  #sweep(): void {
    this.#recent = undefined;
    this.#ascending = this.#ascending.filter((level) => level.depth > 0);
    this.#byPriority.clear();
    for (const level of this.#ascending) this.#byPriority.set(level.priority, level);
    this.#sweepAt = Math.max(MAX_EMPTY_LEVELS, 2 * this.#ascending.length);
  }
}
