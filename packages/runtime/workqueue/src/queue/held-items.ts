import type { Entry } from '../entries/entry-table.ts';
import { HeldItem } from '../entries/held-item.ts';

/**
 * The items that workers hold, in the order in which they were handed out. The key of a held item is locked: its entry
 * has the item as `held`. The cost of the metrics does not depend on the number of items.
 */
export class HeldItems<Item, Cause, Source> {
  #first: HeldItem<Item, Cause, Source> | undefined = undefined;
  #last: HeldItem<Item, Cause, Source> | undefined = undefined;
  /**
   * The entry of the item that was handed out last, until it is released. A worker that finishes each item before it
   * takes the next saves a search for the key.
   */
  lastEntry: Entry<Item, Cause, Source> | undefined = undefined;
  /** The number of held items. */
  size = 0;
  /**
   * The sum of `startedAt`; exactly 0 without held items, so that rounding errors do not add up.
   */
  #startedSum = 0;

  /** Hands out the item of an entry: it locks the key. */
  hold(
    entry: Entry<Item, Cause, Source>,
    failures: number,
    now: number,
  ): HeldItem<Item, Cause, Source> {
    const held = new HeldItem(entry, failures, now, this.#last);
    this.#first ??= held;
    this.#last = held;
    entry.clear();
    entry.held = held;
    this.lastEntry = entry;
    this.size += 1;
    this.#startedSum += now;
    return held;
  }

  /** Unlocks the key of an entry. Returns the item that was held, if any. */
  release(entry: Entry<Item, Cause, Source>): HeldItem<Item, Cause, Source> | undefined {
    const { held } = entry;
    if (held === undefined) return undefined;
    entry.held = undefined;
    if (this.lastEntry === entry) this.lastEntry = undefined;
    const { next, previous } = held;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    held.next = undefined;
    held.previous = undefined;
    this.size -= 1;
    this.#startedSum = this.size === 0 ? 0 : this.#startedSum - held.startedAt;
    return held;
  }

  *[Symbol.iterator](): Generator<HeldItem<Item, Cause, Source>, void> {
    for (let held = this.#first; held !== undefined; held = held.next) yield held;
  }

  /** The sum of the times for which the items have been held, in ms. */
  unfinishedMs(now: number): number {
    return Math.max(0, this.size * now - this.#startedSum);
  }

  /**
   * How long the first item has been held, in ms. It is the longest time, because the clock never
   * goes back.
   */
  longestRunningMs(now: number): number {
    return this.#first === undefined ? 0 : now - this.#first.startedAt;
  }
}
