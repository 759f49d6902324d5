/** An entry of an `LruMap`. Only the map writes the members other than the key, which may change while no map has the entry. */
export interface LruEntry<Entry> {
  readonly key: string;
  /** The neighbours in the order of their last use. */
  before: Entry | undefined;
  after: Entry | undefined;
  /** The hash of the key, and the next entry of the same bucket. */
  hash: number;
  next: Entry | undefined;
}

/** The number of buckets at the beginning. It is a power of two. */
const FIRST_BUCKETS = 64;

/**
 * A map from keys to entries in the order of their last use.
 *
 * It is a hash table of its own, because V8 replaces the table of a `Map` with deletions again and again, and each table
 * refers to its successor: the first of them that has become old would keep the entries of all others until the next full
 * collection. This one allocates nothing when an entry takes the place of another.
 */
export class LruMap<Entry extends LruEntry<Entry>> {
  #buckets = emptyBuckets<Entry>(FIRST_BUCKETS);
  #size = 0;
  #first: Entry | undefined;
  #last: Entry | undefined;
  /** Random, so that the users of a cluster cannot choose keys with equal hashes. */
  readonly #seed = Math.trunc(Math.random() * 0x7fff_ffff);

  get size(): number {
    return this.#size;
  }

  get(key: string): Entry | undefined {
    const hash = this.#hashOf(key);
    let entry = this.#buckets[hash & (this.#buckets.length - 1)];
    while (entry !== undefined && (entry.hash !== hash || entry.key !== key)) entry = entry.next;
    return entry;
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
    if (this.#size > this.#buckets.length) this.#double();
    entry.hash = this.#hashOf(entry.key);
    this.#put(entry);
    this.#append(entry);
  }

  makeLast(entry: Entry): void {
    if (entry === this.#last) return;
    this.#detach(entry);
    this.#append(entry);
  }

  /** Removes the entry that was used longest ago, and returns it. */
  removeFirst(): Entry | undefined {
    const entry = this.#first;
    if (entry === undefined) return undefined;
    this.#detach(entry);
    this.#take(entry);
    this.#size -= 1;
    return entry;
  }

  #put(entry: Entry): void {
    const bucket = entry.hash & (this.#buckets.length - 1);
    entry.next = this.#buckets[bucket];
    this.#buckets[bucket] = entry;
  }

  #take(entry: Entry): void {
    const bucket = entry.hash & (this.#buckets.length - 1);
    let before = this.#buckets[bucket];
    if (before === entry) this.#buckets[bucket] = entry.next;
    else {
      while (before !== undefined && before.next !== entry) before = before.next;
      if (before !== undefined) before.next = entry.next;
    }
    entry.next = undefined;
  }

  #double(): void {
    this.#buckets = emptyBuckets(this.#buckets.length * 2);
    for (let entry = this.#first; entry !== undefined; entry = entry.after) this.#put(entry);
  }

  /** FNV-1a over the units of the key. */
  #hashOf(key: string): number {
    let hash = this.#seed;
    for (let index = 0; index < key.length; index += 1) {
      hash = Math.imul(hash ^ key.charCodeAt(index), 0x0100_0193);
    }
    return hash ^ (hash >>> 15);
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

function emptyBuckets<Entry>(length: number): (Entry | undefined)[] {
  return Array.from({ length }, () => undefined);
}
