import { isWithdrawn, Origin } from './origin.ts';
import type { WorkItem } from '../contract/work-item.ts';

/** The facts about an entry at the moment when it is handed out. */
export interface HandedOut<Item, Cause, Source> {
  readonly item: Item | undefined;
  readonly priority: number;
  /** The time when it became ready. */
  readonly at: number;
  /** The only cause, or an origin with all causes; neither if no add named a cause. */
  readonly cause: Cause | undefined;
  readonly causedAt: number;
  readonly origin: Origin<Cause, Source> | undefined;
}

/** The ends of the list of held items, in the order in which they were handed out. */
export interface HeldList<Item, Cause, Source> {
  first: HeldItem<Item, Cause, Source> | undefined;
  last: HeldItem<Item, Cause, Source> | undefined;
}

const none: readonly never[] = Object.freeze([]);

/**
 * An item that a worker holds. It is the `WorkItem` of the worker and the member of the list of held items as well, to
 * save two allocations for every hand-out.
 */
export class HeldItem<Item, Cause, Source> implements WorkItem<Item, Cause> {
  readonly item: Item;
  readonly priority: number;
  readonly failures: number;
  readonly queuedMs: number;
  readonly startedAt: number;
  /** The only cause, for which no origin is created until it is read. */
  readonly #cause: Cause | undefined;
  readonly #causedAt: number;
  #initialOrigin: Origin<Cause, Source> | undefined;
  /** The origin after sources were withdrawn; `undefined` before. */
  #reduced: Origin<Cause, Source> | undefined = undefined;
  #hasFailed = false;
  #next: HeldItem<Item, Cause, Source> | undefined = undefined;
  #previous: HeldItem<Item, Cause, Source> | undefined;

  /** Hands out an entry, and appends it to the list of held items. */
  constructor(
    entry: HandedOut<Item, Cause, Source>,
    failures: number,
    now: number,
    list: HeldList<Item, Cause, Source>,
  ) {
    this.item = entry.item as Item;
    this.priority = entry.priority;
    this.failures = failures;
    this.queuedMs = now - entry.at;
    this.startedAt = now;
    this.#cause = entry.cause;
    this.#causedAt = entry.causedAt;
    this.#initialOrigin = entry.origin;
    this.#previous = list.last;
    if (list.last === undefined) list.first = this;
    else list.last.#next = this;
    list.last = this;
  }

  get causes(): readonly Cause[] {
    if (this.#cause !== undefined) return [this.#cause];
    return this.#initialOrigin?.causes() ?? none;
  }

  get causedAt(): readonly number[] {
    if (this.#cause !== undefined) return [this.#causedAt];
    return this.#initialOrigin?.causedAt() ?? none;
  }

  /**
   * The origin at the time when the item was handed out, including sources that were withdrawn
   * later.
   */
  get initialOrigin(): Origin<Cause, Source> | undefined {
    if (this.#cause !== undefined) this.#initialOrigin ??= Origin.of(this.#cause, this.#causedAt);
    return this.#initialOrigin;
  }

  /** The origin without withdrawn sources: a retry inherits it. */
  get origin(): Origin<Cause, Source> | undefined {
    return this.#reduced ?? this.initialOrigin;
  }

  /** True after a rate-limited add has reported the failure of this run. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get isWithdrawn(): boolean {
    return isWithdrawn(this.#reduced);
  }

  fail(): void {
    this.#hasFailed = true;
  }

  /** Replaces the origin after sources were withdrawn. */
  reduce(origin: Origin<Cause, Source>): void {
    this.#reduced = origin;
  }

  /** The item that was handed out after this one, if a worker holds one. */
  after(): HeldItem<Item, Cause, Source> | undefined {
    return this.#next;
  }

  /** Leaves the list of held items. */
  leave(list: HeldList<Item, Cause, Source>): void {
    const next = this.#next;
    const previous = this.#previous;
    if (previous === undefined) list.first = next;
    else previous.#next = next;
    if (next === undefined) list.last = previous;
    else next.#previous = previous;
    this.#next = undefined;
    this.#previous = undefined;
  }
}
