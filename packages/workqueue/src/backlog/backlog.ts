import { DelayHeap } from './delay-heap.ts';
import { Place, type EntryTable } from './entry-table.ts';
import { isWithdrawn, type Origin } from './origin.ts';
import { ReadyLevels } from './ready-levels.ts';
import { WakeTimer } from './wake-timer.ts';
import type { WorkQueueObserver } from '../contract/work-queue-observer.ts';

/** Entries that become ready in one turn; more of them wait for the next, so that the event loop breathes. */
const promotedPerTurn = 8192;

/** An entry as it begins. */
export interface NewEntry<Item, Cause, Source> {
  readonly item: Item;
  readonly priority: number;
  readonly origin: Origin<Cause, Source> | undefined;
  /** When it is ready. */
  readonly due: number;
  readonly now: number;
}

/** What a backlog needs from its queue. */
export interface BacklogOptions<Item, Cause, Source> {
  readonly table: EntryTable<Item, Cause, Source>;
  readonly now: () => number;
  readonly observer: WorkQueueObserver | undefined;
  /** Called when `take` may have something to give. */
  readonly onAvailable: () => void;
  /** Called with an entry that is dropped before it went out. */
  readonly onDropped: (slot: number) => void;
}

/**
 * The entries of a queue between `add` and `take`: those that wait for their time and those that
 * are ready, with the moves from one to the other. When an entry is ready is decided here.
 */
export class Backlog<Item, Cause, Source> {
  readonly #table: EntryTable<Item, Cause, Source>;
  readonly #now: () => number;
  readonly #observer: WorkQueueObserver | undefined;
  readonly #onAvailable: () => void;
  readonly #onDropped: (slot: number) => void;
  readonly #ready: ReadyLevels;
  readonly #waiting: DelayHeap;
  readonly #timer: WakeTimer;

  constructor(options: BacklogOptions<Item, Cause, Source>) {
    this.#table = options.table;
    this.#now = options.now;
    this.#observer = options.observer;
    this.#onAvailable = options.onAvailable;
    this.#onDropped = options.onDropped;
    this.#ready = new ReadyLevels(options.table);
    this.#waiting = new DelayHeap(options.table);
    this.#timer = new WakeTimer(options.now, () => this.#promote());
  }

  /** Ready entries. */
  get length(): number {
    return this.#ready.length;
  }

  /** Ready entries whose key is not locked. */
  get available(): number {
    return this.#ready.available;
  }

  /** Entries whose delay has not ended. */
  get waiting(): number {
    return this.#waiting.size;
  }

  depths(): Map<number, number> {
    return this.#ready.depths();
  }

  /** Makes the entry of a slot that has none, due at a moment by the queue's clock. */
  enter(slot: number, entry: NewEntry<Item, Cause, Source>): void {
    const { due, now } = entry;
    this.#table.items[slot] = entry.item;
    this.#table.priority[slot] = entry.priority;
    this.#table.origins[slot] = entry.origin;
    if (due > now) {
      this.#observer?.retried?.();
      this.#waiting.push(slot, due);
      this.#timer.set(this.#waiting.deadline);
    } else {
      this.#makeReady(slot, now);
    }
  }

  /** True for an entry that more adds cannot make ready any earlier. */
  isReady(slot: number): boolean {
    return this.#table.place[slot] !== Place.waiting;
  }

  /** Folds an add into the entry that is there: the higher priority wins. */
  merge(slot: number, origin: Origin<Cause, Source> | undefined, priority: number): void {
    this.#table.origins[slot] = origin;
    this.#raise(slot, priority);
  }

  /** Brings a waiting entry forward; a later moment than its own changes nothing. */
  advance(slot: number, due: number, now: number): void {
    if (this.#table.place[slot] !== Place.waiting) return;
    if (due > now) {
      this.#waiting.advance(slot, due);
    } else {
      this.#waiting.remove(slot);
      this.#makeReady(slot, now);
    }
    this.#timer.set(this.#waiting.deadline);
  }

  /** Takes out the best ready entry whose key is not locked; -1 when there is none. */
  take(): number {
    // The timer may be late when the event loop was busy: what is due counts as ready all the same.
    if (this.#waiting.size > 0) this.#promote();
    return this.#ready.take();
  }

  /** To be called when the key of an entry is no longer locked. */
  unlock(slot: number): void {
    if (this.#table.place[slot] === Place.waiting) return;
    this.#ready.unlock(slot);
    this.#onAvailable();
  }

  /** Replaces origins by what is left of them; returns how many entries nothing asks for any more and are gone. */
  withdraw(left: ReadonlyMap<Origin<Cause, Source>, Origin<Cause, Source>>): number {
    const { origins } = this.#table;
    return this.#dropWhere((slot) => {
      const origin = origins[slot];
      const reduced = origin === undefined ? undefined : left.get(origin);
      if (reduced === undefined) return false;
      origins[slot] = reduced;
      return isWithdrawn(reduced);
    });
  }

  /** Drops every entry, except those that are ready for a held key if `keepHeld` is true. */
  clear(keepHeld: boolean): void {
    this.#dropWhere((slot) => {
      const waits = this.#table.place[slot] === Place.waiting;
      return waits || !keepHeld || this.#table.held[slot] === undefined;
    });
  }

  /** Follows the table after its rows moved. */
  renumber(moved: Int32Array): void {
    this.#ready.renumber(moved);
    this.#waiting.renumber(moved);
  }

  #raise(slot: number, priority: number): void {
    const before = this.#table.priority[slot] as number;
    if (priority <= before) return;
    const waits = this.#table.place[slot] === Place.waiting;
    if (!waits) this.#ready.remove(slot);
    this.#table.priority[slot] = priority;
    if (waits) return;
    this.#ready.push(slot);
    this.#observer?.depthChanged?.(before, -1);
    this.#observer?.depthChanged?.(priority, 1);
  }

  #makeReady(slot: number, now: number): void {
    const priority = this.#table.priority[slot] as number;
    this.#table.readyAt[slot] = now;
    this.#ready.push(slot);
    this.#observer?.added?.(priority);
    this.#observer?.depthChanged?.(priority, 1);
    this.#onAvailable();
  }

  #promote(): void {
    const now = this.#now();
    for (let count = 0; count < promotedPerTurn && this.#waiting.deadline <= now; count += 1) {
      this.#makeReady(this.#waiting.pop(), now);
    }
    this.#timer.set(this.#waiting.deadline);
  }

  #dropWhere(unwanted: (slot: number) => boolean): number {
    let dropped = 0;
    for (let slot = 0; slot < this.#table.size; slot += 1) {
      if (this.#table.place[slot] === Place.nowhere || !unwanted(slot)) continue;
      this.#drop(slot);
      dropped += 1;
    }
    this.#timer.set(this.#waiting.deadline);
    return dropped;
  }

  #drop(slot: number): void {
    if (this.#table.place[slot] === Place.waiting) {
      this.#waiting.remove(slot);
    } else {
      this.#ready.remove(slot);
      this.#observer?.depthChanged?.(this.#table.priority[slot] as number, -1);
    }
    this.#onDropped(slot);
  }
}
