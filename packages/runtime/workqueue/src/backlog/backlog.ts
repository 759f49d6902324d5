import { DelayHeap } from './delay-heap.ts';
import { Place, type EntryTable } from './entry-table.ts';
import { isWithdrawn, type Origin } from './origin.ts';
import { ReadyLevels, type ReadyOrder } from './ready-levels.ts';
import { WakeTimer } from './wake-timer.ts';
import type { WorkQueueObserver } from '../contract/work-queue-observer.ts';

/**
 * The most entries that become ready in one turn of the event loop. The others wait for the next
 * turn, so that the event loop is not blocked.
 */
const MAX_PROMOTED_PER_TURN = 8192;

/** The parts of a queue that its backlog uses. */
export interface BacklogOptions<Item, Cause, Source> extends ReadyOrder {
  readonly table: EntryTable<Item, Cause, Source>;
  readonly now: () => number;
  readonly observer: WorkQueueObserver | undefined;
  /** Called when `take` may return an entry. */
  readonly onAvailable: () => void;
  /** Called with an entry that is dropped before it was handed out. */
  readonly onDropped: (slot: number) => void;
}

/**
 * The entries of a queue between `add` and `take`: waiting and ready ones. Only the backlog decides
 * when an entry is ready.
 */
export class Backlog<Item, Cause, Source> {
  readonly #table: EntryTable<Item, Cause, Source>;
  readonly #observer: WorkQueueObserver | undefined;
  readonly #onAvailable: () => void;
  readonly #onDropped: (slot: number) => void;
  readonly #ready: ReadyLevels;
  readonly #waiting: DelayHeap;
  readonly #timer: WakeTimer;

  constructor(options: BacklogOptions<Item, Cause, Source>) {
    this.#table = options.table;
    this.#observer = options.observer;
    this.#onAvailable = options.onAvailable;
    this.#onDropped = options.onDropped;
    this.#ready = new ReadyLevels(options.table, options);
    this.#waiting = new DelayHeap(options.table);
    this.#timer = new WakeTimer(options.now, () => this.#promote(options.now()));
  }

  /** Replaces the time in ms after which a ready entry rises; 0 means never. */
  ageAfter(milliseconds: number): void {
    this.#ready.ageAfter(milliseconds);
  }

  /** The number of ready entries. */
  get length(): number {
    return this.#ready.length;
  }

  /** The number of ready entries whose key is not locked. */
  get available(): number {
    return this.#ready.available;
  }

  /** The number of entries whose delay has not ended. */
  get waiting(): number {
    return this.#waiting.size;
  }

  depths(): Map<number, number> {
    return this.#ready.depths();
  }

  /** Queues the entry that the table has in this slot. A delay counts as a retry unless an add debounced it. */
  enter(slot: number, due: number, now: number, isDebounced = false): void {
    if (due > now) {
      if (!isDebounced) this.#observer?.retried?.();
      this.#waiting.push(slot, due);
      this.#timer.set(this.#waiting.deadline);
    } else {
      this.#makeReady(slot, now);
    }
  }

  /** True if the entry is ready, so that further adds cannot make it ready earlier. */
  isReady(slot: number): boolean {
    return this.#table.place[slot] !== Place.waiting;
  }

  /** Merges an add into an existing entry: the higher priority is used. */
  merge(slot: number, origin: Origin<Cause, Source> | undefined, priority: number): void {
    this.#table.origins[slot] = origin;
    this.#raise(slot, priority);
  }

  /** The time when a waiting entry becomes ready. */
  dueOf(slot: number): number {
    return this.#waiting.deadlineOf(slot);
  }

  /** Makes a waiting entry ready earlier. A time later than its own has no effect. */
  advance(slot: number, due: number, now: number): void {
    if (this.isReady(slot)) return;
    if (due <= now || due < this.dueOf(slot)) this.reschedule(slot, due, now);
  }

  /** Makes a waiting entry ready earlier or later. */
  reschedule(slot: number, due: number, now: number): void {
    if (due > now) {
      this.#waiting.reschedule(slot, due);
    } else {
      this.#waiting.remove(slot);
      this.#makeReady(slot, now);
    }
    this.#timer.set(this.#waiting.deadline);
  }

  /**
   * Removes and returns the best ready entry whose key is not locked; -1 without such an entry.
   */
  take(now: number): number {
    // The timer may be late after a busy event loop, so entries that are due become ready here.
    if (this.#waiting.deadline <= now) this.#promote(now);
    return this.#ready.take(now);
  }

  /** Makes an entry available after the lock of its key is released. */
  unlock(slot: number): void {
    if (this.#table.place[slot] === Place.waiting) return;
    this.#ready.unlock(slot);
    this.#onAvailable();
  }

  /**
   * Replaces origins by those that `reduced` returns for their slots, and drops entries without a remaining source.
   * Returns the number of dropped entries.
   */
  withdraw(reduced: (slot: number) => Origin<Cause, Source> | undefined): number {
    const { origins } = this.#table;
    return this.#dropWhere((slot) => {
      const left = reduced(slot);
      if (left === origins[slot]) return false;
      origins[slot] = left;
      return isWithdrawn(left);
    });
  }

  /** Drops the entries of these keys. Returns their number. */
  purge(keys: ReadonlySet<unknown>): number {
    return keys.size === 0 ? 0 : this.#dropWhere((slot) => keys.has(this.#table.keys[slot]));
  }

  /** Drops every entry. With `keepHeld`, keeps ready entries whose key is held. */
  clear(keepHeld: boolean): void {
    this.#dropWhere((slot) => {
      const waits = this.#table.place[slot] === Place.waiting;
      return waits || !keepHeld || this.#table.held[slot] === 0;
    });
    this.shrink();
  }

  /** Frees the memory of a past burst. */
  shrink(): void {
    if (this.#table.isSparse) this.#table.compact((slot) => this.#moved(slot));
  }

  #moved(slot: number): void {
    if (this.#table.place[slot] === Place.waiting) this.#waiting.move(slot);
    else this.#ready.move(slot);
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

  #promote(now: number): void {
    for (
      let count = 0;
      count < MAX_PROMOTED_PER_TURN && this.#waiting.deadline <= now;
      count += 1
    ) {
      this.#makeReady(this.#waiting.pop(), now);
    }
    this.#timer.set(this.#waiting.deadline);
  }

  #dropWhere(unwanted: (slot: number) => boolean): number {
    let dropped = 0;
    for (let slot = 0; slot < this.#table.size; slot += 1) {
      if (!this.#table.hasEntry(slot) || !unwanted(slot)) continue;
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
