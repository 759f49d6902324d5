import type { Group } from '../contract/grouping.ts';
import { isWithdrawn, Origin, type Caused } from './origin.ts';
import type { WorkItem } from '../contract/work-item.ts';

/** The place of an entry. A key that is only held is in none. A queued key has a place from `waiting` on. */
export const Place = {
  none: 0,
  /** Released by its key, and kept for the next add of this key. */
  released: 1,
  /** In the delay heap, until its deadline. */
  waiting: 2,
  /** In the list of its priority. */
  listed: 3,
  /** Ready, but skipped because its key was locked: outside of the list until `done`. */
  skipped: 4,
  /** Ready, but a consumer does not want it yet: outside of the list until `resume`. Its key is not locked. */
  suspended: 5,
} as const;

/**
 * All that the queue knows of one key: its place, its order and its lock. One object for each key keeps these facts in
 * neighbouring cache lines, and a growing queue copies nothing.
 *
 * Each member has one writer for each state of the entry. Every part may read every member.
 *
 * | Member | Written by | When |
 * |---|---|---|
 * | `item` | `EntryTable`, `clearEntry` | an add that queues the key; the item is handed out or dropped |
 * | `group` | `WorkQueue`, `clearEntry` | the same add; the item is handed out or dropped |
 * | `cause`, `causedAt`, `origin` | `WorkQueue` or `Origins`, then `Backlog` | the same add; a later add or a change of sources |
 * | `priority` | `EntryTable`, then `Backlog` | the same add; a later add with a higher priority |
 * | `place` | `DelayHeap` | it holds the entry: `waiting` |
 * | | `ReadyLevels` | it holds the entry: `listed`, `skipped` or `suspended` |
 * | | `EntryTable` | neither holds it: `none` or `released` |
 * | `at` | `DelayHeap`, then `Backlog` | the entry waits; it becomes ready |
 * | `order` | `DelayHeap`, `ReadyLevels` | an entry is pushed, from `EntryTable.stamps` |
 * | `held` | `HeldItems` | a key is locked or unlocked |
 * | `next`, `previous` | `ReadyLevels` | `listed` or `skipped` |
 * | `heapIndex` | `DelayHeap` | `waiting` |
 */
export interface Entry<Item, Cause, Source = Cause> extends Caused<Cause, Source> {
  readonly key: unknown;
  item: Item | undefined;
  /** The group of the item; `undefined` without a group. */
  group: Group;
  priority: number;
  place: (typeof Place)[keyof typeof Place];
  /** The deadline while the entry waits, and then the time when it became ready, in ms of the queue's clock. */
  at: number;
  /** Increases with every entry that is queued: the order among equal entries. */
  order: number;
  /** The item that a worker holds; `undefined` for a key that is not locked. */
  held: HeldItem<Item, Cause, Source> | undefined;
  /** The neighbours in the list of a priority, or of the released entries. */
  next: Entry<Item, Cause, Source> | undefined;
  previous: Entry<Item, Cause, Source> | undefined;
  /** The index in the delay heap while the entry waits. */
  heapIndex: number;
}

/**
 * Creates the entry of a key that is in no place. It is an object literal and not the instance of a class: V8 counts how
 * many objects of a literal survive and, if most do, allocates later ones in the old generation (pretenuring). An
 * instance of a class is copied by two minor collections first.
 */
export function createEntry<Item, Cause, Source>(key: unknown): Entry<Item, Cause, Source> {
  return {
    key,
    item: undefined,
    group: undefined,
    priority: 0,
    place: Place.none,
    // A fraction, so that V8 reserves room for fractions and does not allocate at each change.
    at: NaN,
    order: 0,
    held: undefined,
    next: undefined,
    previous: undefined,
    heapIndex: 0,
    cause: undefined,
    causedAt: 0,
    origin: undefined,
  };
}

/** Removes the item of an entry whose key may still be held. */
export function clearEntry(entry: Entry<unknown, unknown, unknown>): void {
  entry.item = undefined;
  entry.group = undefined;
  entry.cause = undefined;
  entry.origin = undefined;
  entry.place = Place.none;
}

/** Records the only cause of an add that created an entry, if there is one. `at` is its time in ms of the queue's clock. */
export function causedBy<Cause>(
  entry: Entry<unknown, Cause, unknown>,
  cause: Cause | undefined,
  at: number,
): void {
  entry.cause = cause;
  entry.causedAt = Math.floor(at);
}

/** The number of released keys up to which they keep their entries, however few keys are in use. */
const KEPT_KEYS = 1024;

/**
 * Released keys keep their entries until they are this many times as many as the keys in use. Then all of them are
 * dropped, because a new map of the keys in use costs less than a deletion of each other key.
 */
const KEPT_FACTOR = 8;

/**
 * The entries of the former map that each release examines while released keys are dropped. A large map has nine entries for
 * each key in use, so it is examined before these keys are released too. Without further releases it stays.
 */
const EXAMINED_AT_ONCE = 16;

/**
 * The entries of the keys that are queued, held, or were released a short time ago. A released key keeps its entry,
 * because keys are often added again, and a change of the map costs more than the rest of an add.
 */
export class EntryTable<Item, Cause, Source = Cause> {
  #entries: Map<unknown, Entry<Item, Cause, Source>> = new Map();
  /**
   * The map before released keys began to be dropped, until the keys in use are in the new one. Each release examines
   * some of its entries, because all of 100 000 would stop the process for 20 ms.
   */
  #former: Map<unknown, Entry<Item, Cause, Source>> | undefined = undefined;
  #unexamined: Iterator<Entry<Item, Cause, Source>> | undefined = undefined;
  /** The order of the next entry that is pushed, which is then the last one in the order of adds. */
  stamps = 0;
  /** The number of keys that are queued or held. */
  #live = 0;

  /** Returns the entry of a key that is queued, held, or was released and not dropped. */
  get(key: unknown): Entry<Item, Cause, Source> | undefined {
    return this.#entries.get(key) ?? this.#former?.get(key);
  }

  /** Returns all entries, after it has dropped the released keys that are being dropped. */
  all(): Iterable<Entry<Item, Cause, Source>> {
    this.#examine(Infinity);
    return this.#entries.values();
  }

  /** Returns the entry that queues an item under a key. `known` is what `get` returned. */
  claim(
    key: unknown,
    known: Entry<Item, Cause, Source> | undefined,
    item: Item,
    priority: number,
  ): Entry<Item, Cause, Source> {
    const entry = known ?? this.#create(key);
    if (entry.place === Place.released) {
      entry.place = Place.none;
      this.#live += 1;
      // It may be examined already, as a released one.
      if (this.#former !== undefined) this.#entries.set(key, entry);
    }
    entry.item = item;
    entry.priority = priority;
    return entry;
  }

  /**
   * Releases the entry of a key, which has no item. The entry of a key that is neither a string nor a number is dropped
   * at once, because the key may be the item.
   */
  release(entry: Entry<Item, Cause, Source>): void {
    this.#live -= 1;
    const { key } = entry;
    if (typeof key !== 'string' && typeof key !== 'number') {
      this.#entries.delete(key);
      this.#former?.delete(key);
      return;
    }
    entry.place = Place.released;
    const released = this.#entries.size - this.#live;
    if (this.#former !== undefined) this.#examine(EXAMINED_AT_ONCE);
    else if (released > KEPT_KEYS && released > this.#live * KEPT_FACTOR) this.#dropReleased();
  }

  #create(key: unknown): Entry<Item, Cause, Source> {
    const entry = createEntry<Item, Cause, Source>(key);
    this.#entries.set(key, entry);
    this.#live += 1;
    return entry;
  }

  #dropReleased(): void {
    if (this.#live > 0) {
      this.#former = this.#entries;
      this.#unexamined = this.#former.values();
    }
    this.#entries = new Map();
  }

  /** Moves the keys in use among the next entries of the former map, and drops this map after the last one. */
  #examine(count: number): void {
    for (let left = count; left > 0 && this.#unexamined !== undefined; left -= 1) {
      const { done, value: entry } = this.#unexamined.next();
      if (done === true) {
        this.#unexamined = undefined;
        this.#former = undefined;
      } else if (entry.place !== Place.released) {
        this.#entries.set(entry.key, entry);
      }
    }
  }
}

const none: readonly never[] = Object.freeze([]);

/**
 * An item that a worker holds. It is the `WorkItem` of the worker and the member of the list of held items as well, to
 * save two allocations for every hand-out.
 */
export class HeldItem<Item, Cause, Source> implements WorkItem<Item, Cause> {
  readonly item: Item;
  readonly priority: number;
  readonly failures: number;
  readonly queuedMs: number;
  readonly startedAt: number;
  /** The only cause, for which no origin is created until it is read. */
  readonly #cause: Cause | undefined;
  readonly #causedAt: number;
  #initialOrigin: Origin<Cause, Source> | undefined;
  /** The origin after sources were withdrawn; `undefined` before. */
  #reduced: Origin<Cause, Source> | undefined = undefined;
  /** True after a rate-limited add has reported the failure of this run. */
  hasFailed = false;
  /** The neighbours in the list of held items. */
  next: HeldItem<Item, Cause, Source> | undefined = undefined;
  previous: HeldItem<Item, Cause, Source> | undefined;

  /** Hands out an entry, after the item that was handed out last. */
  constructor(
    entry: Entry<Item, Cause, Source>,
    failures: number,
    now: number,
    previous: HeldItem<Item, Cause, Source> | undefined,
  ) {
    this.item = entry.item as Item;
    this.priority = entry.priority;
    this.failures = failures;
    this.queuedMs = now - entry.at;
    this.startedAt = now;
    this.#cause = entry.cause;
    this.#causedAt = entry.causedAt;
    this.#initialOrigin = entry.origin;
    this.previous = previous;
    if (previous !== undefined) previous.next = this;
  }

  get causes(): readonly Cause[] {
    if (this.#cause !== undefined) return [this.#cause];
    return this.#initialOrigin?.causes() ?? none;
  }

  get causedAt(): readonly number[] {
    if (this.#cause !== undefined) return [this.#causedAt];
    return this.#initialOrigin?.causedAt() ?? none;
  }

  /**
   * The origin at the time when the item was handed out, including sources that were withdrawn
   * later.
   */
  get initialOrigin(): Origin<Cause, Source> | undefined {
    if (this.#cause !== undefined) this.#initialOrigin ??= Origin.of(this.#cause, this.#causedAt);
    return this.#initialOrigin;
  }

  /** The origin without withdrawn sources: a retry inherits it. */
  get origin(): Origin<Cause, Source> | undefined {
    return this.#reduced ?? this.initialOrigin;
  }

  get isWithdrawn(): boolean {
    return isWithdrawn(this.#reduced);
  }

  /** Replaces the origin after sources were withdrawn. */
  reduce(origin: Origin<Cause, Source>): void {
    this.#reduced = origin;
  }
}

/**
 * The items that workers hold, in the order in which they were handed out. The key of a held item is locked: its entry
 * has the item as `held`. The cost of the metrics does not depend on the number of items.
 */
export class HeldItems<Item, Cause, Source> {
  #first: HeldItem<Item, Cause, Source> | undefined = undefined;
  #last: HeldItem<Item, Cause, Source> | undefined = undefined;
  /**
   * The entry of the item that was handed out last, until it is released. A worker that finishes each item before it
   * takes the next saves a search for the key.
   */
  lastEntry: Entry<Item, Cause, Source> | undefined = undefined;
  /** The number of held items. */
  size = 0;
  /**
   * The sum of `startedAt`; exactly 0 without held items, so that rounding errors do not add up.
   */
  #startedSum = 0;

  /** Hands out the item of an entry: it locks the key. */
  hold(
    entry: Entry<Item, Cause, Source>,
    failures: number,
    now: number,
  ): HeldItem<Item, Cause, Source> {
    const held = new HeldItem(entry, failures, now, this.#last);
    this.#first ??= held;
    this.#last = held;
    clearEntry(entry);
    entry.held = held;
    this.lastEntry = entry;
    this.size += 1;
    this.#startedSum += now;
    return held;
  }

  /** Unlocks the key of an entry. Returns the item that was held, if any. */
  release(entry: Entry<Item, Cause, Source>): HeldItem<Item, Cause, Source> | undefined {
    const { held } = entry;
    if (held === undefined) return undefined;
    entry.held = undefined;
    if (this.lastEntry === entry) this.lastEntry = undefined;
    const { next, previous } = held;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    held.next = undefined;
    held.previous = undefined;
    this.size -= 1;
    this.#startedSum = this.size === 0 ? 0 : this.#startedSum - held.startedAt;
    return held;
  }

  *[Symbol.iterator](): Generator<HeldItem<Item, Cause, Source>, void> {
    for (let held = this.#first; held !== undefined; held = held.next) yield held;
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
    return this.#first === undefined ? 0 : now - this.#first.startedAt;
  }
}
