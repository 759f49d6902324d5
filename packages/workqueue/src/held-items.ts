import type { Origin } from './origin.ts';
import type { WorkItem } from './work-item.ts';

/** An item that a worker holds: the lock of its key. */
export interface HeldItem<Item, Cause, Source> {
  readonly work: WorkItem<Item, Cause>;
  /** Everything that asked for the item, also what was withdrawn since. */
  readonly asked: Origin<Cause, Source> | undefined;
  /** What asked for the item and was not withdrawn. */
  origin: Origin<Cause, Source> | undefined;
  /** True once a rate-limited add has reported the failure of this run. */
  hasFailed: boolean;
  previous: HeldItem<Item, Cause, Source> | undefined;
  next: HeldItem<Item, Cause, Source> | undefined;
}

/**
 * The items that workers hold, in the order in which they were handed out. The figures for metrics
 * cost the same whatever is held.
 */
export class HeldItems<Item, Cause, Source> {
  #first: HeldItem<Item, Cause, Source> | undefined;
  #last: HeldItem<Item, Cause, Source> | undefined;
  #size = 0;
  /** Sum of `startedAt`; exactly 0 when nothing is held, so that rounding does not add up. */
  #startedSum = 0;

  get size(): number {
    return this.#size;
  }

  push(
    work: WorkItem<Item, Cause>,
    origin: Origin<Cause, Source> | undefined,
  ): HeldItem<Item, Cause, Source> {
    const previous = this.#last;
    const held = { work, asked: origin, origin, hasFailed: false, previous, next: undefined };
    if (previous === undefined) this.#first = held;
    else previous.next = held;
    this.#last = held;
    this.#size += 1;
    this.#startedSum += work.startedAt;
    return held;
  }

  remove(held: HeldItem<Item, Cause, Source>): void {
    const { previous, next } = held;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    this.#size -= 1;
    this.#startedSum = this.#size === 0 ? 0 : this.#startedSum - held.work.startedAt;
  }

  *[Symbol.iterator](): Generator<HeldItem<Item, Cause, Source>, void> {
    for (let held = this.#first; held !== undefined; held = held.next) yield held;
  }

  /** How long each item has been held, added up. */
  unfinishedMs(now: number): number {
    return Math.max(0, this.#size * now - this.#startedSum);
  }

  /** How long the first of them has been held: the clock never goes back. */
  longestRunningMs(now: number): number {
    return this.#first === undefined ? 0 : now - this.#first.work.startedAt;
  }
}
