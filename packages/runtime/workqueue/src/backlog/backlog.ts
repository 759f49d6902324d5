import { DelayHeap } from './delay-heap.ts';
import { Place, type EntryTable } from './entry-table.ts';
import { isWithdrawn, type Origin } from './origin.ts';
import { ReadyLevels, type ReadyOrder } from './ready-levels.ts';
import { WakeTimer } from './wake-timer.ts';
import type { Waiters } from './waiters.ts';
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
  /** The consumers that the backlog wakes when `take` may return an entry. */
  readonly waiters: Pick<Waiters<unknown>, 'wake'>;
}

/**
 * The entries of a queue between `add` and `take`: waiting and ready ones. Only the backlog decides
 * when an entry is ready.
 */
export class Backlog<Item, Cause, Source> {
  readonly #table: EntryTable<Item, Cause, Source>;
  readonly #observer: WorkQueueObserver | undefined;
  readonly #waiters: Pick<Waiters<unknown>, 'wake'>;
  /** The entries that may be handed out. */
  readonly ready: ReadyLevels;
  /** The entries whose delay has not ended. */
  readonly waiting: DelayHeap;
  readonly #timer: WakeTimer;

  constructor(options: BacklogOptions<Item, Cause, Source>) {
    this.#table = options.table;
    this.#observer = options.observer;
    this.#waiters = options.waiters;
    this.ready = new ReadyLevels(options.table, options);
    this.waiting = new DelayHeap(options.table);
    this.#timer = new WakeTimer(options.now, () => this.#promote(options.now()));
  }

  /**
   * Queues the entry of a slot until it is due. `isRetry`: the observer counts the entry as a retry if it has to wait.
   */
  enter(slot: number, due: number, now: number, isRetry: boolean): void {
    if (due > now) {
      if (isRetry) this.#observer?.retried?.();
      this.waiting.push(slot, due);
      this.#timer.set(this.waiting.deadline);
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

  /** Makes a waiting entry due earlier. A time later than its present one has no effect. */
  advance(slot: number, due: number, now: number): void {
    if (this.isReady(slot)) return;
    if (due <= now || due < this.waiting.deadlineOf(slot)) this.reschedule(slot, due, now);
  }

  /** Makes a waiting entry due earlier or later. */
  reschedule(slot: number, due: number, now: number): void {
    if (due > now) {
      this.waiting.reschedule(slot, due);
    } else {
      this.waiting.remove(slot);
      this.#makeReady(slot, now);
    }
    this.#timer.set(this.waiting.deadline);
  }

  /**
   * Removes and returns the best ready entry whose key is not locked; -1 without such an entry.
   */
  take(now: number): number {
    // The timer may be late after a busy event loop, so entries that are due become ready here.
    if (this.waiting.size > 0 && this.waiting.deadline <= now) this.#promote(now);
    return this.ready.take(now);
  }

  /** Makes an entry available after the lock of its key is released. */
  unlock(slot: number): void {
    if (this.#table.place[slot] === Place.waiting) return;
    this.ready.unlock(slot);
    this.wakeWaiters();
  }

  /** Wakes the consumers of the queue if an entry can be taken. */
  wakeWaiters(): void {
    if (this.ready.available > 0) this.#waiters.wake();
  }

  // The next methods drop entries. They return the slots of these entries, and the queue releases the slots.

  /** Replaces origins by those that `reduced` returns for their slots, and drops entries without a remaining source. */
  withdraw(reduced: (slot: number) => Origin<Cause, Source> | undefined): number[] {
    const { origins } = this.#table;
    return this.#dropWhere((slot) => {
      const left = reduced(slot);
      if (left === origins[slot]) return false;
      origins[slot] = left;
      return isWithdrawn(left);
    });
  }

  /** Drops the entries of these keys. */
  purge(keys: ReadonlySet<unknown>): number[] {
    return keys.size === 0 ? [] : this.#dropWhere((slot) => keys.has(this.#table.keys[slot]));
  }

  /** Drops every entry. With `keepHeld`, keeps ready entries whose key is held. */
  clear(keepHeld: boolean): number[] {
    return this.#dropWhere((slot) => {
      const waits = this.#table.place[slot] === Place.waiting;
      return waits || !keepHeld || this.#table.held[slot] === 0;
    });
  }

  /** Frees the memory of a past burst, after which the table is sparse. */
  compact(): void {
    this.#table.compact((slot) => this.#moved(slot));
  }

  #moved(slot: number): void {
    if (this.#table.place[slot] === Place.waiting) this.waiting.move(slot);
    else this.ready.move(slot);
  }

  #raise(slot: number, priority: number): void {
    const before = this.#table.priority[slot] as number;
    if (priority <= before) return;
    const waits = this.#table.place[slot] === Place.waiting;
    if (!waits) this.ready.remove(slot);
    this.#table.priority[slot] = priority;
    if (waits) return;
    this.ready.push(slot);
    this.#observer?.depthChanged?.(before, -1);
    this.#observer?.depthChanged?.(priority, 1);
  }

  #makeReady(slot: number, now: number): void {
    const priority = this.#table.priority[slot] as number;
    this.#table.readyAt[slot] = now;
    this.ready.push(slot);
    this.#observer?.added?.(priority);
    this.#observer?.depthChanged?.(priority, 1);
    if (this.ready.available > 0) this.#waiters.wake();
  }

  #promote(now: number): void {
    for (let count = 0; count < MAX_PROMOTED_PER_TURN && this.waiting.deadline <= now; count += 1) {
      this.#makeReady(this.waiting.pop(), now);
    }
    this.#timer.set(this.waiting.deadline);
  }

  #dropWhere(unwanted: (slot: number) => boolean): number[] {
    const dropped: number[] = [];
    for (let slot = 0; slot < this.#table.size; slot += 1) {
      if (!this.#table.hasEntry(slot) || !unwanted(slot)) continue;
      this.#drop(slot);
      dropped.push(slot);
    }
    this.#timer.set(this.waiting.deadline);
    return dropped;
  }

  #drop(slot: number): void {
    if (this.#table.place[slot] === Place.waiting) {
      this.waiting.remove(slot);
    } else {
      this.ready.remove(slot);
      this.#observer?.depthChanged?.(this.#table.priority[slot] as number, -1);
    }
  }
}
