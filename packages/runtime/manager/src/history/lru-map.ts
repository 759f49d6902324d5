/** An entry of an `LruMap`. Only the map writes the members that are not readonly. */
export interface LruEntry<Entry> {
  readonly key: string;
  /** The neighbours in the order of their last use. */
  before: Entry | undefined;
  after: Entry | undefined;
  /** The number of the latest table that has the entry, or `REMOVED`. */
  table: number;
}

/** The table of an entry that was removed. */
const REMOVED = -1;

/** A table with fewer keys is not replaced. */
const FEW_KEYS = 64;

/**
 * A map from keys to entries in the order of their last use.
 *
 * No key of a `Map` is deleted. V8 replaces the table of a `Map` with deletions again and again, and each table refers to
 * its successor: the first of them that has become old would keep the entries of all others until the next full
 * collection. Instead a new table begins when the present one has all entries, and the one before it is dropped.
 */
export class LruMap<Entry extends LruEntry<Entry>> {
  /** Every entry that was used since this table began, also removed ones. */
  #table = new Map<string, Entry>();
  /** The entries that were used before this table began, also removed ones. */
  #earlier = new Map<string, Entry>();
  /** The number of tables before the present one. */
  #tables = 0;
  #size = 0;
  #first: Entry | undefined;
  #last: Entry | undefined;

  get size(): number {
    return this.#size;
  }

  get(key: string): Entry | undefined {
    const entry = this.#table.get(key) ?? this.#earlier.get(key);
    return entry?.table === REMOVED ? undefined : entry;
  }

  /** The entries, the one that was used last first. */
  latestFirst(): Entry[] {
    const entries: Entry[] = [];
    for (let entry = this.#last; entry !== undefined; entry = entry.before) entries.push(entry);
    return entries;
  }

  /** Adds an entry whose key the map does not have, as the last one. */
  add(entry: Entry): void {
    this.#size += 1;
    this.#append(entry);
    this.#keep(entry);
  }

  makeLast(entry: Entry): void {
    if (entry === this.#last) return;
    this.#detach(entry);
    this.#append(entry);
    if (entry.table !== this.#tables) this.#keep(entry);
  }

  /**
   * Removes the entry that was used longest ago, and returns it. The caller clears its references, because the entry
   * stays in memory until its table is dropped.
   */
  removeFirst(): Entry | undefined {
    const entry = this.#first;
    if (entry === undefined) return undefined;
    this.#detach(entry);
    entry.table = REMOVED;
    this.#size -= 1;
    return entry;
  }

  #keep(entry: Entry): void {
    const table = this.#table;
    table.set(entry.key, entry);
    entry.table = this.#tables;
    // The table has the entries that were used last: all of them, as soon as it has as many.
    if (table.size < FEW_KEYS || table.size < this.#size) return;
    this.#earlier = table;
    this.#table = new Map();
    this.#tables += 1;
  }

  #append(entry: Entry): void {
    entry.before = this.#last;
    if (this.#last === undefined) this.#first = entry;
    else this.#last.after = entry;
    this.#last = entry;
  }

  #detach(entry: Entry): void {
    const { before, after } = entry;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    entry.before = undefined;
    entry.after = undefined;
  }
}
