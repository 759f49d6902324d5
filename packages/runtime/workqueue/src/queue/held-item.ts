import { isWithdrawn, type Origin } from '../backlog/origin.ts';
import type { WorkItem } from '../contract/work-item.ts';

const none: readonly never[] = Object.freeze([]);

/**
 * An item that a worker holds. It is the `WorkItem` of the worker as well, to save an allocation for
 * every hand-out.
 */
export class HeldItem<Item, Cause, Source> implements WorkItem<Item, Cause> {
  readonly item: Item;
  readonly priority: number;
  readonly failures: number;
  readonly queuedMs: number;
  readonly startedAt: number;
  readonly #initialOrigin: Origin<Cause, Source> | undefined;
  #origin: Origin<Cause, Source> | undefined;
  #hasFailed = false;

  /** Takes one parameter for each fact, because an object with them would be a second allocation. */
  constructor(
    item: Item,
    priority: number,
    failures: number,
    queuedMs: number,
    startedAt: number,
    origin: Origin<Cause, Source> | undefined,
  ) {
    this.item = item;
    this.priority = priority;
    this.failures = failures;
    this.queuedMs = queuedMs;
    this.startedAt = startedAt;
    this.#initialOrigin = origin;
    this.#origin = origin;
  }

  get causes(): readonly Cause[] {
    return this.#initialOrigin?.causes() ?? none;
  }

  get causedAt(): readonly number[] {
    return this.#initialOrigin?.causedAt() ?? none;
  }

  /**
   * The origin at the time when the item was handed out, including sources that were withdrawn
   * later.
   */
  get initialOrigin(): Origin<Cause, Source> | undefined {
    return this.#initialOrigin;
  }

  /** The origin without withdrawn sources: a retry inherits it. */
  get origin(): Origin<Cause, Source> | undefined {
    return this.#origin;
  }

  /** True after a rate-limited add has reported the failure of this run. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get isWithdrawn(): boolean {
    return isWithdrawn(this.#origin);
  }

  fail(): void {
    this.#hasFailed = true;
  }

  /** Replaces the origin after sources were withdrawn. */
  reduce(origin: Origin<Cause, Source>): void {
    this.#origin = origin;
  }
}
