import type { Backlog } from '../backlog/backlog.ts';
import { Place, type Entry, type EntryTable } from '../entries/entry-table.ts';
import type { Grouping } from '../contract/grouping.ts';
import { Origin, type Origins } from '../entries/origin.ts';
import type { TurnClock } from '../contract/turn-clock.ts';
import type { AddOptions } from '../contract/work-queue-options.ts';
import { debounceOf, type DueTimes } from './due-times.ts';

/** The parts of a queue that an add changes. */
export interface AddedTo<Item, Cause, Source> extends TurnClock {
  readonly table: EntryTable<Item, Cause, Source>;
  readonly backlog: Backlog<Item, Cause, Source>;
  readonly dueTimes: DueTimes;
  readonly origins: Origins<Cause, Source>;
  readonly grouping: Grouping<Item>;
}

/**
 * Decides what an add does: it creates the entry of a key, collapses into the existing entry, or
 * reports that the run of a held item failed.
 */
export class Adds<Item, Cause, Source> {
  readonly #table: EntryTable<Item, Cause, Source>;
  readonly #backlog: Backlog<Item, Cause, Source>;
  readonly #dueTimes: DueTimes;
  readonly #origins: Origins<Cause, Source>;
  readonly #grouping: Grouping<Item>;
  readonly #now: () => number;
  readonly #thisTurn: () => number;

  constructor(parts: AddedTo<Item, Cause, Source>) {
    this.#table = parts.table;
    this.#backlog = parts.backlog;
    this.#dueTimes = parts.dueTimes;
    this.#origins = parts.origins;
    this.#grouping = parts.grouping;
    this.#now = parts.now;
    this.#thisTurn = parts.thisTurn;
  }

  add(item: Item, key: unknown, options: AddOptions<Cause>): void {
    const entry = this.#table.entries.get(key);
    if (options.rateLimited === true && this.#isFailure(entry)) {
      this.#addRetry(item, key, entry, options);
    } else if (entry !== undefined && entry.place >= Place.waiting) {
      this.#collapse(entry, options);
    } else {
      const { after, debounce, rateLimited } = options;
      const isDelayed = after !== undefined || debounce !== undefined || rateLimited === true;
      const now = isDelayed ? this.#now() : this.#thisTurn();
      const due =
        isDelayed || !this.#dueTimes.isEmpty
          ? this.#dueTimes.due(key, options, now, Infinity)
          : now;
      const claimed = this.#table.claim(key, entry, item, options.priority ?? 0);
      if (this.#grouping.isUsed) claimed.group = this.#grouping.groupOf(item);
      this.#origins.begin(claimed, options, now);
      if (due <= now) this.#backlog.makeReady(claimed, now);
      else this.#backlog.delay(claimed, due, debounceOf(options) === undefined);
    }
  }

  /**
   * True if a rate-limited add counts as a failure: the first one of a run, or one that creates an entry without a run.
   */
  #isFailure(entry: Entry<Item, Cause, Source> | undefined): boolean {
    if (entry === undefined) return true;
    return entry.held === undefined ? entry.place < Place.waiting : !entry.held.hasFailed;
  }

  /** Merges an add into the entry of its key. */
  #collapse(entry: Entry<Item, Cause, Source>, options: AddOptions<Cause>): void {
    this.#origins.extend(entry, options);
    this.#backlog.raise(entry, options.priority ?? 0);
    if (this.#backlog.isReady(entry)) return;
    const now = this.#now();
    if (debounceOf(options) === undefined) {
      this.#advance(entry, this.#dueTimes.due(entry.key, options, now, Infinity), now);
      return;
    }
    // An entry that is due is not postponed, even if the timer is late.
    if (entry.at <= now) return;
    const due = this.#dueTimes.due(entry.key, options, now, entry.at);
    this.#backlog.reschedule(entry, Math.min(due, this.#dueTimes.fixedAt(entry.key)), now);
  }

  #advance(entry: Entry<Item, Cause, Source>, due: number, now: number): void {
    this.#dueTimes.fix(entry.key, due);
    this.#backlog.advance(entry, due, now);
  }

  /** Records the failure of a run and queues its retry, which keeps the sources of the run. */
  #addRetry(
    item: Item,
    key: unknown,
    known: Entry<Item, Cause, Source> | undefined,
    options: AddOptions<Cause>,
  ): void {
    const { after = 0, priority = 0 } = options;
    const now = this.#now();
    const due = Math.max(this.#dueTimes.fail(key, now, options.backoff), now + after);
    const held = known?.held;
    if (held !== undefined) held.hasFailed = true;
    if (known !== undefined && known.place >= Place.waiting) {
      const origin = known.originOfAll() ?? new Origin(true);
      known.replaceOrigin(this.#origins.inherit(held?.origin, origin, options));
      this.#backlog.raise(known, priority);
      this.#advance(known, due, now);
      return;
    }
    const entry = this.#table.claim(key, known, item, priority);
    if (this.#grouping.isUsed) entry.group = this.#grouping.groupOf(item);
    if (held === undefined) this.#origins.begin(entry, options, now);
    else entry.replaceOrigin(this.#origins.inherit(held.origin, undefined, options));
    if (due <= now) this.#backlog.makeReady(entry, now);
    else this.#backlog.delay(entry, due, true);
  }
}
