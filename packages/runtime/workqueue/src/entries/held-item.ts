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
  /** True after a rate-limited add has reported the failure of this run. */
  hasFailed = false;
  /** The neighbours in the list of held items. */
  next: HeldItem<Item, Cause, Source> | undefined = undefined;
  previous: HeldItem<Item, Cause, Source> | undefined;

  /** Hands out an entry, after the item that was handed out last. */
  constructor(
    entry: HandedOut<Item, Cause, Source>,
    failures: number,
    now: number,
    previous: HeldItem<Item, Cause, Source> | undefined,
  ) {
    this.item = entry.item as Item;
    this.priority = entry.priority;
    this.failures = failures;
    this.queuedMs = now - entry.at;
    this.startedAt = now;
    this.#cause = entry.cause;
    this.#causedAt = entry.causedAt;
    this.#initialOrigin = entry.origin;
    this.previous = previous;
    if (previous !== undefined) previous.next = this;
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

  get isWithdrawn(): boolean {
    return isWithdrawn(this.#reduced);
  }

  /** Replaces the origin after sources were withdrawn. */
  reduce(origin: Origin<Cause, Source>): void {
    this.#reduced = origin;
  }
}
