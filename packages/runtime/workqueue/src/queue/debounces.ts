import type { Debounce } from '../contract/debounce.ts';

/** The times between which the entry of a key may be postponed. */
interface Window {
  /** The latest time that the debounced adds allow. */
  latest: number;
  /** The earliest time of an add that is not debounced, which no add postpones. `Infinity` without such an add. */
  fixed: number;
}

/**
 * The windows of the entries that debounced adds have delayed. A window begins with the first debounced add and ends when
 * the entry is handed out or dropped.
 */
export class Debounces {
  readonly #windows = new Map<unknown, Window>();
  /** The size of the map costs a call for every take. */
  #isEmpty = true;

  /**
   * Records a debounced add. Returns the time that it asks for: after `wait`, but not after the end of the window.
   * `due` is the time of the existing entry, `Infinity` without one.
   */
  delay(key: unknown, { wait, maxWait }: Debounce, now: number, due: number): number {
    let window = this.#windows.get(key);
    if (window === undefined) {
      window = { latest: now + maxWait, fixed: due };
      this.#windows.set(key, window);
      this.#isEmpty = false;
    }
    window.latest = Math.min(window.latest, now + maxWait);
    return Math.min(now + wait, window.latest);
  }

  /** Records that an add without debounce is due at this time. */
  fix(key: unknown, due: number): void {
    const window = this.#isEmpty ? undefined : this.#windows.get(key);
    if (window !== undefined) window.fixed = Math.min(window.fixed, due);
  }

  /** Returns the time beyond which no debounced add may postpone the entry. */
  fixedAt(key: unknown): number {
    return this.#windows.get(key)?.fixed ?? Infinity;
  }

  /** Ends the window of a key. */
  end(key: unknown): void {
    if (this.#isEmpty) return;
    this.#windows.delete(key);
    this.#isEmpty = this.#windows.size === 0;
  }
}
