import type { Backlog } from '../backlog/backlog.ts';
import type { EntryTable } from '../backlog/entry-table.ts';
import type { Grouping } from '../contract/grouping.ts';
import { Origin, type Origins } from '../backlog/origin.ts';
import type { AddOptions } from '../contract/work-queue-options.ts';
import { debounceOf, type DueTimes } from './due-times.ts';
import type { HeldItems } from './held-items.ts';

/** The parts of a queue that an add changes. */
export interface AddedTo<Item, Cause, Source> {
  readonly table: EntryTable<Item, Cause, Source>;
  readonly heldItems: HeldItems<Item, Cause, Source>;
  readonly backlog: Backlog<Item, Cause, Source>;
  readonly dueTimes: DueTimes;
  readonly origins: Origins<Cause, Source>;
  readonly grouping: Grouping<Item>;
  readonly now: () => number;
}

/**
 * Decides what an add does: it creates the entry of a key, collapses into the existing entry, or
 * reports that the run of a held item failed.
 */
export class Adds<Item, Cause, Source> {
  readonly #table: EntryTable<Item, Cause, Source>;
  readonly #heldItems: HeldItems<Item, Cause, Source>;
  readonly #backlog: Backlog<Item, Cause, Source>;
  readonly #dueTimes: DueTimes;
  readonly #origins: Origins<Cause, Source>;
  readonly #grouping: Grouping<Item>;
  readonly #now: () => number;

  constructor(parts: AddedTo<Item, Cause, Source>) {
    this.#table = parts.table;
    this.#heldItems = parts.heldItems;
    this.#backlog = parts.backlog;
    this.#dueTimes = parts.dueTimes;
    this.#origins = parts.origins;
    this.#grouping = parts.grouping;
    this.#now = parts.now;
  }

  add(item: Item, key: unknown, options: AddOptions<Cause>): void {
    const slot = this.#table.slotOf(key);
    if (options.rateLimited === true && this.#isFailure(slot)) {
      this.#addRetry(item, key, slot, options);
    } else if (slot !== undefined && this.#table.hasEntry(slot)) {
      this.#collapse(key, slot, options);
    } else {
      const now = this.#now();
      const due = this.#dueTimes.due(key, options, now, Infinity);
      const origin = this.#origins.begin(options, now);
      const entered = this.#enter(item, this.#table.claim(key, slot), options.priority, origin);
      const isRetry = due > now && debounceOf(options) === undefined;
      this.#backlog.enter(entered, due, now, isRetry);
    }
  }

  /**
   * True if a rate-limited add counts as a failure: the first one of a run, or one that creates an entry without a run.
   */
  #isFailure(slot: number | undefined): boolean {
    if (slot === undefined) return true;
    const held = this.#heldItems.at(slot);
    return held === undefined ? !this.#table.hasEntry(slot) : !held.hasFailed;
  }

  /** Creates the entry of a claimed slot. Returns the slot. */
  #enter(
    item: Item,
    slot: number,
    priority: number | undefined,
    origin: Origin<Cause, Source> | undefined,
  ): number {
    this.#table.fill(slot, item, priority ?? 0, origin);
    const { groups } = this.#table;
    if (groups !== undefined) groups[slot] = this.#grouping.groupOf(item);
    return slot;
  }

  /** Merges an add into the entry of its key. */
  #collapse(key: unknown, slot: number, options: AddOptions<Cause>): void {
    const origin = this.#origins.extend(this.#table.origins[slot], options);
    this.#backlog.merge(slot, origin, options.priority ?? 0);
    if (this.#backlog.isReady(slot)) return;
    const now = this.#now();
    if (debounceOf(options) === undefined) {
      this.#advance(key, slot, this.#dueTimes.due(key, options, now, Infinity), now);
      return;
    }
    const before = this.#backlog.waiting.deadlineOf(slot);
    // An entry that is due is not postponed, even if the timer is late.
    if (before <= now) return;
    const due = this.#dueTimes.due(key, options, now, before);
    this.#backlog.reschedule(slot, Math.min(due, this.#dueTimes.fixedAt(key)), now);
  }

  #advance(key: unknown, slot: number, due: number, now: number): void {
    this.#dueTimes.fix(key, due);
    this.#backlog.advance(slot, due, now);
  }

  /** Records the failure of a run and queues its retry, which keeps the sources of the run. */
  #addRetry(item: Item, key: unknown, slot: number | undefined, options: AddOptions<Cause>): void {
    const { after = 0, priority = 0 } = options;
    const now = this.#now();
    const due = Math.max(this.#dueTimes.fail(key, now, options.backoff), now + after);
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
    const entered = this.#enter(item, this.#table.claim(key, slot), priority, origin);
    this.#backlog.enter(entered, due, now, true);
  }
}
