import { DelayHeap } from './delay-heap.ts';
import { Place, type Entry, type EntryTable } from '../entries/entry-table.ts';
import { isWithdrawn, replaceOrigin, type Origin } from '../entries/origin.ts';
import { ReadyLevels, type ReadyOrder } from './ready-levels.ts';
import type { StartTimer } from '../contract/start-timer.ts';
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
  /** Starts the timer of the delays. Default: `setTimeout`. */
  readonly startTimer?: StartTimer | undefined;
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
  /** The entries that may be handed out, after `promote` if entries wait. */
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
    this.#timer = new WakeTimer(options.now, () => this.promote(options.now()), options.startTimer);
  }

  /** Queues an entry until it is due. The observer counts a retry. */
  delay(entry: Entry<Item, Cause, Source>, due: number, isRetry: boolean): void {
    if (isRetry) this.#observer?.retried?.();
    this.waiting.push(entry, due);
    this.#timer.set(this.waiting.deadline);
  }

  /** Queues an entry that is due, and wakes the consumers. */
  makeReady(entry: Entry<Item, Cause, Source>, now: number): void {
    const { priority } = entry;
    entry.at = now;
    this.ready.push(entry);
    this.#observer?.added?.(priority);
    this.#observer?.depthChanged?.(priority, 1);
    if (this.ready.available > 0) this.#waiters.wake();
  }

  /** True if the entry is ready, so that further adds cannot make it ready earlier. */
  isReady(entry: Entry<Item, Cause, Source>): boolean {
    return entry.place !== Place.waiting;
  }

  /** Makes a waiting entry due earlier. A time later than its present one has no effect. */
  advance(entry: Entry<Item, Cause, Source>, due: number, now: number): void {
    if (this.isReady(entry)) return;
    if (due <= now || due < entry.at) this.reschedule(entry, due, now);
  }

  /** Makes a waiting entry due earlier or later. */
  reschedule(entry: Entry<Item, Cause, Source>, due: number, now: number): void {
    if (due > now) {
      this.waiting.reschedule(entry, due);
    } else {
      this.waiting.remove(entry);
      this.makeReady(entry, now);
    }
    this.#timer.set(this.waiting.deadline);
  }

  /** Makes entries ready that are due, because the timer may be late after a busy event loop. */
  promote(now: number): void {
    for (let count = 0; count < MAX_PROMOTED_PER_TURN && this.waiting.deadline <= now; count += 1) {
      this.makeReady(this.waiting.pop() as Entry<Item, Cause, Source>, now);
    }
    this.#timer.set(this.waiting.deadline);
  }

  /** Makes an entry available after the lock of its key is released, or after it was suspended. */
  unlock(entry: Entry<Item, Cause, Source>): void {
    if (entry.place === Place.waiting) return;
    this.ready.unlock(entry);
    this.wakeWaiters();
  }

  /** Wakes the consumers of the queue if an entry can be taken. */
  wakeWaiters(): void {
    if (this.ready.available > 0) this.#waiters.wake();
  }

  /** Moves an entry to a higher priority. A lower one has no effect. */
  raise(entry: Entry<Item, Cause, Source>, priority: number): void {
    const before = entry.priority;
    if (priority <= before) return;
    if (!this.isReady(entry)) {
      entry.priority = priority;
      return;
    }
    this.ready.raise(entry, priority);
    this.#observer?.depthChanged?.(before, -1);
    this.#observer?.depthChanged?.(priority, 1);
  }

  // The next methods drop entries. They return these entries, and the queue releases them.

  /** Replaces origins by those that `reduced` returns for their entries, and drops entries without a remaining source. */
  withdraw(
    reduced: (entry: Entry<Item, Cause, Source>) => Origin<Cause, Source> | undefined,
  ): Entry<Item, Cause, Source>[] {
    return this.#dropWhere((entry) => {
      const left = reduced(entry);
      if (left === entry.origin) return false;
      replaceOrigin(entry, left);
      return isWithdrawn(left);
    });
  }

  /** Drops the entries of these keys. */
  purge(keys: ReadonlySet<unknown>): Entry<Item, Cause, Source>[] {
    return keys.size === 0 ? [] : this.#dropWhere(({ key }) => keys.has(key));
  }

  /** Drops every entry. With `keepHeld`, keeps ready entries whose key is held. A suspended entry is not held. */
  clear(keepHeld: boolean): Entry<Item, Cause, Source>[] {
    return this.#dropWhere(({ place, held }) => {
      return place === Place.waiting || !keepHeld || held === undefined;
    });
  }

  #dropWhere(
    unwanted: (entry: Entry<Item, Cause, Source>) => boolean,
  ): Entry<Item, Cause, Source>[] {
    const dropped: Entry<Item, Cause, Source>[] = [];
    for (const entry of this.#table.all()) {
      if (entry.place < Place.waiting || !unwanted(entry)) continue;
      this.#drop(entry);
      dropped.push(entry);
    }
    this.#timer.set(this.waiting.deadline);
    return dropped;
  }

  #drop(entry: Entry<Item, Cause, Source>): void {
    if (entry.place === Place.waiting) {
      this.waiting.remove(entry);
    } else {
      this.ready.remove(entry);
      this.#observer?.depthChanged?.(entry.priority, -1);
    }
  }
}
