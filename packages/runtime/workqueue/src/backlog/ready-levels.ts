import { Ageing } from './ageing.ts';
import { Place, type EntryTable } from './entry-table.ts';
import { Line } from './line.ts';
import type { WeightOf } from '../contract/grouping.ts';

// Slots come from the table, so `as number` on its columns is safe.

/** The entries of one priority. */
interface Level {
  readonly priority: number;
  readonly root: Line;
}

/** The number of empty levels that are kept, because their priority is likely to be used again. */
const MAX_EMPTY_LEVELS = 64;

const COUNT_IS_WRONG = 'workqueue: no list has an entry although entries are counted as available';

/** How ready entries are ordered beyond their priority. */
export interface ReadyOrder {
  /** The time in ms after which an entry rises by one level; 0 means never. */
  readonly ageAfter: number;
  readonly weightOf: WeightOf;
}

/**
 * The ready entries: one line per priority. Only this class decides which entry is handed out next.
 * Adding and taking have the same cost for any number of entries. The first entry of a list is never
 * locked: a locked entry leaves the list when it becomes the first, and `unlock` puts it back at its
 * old place.
 */
export class ReadyLevels {
  readonly #table: EntryTable<unknown, unknown, unknown>;
  readonly #weightOf: WeightOf;
  readonly #ageing: Ageing;
  readonly #byPriority = new Map<number, Level>();
  /** Sorted by priority: the last level is the highest. */
  #ascending: Level[] = [];
  /** The level that was used last: most adds have the same priority. */
  #recent: Level | undefined;
  /** The number of levels at which the empty ones are removed. */
  #sweepAt = MAX_EMPTY_LEVELS;
  /** The number of ready entries. */
  length = 0;
  /** The number of ready entries whose key is not locked, so that `take` can return them. */
  available = 0;

  constructor(table: EntryTable<unknown, unknown, unknown>, order: ReadyOrder) {
    this.#table = table;
    this.#weightOf = order.weightOf;
    this.#ageing = new Ageing(order.ageAfter);
  }

  ageAfter(milliseconds: number): void {
    this.#ageing.replace(milliseconds);
  }

  /** The number of ready entries by priority, highest first, without empty levels. */
  depths(): Map<number, number> {
    const filled = this.#ascending.toReversed().filter(({ root }) => root.depth > 0);
    return new Map(filled.map(({ priority, root }) => [priority, root.depth]));
  }

  /** Adds an entry at the end of the list of its priority and group. */
  push(slot: number): void {
    const table = this.#table;
    const line = this.#lineOf(slot);
    if (table.groups === undefined) line.depth += 1;
    else line.count(1);
    this.length += 1;
    table.stamp(slot);
    if (table.held[slot] === 0) this.available += 1;
    else if (line.head === -1) {
      table.place[slot] = Place.skipped;
      return;
    }
    this.#link(line, slot, line.tail, -1);
  }

  /** Removes and returns the best entry whose key is not locked; -1 without such an entry. */
  take(now: number): number {
    if (this.available === 0) return -1;
    if (this.#ascending.length > MAX_EMPTY_LEVELS) this.#dropEmptyTop();
    const line = this.#ageing.begin(now) ? this.#chosenByAge(now) : this.#highest();
    if (line === undefined) throw new Error(COUNT_IS_WRONG);
    const slot = line.head;
    this.#remove(line, slot);
    if (this.#table.groups !== undefined) {
      line.spend();
      this.#noticeTurn(line);
    }
    return slot;
  }

  /** Removes an entry from any place. */
  remove(slot: number): void {
    this.#remove(this.#lineOf(slot), slot);
  }

  /** Makes a ready entry available after the lock of its key is released. */
  unlock(slot: number): void {
    this.available += 1;
    if (this.#table.place[slot] === Place.listed) return;
    const line = this.#lineOf(slot);
    const { order, next } = this.#table;
    // Only entries that were skipped and unlocked in the same way can be before it.
    let after = line.head;
    while (after !== -1 && (order[after] as number) < (order[slot] as number)) {
      after = next[after] as number;
    }
    const before = after === -1 ? line.tail : (this.#table.previous[after] as number);
    this.#link(line, slot, before, after);
  }

  /** Links an entry again after the table has moved its row to `slot`. */
  move(slot: number): void {
    if (this.#table.place[slot] !== Place.listed) return;
    const { previous, next } = this.#table;
    this.#link(this.#lineOf(slot), slot, previous[slot] as number, next[slot] as number);
  }

  /** Returns the line whose turn it is at the highest level with an entry that can be handed out. */
  #highest(): Line | undefined {
    const hasGroups = this.#table.groups !== undefined;
    for (let index = this.#ascending.length - 1; index >= 0; index -= 1) {
      const { root } = this.#ascending[index] as Level;
      const line = hasGroups ? root.next : root;
      if (line.head !== -1) return line;
    }
    return undefined;
  }

  /** Returns the line to hand out from when an entry may have risen. It checks every level with entries. */
  #chosenByAge(now: number): Line | undefined {
    let highest: Line | undefined;
    let risen: Line | undefined;
    let rest = this.length;
    for (let index = this.#ascending.length - 1; rest > 0; index -= 1) {
      const { root } = this.#ascending[index] as Level;
      rest -= root.depth;
      const line = root.next;
      if (line.head === -1) continue;
      highest ??= line;
      if (this.#ageing.offer(this.#table.readyAt[line.head] as number, now)) risen = line;
    }
    return this.#ageing.end(risen !== undefined) ? risen : highest;
  }

  #remove(line: Line, slot: number): void {
    const { held, place, groups } = this.#table;
    this.length -= 1;
    if (held[slot] === 0) this.available -= 1;
    if (place[slot] === Place.listed) this.#unlink(line, slot);
    place[slot] = Place.none;
    if (groups === undefined) {
      line.depth -= 1;
      return;
    }
    line.count(-1);
    this.#noticeTurn(line);
  }

  #link(line: Line, slot: number, before: number, after: number): void {
    const { next, previous, place, readyAt, groups } = this.#table;
    place[slot] = Place.listed;
    previous[slot] = before;
    next[slot] = after;
    if (after === -1) line.tail = slot;
    else previous[after] = slot;
    if (before !== -1) {
      next[before] = slot;
      return;
    }
    line.head = slot;
    if (groups !== undefined) line.enter();
    this.#ageing.notice(readyAt[slot] as number);
  }

  #unlink(line: Line, slot: number): void {
    const { next, previous, held, readyAt, groups } = this.#table;
    const before = previous[slot] as number;
    const after = next[slot] as number;
    if (after === -1) line.tail = before;
    else previous[after] = before;
    if (before !== -1) {
      next[before] = after;
      return;
    }
    line.head = after;
    if (after !== -1 && held[after] !== 0) this.#skipLocked(line);
    if (line.head !== -1) this.#ageing.notice(readyAt[line.head] as number);
    else if (groups !== undefined) line.leave();
  }

  /** Takes locked entries off the start of a list. */
  #skipLocked(line: Line): void {
    const { next, previous, place, held } = this.#table;
    while (line.head !== -1 && held[line.head] !== 0) {
      place[line.head] = Place.skipped;
      line.head = next[line.head] as number;
    }
    if (line.head === -1) line.tail = -1;
    else previous[line.head] = -1;
  }

  /** Reports the next entry of the priority to the ageing, because another group may have the turn now. */
  #noticeTurn(line: Line): void {
    if (line === line.root) return;
    const { next } = line.root;
    if (next === line || next.head === -1) return;
    this.#ageing.notice(this.#table.readyAt[next.head] as number);
  }

  #lineOf(slot: number): Line {
    const { groups } = this.#table;
    const priority = this.#table.priority[slot] as number;
    const recent = this.#recent;
    const { root } =
      recent !== undefined && recent.priority === priority ? recent : this.#level(priority);
    return groups === undefined ? root : root.at(groups[slot], this.#weightOf);
  }

  #level(priority: number): Level {
    this.#recent = this.#byPriority.get(priority) ?? this.#addLevel(priority);
    return this.#recent;
  }

  #addLevel(priority: number): Level {
    if (this.#ascending.length >= this.#sweepAt) this.#sweep();
    const level: Level = { priority, root: new Line() };
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
    while (this.#ascending.length > MAX_EMPTY_LEVELS && this.#ascending.at(-1)?.root.depth === 0) {
      this.#byPriority.delete((this.#ascending.pop() as Level).priority);
      this.#recent = undefined;
    }
  }

  #sweep(): void {
    this.#recent = undefined;
    this.#ascending = this.#ascending.filter((level) => level.root.depth > 0);
    this.#byPriority.clear();
    for (const level of this.#ascending) this.#byPriority.set(level.priority, level);
    this.#sweepAt = Math.max(MAX_EMPTY_LEVELS, 2 * this.#ascending.length);
  }
}
