import type { HeldItem } from '../backlog/held-item.ts';

/**
 * The items that workers hold, in the order in which they were handed out. The cost of the metrics
 * does not depend on the number of items.
 */
export class HeldItems<Item, Cause, Source> {
  #first: HeldItem<Item, Cause, Source> | undefined;
  #last: HeldItem<Item, Cause, Source> | undefined;
  #size = 0;
  /**
   * The sum of `startedAt`; exactly 0 without held items, so that rounding errors do not add up.
   */
  #startedSum = 0;

  get size(): number {
    return this.#size;
  }

  /** The item that went out last: the next one joins the chain behind it. */
  get last(): HeldItem<Item, Cause, Source> | undefined {
    return this.#last;
  }

  /** Counts an item that was made with `last` as its predecessor. */
  push(held: HeldItem<Item, Cause, Source>): void {
    this.#first ??= held;
    this.#last = held;
    this.#size += 1;
    this.#startedSum += held.startedAt;
  }

  remove(held: HeldItem<Item, Cause, Source>): void {
    if (held === this.#first) this.#first = held.next;
    if (held === this.#last) this.#last = held.previous;
    held.unlink();
    this.#size -= 1;
    this.#startedSum = this.#size === 0 ? 0 : this.#startedSum - held.startedAt;
  }

  *[Symbol.iterator](): Generator<HeldItem<Item, Cause, Source>, void> {
    for (let held = this.#first; held !== undefined; held = held.next) yield held;
  }

  /** The sum of the times for which the items have been held, in ms. */
  unfinishedMs(now: number): number {
    return Math.max(0, this.#size * now - this.#startedSum);
  }

  /**
   * How long the first item has been held, in ms. It is the longest time, because the clock never
   * goes back.
   */
  longestRunningMs(now: number): number {
    return this.#first === undefined ? 0 : now - this.#first.startedAt;
  }
}
