import { Place, type EntryTable } from './entry-table.ts';

// Slots come from the table, hence the `as number`s on its columns.

/** The line of one priority: a list through the table's `next` and `previous`. */
interface Level {
  readonly priority: number;
  head: number;
  tail: number;
  /** Ready entries of this priority, those that were passed over included. */
  depth: number;
}

/** Empty levels that are kept because their priority is likely to come back. */
const spareLevels = 64;

/**
 * The ready entries: one line per priority. Which entry goes out next is decided here and nowhere
 * else. Adding and taking cost the same whatever is queued: an entry whose key is locked leaves
 * the line when it reaches the front, and `unlock` puts it back in its old place.
 */
export class ReadyLevels {
  readonly #table: EntryTable<unknown, unknown, unknown>;
  readonly #byPriority = new Map<number, Level>();
  /** Ascending, so that the best level is the last. */
  #ascending: Level[] = [];
  /** Number of levels at which empty ones are swept out. */
  #sweepAt = spareLevels;
  #length = 0;
  #available = 0;

  constructor(table: EntryTable<unknown, unknown, unknown>) {
    this.#table = table;
  }

  /** Ready entries. */
  get length(): number {
    return this.#length;
  }

  /** Ready entries whose key is not locked: what `take` can hand out. */
  get available(): number {
    return this.#available;
  }

  /** Ready entries by priority, highest first; empty levels are left out. */
  depths(): Map<number, number> {
    const filled = this.#ascending.toReversed().filter((level) => level.depth > 0);
    return new Map(filled.map((level) => [level.priority, level.depth]));
  }

  /** Puts an entry at the end of the line of its priority. */
  push(slot: number): void {
    const level = this.#level(this.#table.priority[slot] as number);
    level.depth += 1;
    this.#length += 1;
    this.#table.stamp(slot);
    if (!this.#isLocked(slot)) this.#available += 1;
    this.#link(level, slot, level.tail, -1);
  }

  /** Takes the best entry whose key is not locked off its line; -1 when there is none. */
  take(): number {
    if (this.#available === 0) return -1;
    this.#dropEmptyTop();
    for (let index = this.#ascending.length - 1; index >= 0; index -= 1) {
      const slot = this.#firstUnlocked(this.#ascending[index] as Level);
      if (slot === -1) continue;
      this.remove(slot);
      return slot;
    }
    throw new Error('workqueue: entries are counted as available but none is in a line');
  }

  /** Takes an entry off, wherever it stands. */
  remove(slot: number): void {
    const level = this.#level(this.#table.priority[slot] as number);
    level.depth -= 1;
    this.#length -= 1;
    if (!this.#isLocked(slot)) this.#available -= 1;
    if (this.#table.place[slot] === Place.lined) this.#unlink(level, slot);
    this.#table.place[slot] = Place.nowhere;
  }

  /** To be called after the lock of a ready entry's key is gone. */
  unlock(slot: number): void {
    this.#available += 1;
    if (this.#table.place[slot] === Place.lined) return;
    const level = this.#level(this.#table.priority[slot] as number);
    const { order, next } = this.#table;
    // Only entries that were passed over and unlocked like this one can stand before it.
    let after = level.head;
    while (after !== -1 && (order[after] as number) < (order[slot] as number)) {
      after = next[after] as number;
    }
    const before = after === -1 ? level.tail : (this.#table.previous[after] as number);
    this.#link(level, slot, before, after);
  }

  /** Follows the table after its rows moved. */
  renumber(moved: Int32Array): void {
    for (const level of this.#ascending) {
      level.head = moved[level.head] ?? -1;
      level.tail = moved[level.tail] ?? -1;
    }
  }

  #isLocked(slot: number): boolean {
    return this.#table.held[slot] !== undefined;
  }

  #firstUnlocked(level: Level): number {
    while (level.head !== -1 && this.#isLocked(level.head)) {
      const slot = level.head;
      this.#unlink(level, slot);
      this.#table.place[slot] = Place.passed;
    }
    return level.head;
  }

  #link(level: Level, slot: number, before: number, after: number): void {
    const { next, previous, place } = this.#table;
    place[slot] = Place.lined;
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
    const known = this.#byPriority.get(priority);
    if (known === undefined) return this.#addLevel(priority);
    return known;
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

  /** Keeps `take` from walking over emptied levels when there were very many. */
  #dropEmptyTop(): void {
    while (this.#ascending.length > spareLevels && this.#ascending.at(-1)?.depth === 0) {
      this.#byPriority.delete((this.#ascending.pop() as Level).priority);
    }
  }

  #sweep(): void {
    this.#ascending = this.#ascending.filter((level) => level.depth > 0);
    this.#byPriority.clear();
    for (const level of this.#ascending) this.#byPriority.set(level.priority, level);
    this.#sweepAt = Math.max(spareLevels, 2 * this.#ascending.length);
  }
}
