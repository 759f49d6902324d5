import { type Entry, type EntryTable, Place } from '../entries/entry-table.ts';
import { Line } from './line.ts';
import type { WeightOf } from '../contract/grouping.ts';

/**
 * Decides when a lower level hands out an entry although a higher one has entries. An entry rises by one level for each
 * `ageAfter` that it was ready; only levels with an entry that can be handed out count. Entries that have risen to the
 * highest level alternate with the entries of that level, so that neither block the other.
 */
class Ageing {
  #ageAfter: number;
  /** No entry rises before this time, so `take` need not look at the lower levels. */
  #dueAt = Infinity;
  #rank = 0;
  #oldestAt = Infinity;
  /** True if the last entry that was handed out had risen. */
  #hadTurn = false;
  /** The same before the last choice. */
  #hadTurnBefore = false;

  /** `ageAfter` in ms; 0 means that no entry rises. */
  constructor(ageAfter: number) {
    this.#ageAfter = ageAfter === 0 ? Infinity : ageAfter;
  }

  /** Replaces `ageAfter`. The next hand-out checks every level, because all entries now rise at other times. */
  replace(ageAfter: number): void {
    this.#ageAfter = ageAfter === 0 ? Infinity : ageAfter;
    this.#dueAt = -Infinity;
  }

  /**
   * Records when an entry became ready. The caller must call it for each entry that becomes the first one of a list.
   */
  notice(readyAt: number): void {
    const dueAt = readyAt + this.#ageAfter;
    if (dueAt < this.#dueAt) this.#dueAt = dueAt;
  }

  /** Begins a choice. Returns true if an entry may have risen; the caller then calls `offer` for each level. */
  begin(now: number): boolean {
    this.#hadTurnBefore = this.#hadTurn;
    if (now < this.#dueAt) {
      this.#hadTurn = false;
      return false;
    }
    this.#dueAt = Infinity;
    this.#rank = 0;
    this.#oldestAt = Infinity;
    return true;
  }

  /**
   * Offers the next entry of each level, the highest level first. Returns true for an entry that has risen to the
   * highest level and is older than those offered before.
   */
  offer(readyAt: number, now: number): boolean {
    this.notice(readyAt);
    const rank = this.#rank;
    this.#rank += 1;
    if (rank === 0 || now < readyAt + rank * this.#ageAfter || readyAt >= this.#oldestAt)
      return false;
    this.#oldestAt = readyAt;
    return true;
  }

  /** Ends a choice. Returns true if the risen entry is chosen, false if the highest level hands out its own. */
  end(hasRisen: boolean): boolean {
    this.#hadTurn = hasRisen && !this.#hadTurn;
    return this.#hadTurn;
  }

  /** Records that the chosen entry is not handed out, so that the turn stays. */
  undo(): void {
    this.#hadTurn = this.#hadTurnBefore;
  }
}

type AnyEntry = Entry<unknown, unknown, unknown>;

/** The entries of one priority. */
interface Level {
  readonly priority: number;
  readonly root: Line;
}

/** The number of empty levels that are kept, because their priority is likely to be used again. */
const MAX_EMPTY_LEVELS = 64;

/** The most entries that one hand-out suspends, so that it does not block the event loop. */
const MAX_SUSPENDED = 256;

const COUNT_IS_WRONG = 'workqueue: no list has an entry although entries are counted as available';

/** How ready entries are ordered beyond their priority. */
export interface ReadyOrder {
  /** The time in ms after which an entry rises by one level; 0 means never. */
  readonly ageAfter: number;
  readonly weightOf: WeightOf;
  /** False for a queue without groups, whose lines are lists of all entries of a priority. */
  readonly hasGroups: boolean;
}

/**
 * The ready entries: one line per priority. Only this class decides which entry is handed out next.
 * Adding and taking have the same cost for any number of entries. The first entry of a list is never
 * locked: a locked entry leaves the list when it becomes the first, and `unlock` puts it back at its
 * old place.
 */
export class ReadyLevels {
  readonly #table: Pick<EntryTable<unknown, unknown, unknown>, 'stamps'>;
  readonly #hasGroups: boolean;
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
  /** The number of ready entries that `take` can return: neither is their key locked, nor are they suspended. */
  available = 0;

  constructor(table: Pick<EntryTable<unknown, unknown, unknown>, 'stamps'>, order: ReadyOrder) {
    this.#table = table;
    this.#hasGroups = order.hasGroups;
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
  push(entry: AnyEntry): void {
    const line = this.#lineOf(entry);
    if (this.#hasGroups) line.count(1);
    else line.depth += 1;
    this.length += 1;
    entry.order = this.#table.stamps++;
    if (entry.held === undefined) this.available += 1;
    else if (line.head === undefined) {
      entry.place = Place.skipped;
      return;
    }
    this.#link(line, entry, line.tail, undefined);
  }

  /**
   * Removes and returns the best entry whose key is not locked; `undefined` without such an entry. An entry for which
   * `suspends` returns true is suspended instead. After `MAX_SUSPENDED` of them it returns `undefined`.
   */
  take(now: number, suspends?: (entry: AnyEntry) => boolean): AnyEntry | undefined {
    if (this.#ascending.length > MAX_EMPTY_LEVELS) this.#dropEmptyTop();
    for (let left = MAX_SUSPENDED; left > 0 && this.available > 0; left -= 1) {
      const line = this.#ageing.begin(now) ? this.#chosenByAge(now) : this.#highest();
      const entry = line?.head;
      if (line === undefined || entry === undefined) throw new Error(COUNT_IS_WRONG);
      if (suspends !== undefined && suspends(entry)) {
        this.#suspend(line, entry);
        continue;
      }
      this.#remove(line, entry);
      if (this.#hasGroups) {
        line.spend();
        this.#noticeTurn(line);
      }
      return entry;
    }
    return undefined;
  }

  /** Removes an entry from any place. */
  remove(entry: AnyEntry): void {
    this.#remove(this.#lineOf(entry), entry);
  }

  /** Moves an entry to the end of the list of a higher priority. A suspended one stays so, and keeps its order. */
  raise(entry: AnyEntry, priority: number): void {
    const isSuspended = entry.place === Place.suspended;
    this.remove(entry);
    entry.priority = priority;
    if (!isSuspended) {
      this.push(entry);
      return;
    }
    const line = this.#lineOf(entry);
    if (this.#hasGroups) line.count(1);
    else line.depth += 1;
    this.length += 1;
    entry.place = Place.suspended;
  }

  /** Makes a ready entry available after the lock of its key is released, or after it was suspended. */
  unlock(entry: AnyEntry): void {
    this.available += 1;
    if (entry.place === Place.listed) return;
    const line = this.#lineOf(entry);
    let after = this.#searchStart(line, entry);
    while (after !== undefined && after.order < entry.order) after = after.next;
    this.#link(line, entry, after === undefined ? line.tail : after.previous, after);
    line.putBack = entry;
  }

  /**
   * Returns the entry at which the search for the place of an unlocked entry begins; `undefined` if its place is the end
   * of the list. Entries are often put back in their order, so the search begins after the last one that was.
   */
  #searchStart(line: Line, { order }: AnyEntry): AnyEntry | undefined {
    const { head, tail, putBack } = line;
    if (tail === undefined || tail.order < order) return undefined;
    return putBack !== undefined && putBack.order < order ? putBack.next : head;
  }

  /** Returns the line whose turn it is at the highest level with an entry that can be handed out. */
  #highest(): Line | undefined {
    for (let index = this.#ascending.length - 1; index >= 0; index -= 1) {
      const { root } = this.#ascending[index] as Level;
      const line = this.#hasGroups ? root.next : root;
      if (line.head !== undefined) return line;
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
      if (line.head === undefined) continue;
      highest ??= line;
      if (this.#ageing.offer(line.head.at, now)) risen = line;
    }
    return this.#ageing.end(risen !== undefined) ? risen : highest;
  }

  #suspend(line: Line, entry: AnyEntry): void {
    this.#ageing.undo();
    this.available -= 1;
    this.#unlink(line, entry);
    entry.place = Place.suspended;
    if (this.#hasGroups) this.#noticeTurn(line);
  }

  #remove(line: Line, entry: AnyEntry): void {
    if (entry.held === undefined && entry.place !== Place.suspended) this.available -= 1;
    if (entry.place === Place.listed) this.#unlink(line, entry);
    entry.place = Place.none;
    this.length -= 1;
    if (!this.#hasGroups) {
      line.depth -= 1;
      return;
    }
    line.count(-1);
    this.#noticeTurn(line);
  }

  #link(
    line: Line,
    entry: AnyEntry,
    before: AnyEntry | undefined,
    after: AnyEntry | undefined,
  ): void {
    entry.place = Place.listed;
    entry.previous = before;
    entry.next = after;
    if (after === undefined) line.tail = entry;
    else after.previous = entry;
    if (before !== undefined) {
      before.next = entry;
      return;
    }
    line.head = entry;
    if (this.#hasGroups) line.enter();
    this.#ageing.notice(entry.at);
  }

  #unlink(line: Line, entry: AnyEntry): void {
    const { next: after, previous: before } = entry;
    // The links are dropped: an entry that was taken would otherwise keep its former neighbours in memory.
    entry.next = undefined;
    entry.previous = undefined;
    if (line.putBack === entry) line.putBack = undefined;
    if (after === undefined) line.tail = before;
    else after.previous = before;
    if (before !== undefined) {
      before.next = after;
      return;
    }
    line.head = after;
    if (after?.held !== undefined) this.#skipLocked(line);
    if (line.head !== undefined) this.#ageing.notice(line.head.at);
    else if (this.#hasGroups) line.leave();
  }

  /** Takes locked entries off the start of a list. */
  #skipLocked(line: Line): void {
    let head = line.head;
    while (head?.held !== undefined) {
      const { next } = head;
      head.place = Place.skipped;
      if (line.putBack === head) line.putBack = undefined;
      head.next = undefined;
      head.previous = undefined;
      head = next;
    }
    line.head = head;
    if (head === undefined) line.tail = undefined;
    else head.previous = undefined;
  }

  /** Reports the next entry of the priority to the ageing, because another group may have the turn now. */
  #noticeTurn(line: Line): void {
    if (line === line.root) return;
    const { next } = line.root;
    if (next !== line && next.head !== undefined) this.#ageing.notice(next.head.at);
  }

  #lineOf({ priority, group }: AnyEntry): Line {
    const recent = this.#recent;
    const { root } =
      recent !== undefined && recent.priority === priority ? recent : this.#level(priority);
    return this.#hasGroups ? root.at(group, this.#weightOf) : root;
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
