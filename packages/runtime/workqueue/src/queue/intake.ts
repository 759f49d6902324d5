import type { Backlog } from '../backlog/backlog.ts';
import type { EntryTable } from '../backlog/entry-table.ts';
import type { Grouping } from '../contract/grouping.ts';
import { Origin, type Origins } from '../backlog/origin.ts';
import type { AddOptions } from '../contract/work-queue-options.ts';
import type { BackoffWindows } from './backoff-windows.ts';
import type { Debounces } from './debounces.ts';
import type { HeldItems } from './held-items.ts';

/** The parts of a queue that an add changes. */
export interface IntakeOptions<Item, Cause, Source> {
  readonly table: EntryTable<Item, Cause, Source>;
  readonly heldItems: HeldItems<Item, Cause, Source>;
  readonly backlog: Backlog<Item, Cause, Source>;
  readonly windows: BackoffWindows;
  readonly debounces: Debounces;
  readonly origins: Origins<Cause, Source>;
  readonly grouping: Grouping<Item>;
  readonly now: () => number;
}

/**
 * Decides what an add does: it creates the entry of a key, collapses into the existing entry, or
 * reports that the run of a held item failed.
 */
export class Intake<Item, Cause, Source> {
  readonly #table: EntryTable<Item, Cause, Source>;
  readonly #heldItems: HeldItems<Item, Cause, Source>;
  readonly #backlog: Backlog<Item, Cause, Source>;
  readonly #windows: BackoffWindows;
  readonly #debounces: Debounces;
  readonly #origins: Origins<Cause, Source>;
  readonly #grouping: Grouping<Item>;
  readonly #now: () => number;

  constructor(options: IntakeOptions<Item, Cause, Source>) {
    this.#table = options.table;
    this.#heldItems = options.heldItems;
    this.#backlog = options.backlog;
    this.#windows = options.windows;
    this.#debounces = options.debounces;
    this.#origins = options.origins;
    this.#grouping = options.grouping;
    this.#now = options.now;
  }

  add(item: Item, key: unknown, options: AddOptions<Cause>): void {
    const slot = this.#table.slotOf(key);
    if (options.rateLimited === true && this.#isFailure(slot)) {
      this.#addRetry(item, key, slot, options);
    } else if (slot !== undefined && this.#table.hasEntry(slot)) {
      this.#collapse(key, slot, options);
    } else {
      this.#enter(item, key, slot, options);
    }
  }

  /** A rate-limited add reports a failure once for each run, and without a run for each entry. */
  #isFailure(slot: number | undefined): boolean {
    if (slot === undefined) return true;
    const held = this.#heldItems.at(slot);
    return held === undefined ? !this.#table.hasEntry(slot) : !held.hasFailed;
  }

  #enter(item: Item, key: unknown, slot: number | undefined, options: AddOptions<Cause>): void {
    const now = this.#now();
    const isDebounced = debounceOf(options) !== undefined;
    const due = this.#due(key, options, now, Infinity);
    const origin = this.#origins.begin(options, now);
    const entered = this.#table.claim(key, slot);
    this.#table.fill(entered, item, options.priority ?? 0, origin);
    this.#group(entered, item);
    this.#backlog.enter(entered, due, now, isDebounced);
  }

  /** Merges an add into the entry of its key. */
  #collapse(key: unknown, slot: number, options: AddOptions<Cause>): void {
    const origin = this.#origins.extend(this.#table.origins[slot], options);
    this.#backlog.merge(slot, origin, options.priority ?? 0);
    if (this.#backlog.isReady(slot)) return;
    const now = this.#now();
    if (debounceOf(options) === undefined) {
      this.#advance(key, slot, this.#due(key, options, now, Infinity), now);
      return;
    }
    const before = this.#backlog.dueOf(slot);
    // An entry that is due is not postponed, even if the timer is late.
    if (before <= now) return;
    const due = this.#due(key, options, now, before);
    this.#backlog.reschedule(slot, Math.min(due, this.#debounces.fixedAt(key)), now);
  }

  #advance(key: unknown, slot: number, due: number, now: number): void {
    this.#debounces.fix(key, due);
    this.#backlog.advance(slot, due, now);
  }

  /** Returns the time when an add is due that reports no failure. `before` is the time of the existing entry. */
  #due(key: unknown, options: AddOptions<Cause>, now: number, before: number): number {
    const { after = 0, backoff } = options;
    const wanted = after > 0 ? now + after : now;
    if (options.rateLimited === true) {
      return Math.max(wanted, this.#windows.retryAt(key, now, backoff));
    }
    const debounce = debounceOf(options);
    if (debounce === undefined) return this.#windows.admit(key, wanted, now);
    const delayed = Math.max(wanted, this.#debounces.delay(key, debounce, now, before));
    return this.#windows.admitDebounced(key, delayed, now);
  }

  /** Records the failure of a run and queues its retry, which keeps the sources of the run. */
  #addRetry(item: Item, key: unknown, slot: number | undefined, options: AddOptions<Cause>): void {
    const { after = 0, priority = 0 } = options;
    const now = this.#now();
    const due = Math.max(this.#windows.fail(key, now, options.backoff), now + after);
    const held = this.#heldItems.at(slot);
    held?.fail();
    if (slot !== undefined && this.#table.hasEntry(slot)) {
      const entry = this.#table.origins[slot] ?? new Origin(true);
      const origin = this.#origins.inherit(held?.origin, entry, options);
      this.#backlog.merge(slot, origin, priority);
      this.#advance(key, slot, due, now);
      return;
    }
    const origin =
      held === undefined
        ? this.#origins.begin(options, now)
        : this.#origins.inherit(held.origin, undefined, options);
    const entered = this.#table.claim(key, slot);
    this.#table.fill(entered, item, priority, origin);
    this.#group(entered, item);
    this.#backlog.enter(entered, due, now);
  }

  #group(slot: number, item: Item): void {
    const { groups } = this.#table;
    if (groups !== undefined) groups[slot] = this.#grouping.groupOf(item);
  }
}

/** The debounce of an add; `undefined` for one that is not delayed. */
function debounceOf({ debounce, rateLimited }: AddOptions): AddOptions['debounce'] {
  return rateLimited === true || debounce?.wait === 0 ? undefined : debounce;
}
