import { addCauses, withoutCauses } from './causes.ts';
import { DelayHeap } from './delay-heap.ts';
import { Place, type EntryTable } from './entry-table.ts';
import { ReadyLevels } from './ready-levels.ts';
import { WakeTimer } from './wake-timer.ts';
import type { AddOptions } from './work-queue-options.ts';
import type { WorkQueueObserver } from './work-queue-observer.ts';

/** Entries that become ready in one turn; more of them wait for the next, so that the event loop breathes. */
const promotedPerTurn = 8192;

const noCauses: readonly never[] = Object.freeze([]);

/** What a backlog needs from its queue. */
export interface BacklogOptions<Item, Cause> {
  readonly table: EntryTable<Item, Cause>;
  readonly now: () => number;
  readonly sameCause: (one: Cause, other: Cause) => boolean;
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
export class Backlog<Item, Cause> {
  readonly #table: EntryTable<Item, Cause>;
  readonly #now: () => number;
  readonly #sameCause: (one: Cause, other: Cause) => boolean;
  readonly #observer: WorkQueueObserver | undefined;
  readonly #onAvailable: () => void;
  readonly #onDropped: (slot: number) => void;
  readonly #ready: ReadyLevels<Item, Cause>;
  readonly #waiting: DelayHeap;
  readonly #timer: WakeTimer;

  constructor(options: BacklogOptions<Item, Cause>) {
    this.#table = options.table;
    this.#now = options.now;
    this.#sameCause = options.sameCause;
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

  /** Makes the entry of a slot that has none. */
  enter(slot: number, item: Item, delay: number, options: AddOptions<Cause>): void {
    this.#table.items[slot] = item;
    this.#table.priority[slot] = options.priority ?? 0;
    this.#addCauses(slot, options);
    if (delay > 0) {
      this.#observer?.retried?.();
      this.#waiting.push(slot, this.#now() + delay);
      this.#timer.set(this.#waiting.deadline);
    } else {
      this.#makeReady(slot);
    }
  }

  /** Folds an add into the entry that is there: the earlier time and the higher priority win. */
  merge(slot: number, delay: number, options: AddOptions<Cause>): void {
    this.#addCauses(slot, options);
    this.#raise(slot, options.priority ?? 0);
    if (this.#table.place[slot] !== Place.waiting) return;
    if (delay > 0) {
      this.#waiting.advance(slot, this.#now() + delay);
    } else {
      this.#waiting.remove(slot);
      this.#makeReady(slot);
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

  /** Withdraws causes; returns how many entries nothing asks for any more and are gone. */
  withdraw(matches: (cause: Cause) => boolean): number {
    return this.#dropWhere((slot) => {
      const causes = withoutCauses(this.#table.causes[slot], matches);
      this.#table.causes[slot] = causes;
      return causes?.length === 0 && this.#table.uncaused[slot] === 0;
    });
  }

  /** Drops every entry, except those that are ready for a held key if `keepHeld` is true. */
  clear(keepHeld: boolean): void {
    this.#dropWhere((slot) => {
      const waits = this.#table.place[slot] === Place.waiting;
      return waits || !keepHeld || this.#table.held[slot] === undefined;
    });
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

  #addCauses(slot: number, { cause, causes = noCauses }: AddOptions<Cause>): void {
    const table = this.#table;
    const added = cause === undefined ? causes : [cause, ...causes];
    const merged = addCauses(table.causes[slot], added, this.#sameCause);
    if (merged.causes.length > 0) table.causes[slot] = merged.causes;
    if (added.length === 0 || !merged.complete) table.uncaused[slot] = 1;
  }

  #makeReady(slot: number): void {
    const priority = this.#table.priority[slot] as number;
    this.#table.readyAt[slot] = this.#now();
    this.#ready.push(slot);
    this.#observer?.added?.(priority);
    this.#observer?.depthChanged?.(priority, 1);
    this.#onAvailable();
  }

  #promote(): void {
    const now = this.#now();
    for (let count = 0; count < promotedPerTurn && this.#waiting.deadline <= now; count += 1) {
      this.#makeReady(this.#waiting.pop());
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
