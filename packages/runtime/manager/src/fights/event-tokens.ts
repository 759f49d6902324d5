import type { EventRate } from './event-rate.ts';

const MIN_CELLS = 64;
const MAX_CELLS = 4096;

/**
 * Keeps a token bucket for each key, in a hash table with one cell for each hash value. A cell stores one number: the
 * time at which the bucket of its key is full again.
 *
 * A key takes over the cell of another key whose bucket lacks at most one token. If that bucket lacks more, the table
 * grows. In a table of the largest size the first key keeps the cell, and the second one is not limited. So the memory
 * is bounded, the cost of an event does not depend on the number of keys, and idle keys need no removal.
 */
export class EventTokens {
  readonly #intervalMs: number;
  /** Milliseconds in which an empty bucket gets all tokens but one. */
  readonly #leadMs: number;
  readonly #maxCells: number;
  #keys: (string | undefined)[] = [];
  #fullAt = new Float64Array(0);

  constructor({ burst, intervalMs }: EventRate, maxCells: number = MAX_CELLS) {
    this.#intervalMs = intervalMs;
    this.#leadMs = (burst - 1) * intervalMs;
    this.#maxCells = maxCells;
  }

  /** The number of cells. */
  get size(): number {
    return this.#keys.length;
  }

  /**
   * Takes a token. Returns 0, or the milliseconds until the next token if the bucket is empty. The first call on an
   * empty bucket reserves that token, and further calls until then share it.
   */
  take(key: string, now: number): number {
    const time = Math.floor(now);
    const own = this.#cellOf(key);
    const cell = this.#keys[own] === key ? own : this.#claim(key, time);
    if (cell === -1) return 0;
    const full = Math.max(this.#fullAt[cell] ?? 0, time);
    const wait = full - this.#leadMs - time;
    if (wait > this.#intervalMs) return wait - this.#intervalMs;
    this.#fullAt[cell] = full + this.#intervalMs;
    return Math.max(0, wait);
  }

  /** Fills the bucket of a key. */
  fill(key: string): void {
    const cell = this.#cellOf(key);
    if (this.#keys[cell] === key) this.#fullAt[cell] = 0;
  }

  /** Returns the cell of a key, which the key may take over; -1 if another key keeps the cell. */
  #claim(key: string, time: number): number {
    if (this.#keys.length === 0) this.#resize(Math.min(MIN_CELLS, this.#maxCells));
    const cell = this.#cellOf(key);
    const holder = this.#keys[cell];
    if (holder !== undefined && (this.#fullAt[cell] ?? 0) - time > this.#intervalMs) {
      if (this.#keys.length >= this.#maxCells) return -1;
      this.#resize(Math.min(this.#keys.length * 4, this.#maxCells));
      return this.#claim(key, time);
    }
    this.#keys[cell] = key;
    this.#fullAt[cell] = 0;
    return cell;
  }

  /** The number of cells is a power of two. */
  #cellOf(key: string): number {
    let hash = 0;
    for (let at = 0; at < key.length; at += 1) {
      hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
    }
    return (hash ^ (hash >>> 15)) & (this.#keys.length - 1);
  }

  #resize(cells: number): void {
    const [keys, fullAt] = [this.#keys, this.#fullAt];
    this.#keys = Array.from({ length: cells }, () => undefined);
    this.#fullAt = new Float64Array(cells);
    for (const [from, key] of keys.entries()) {
      if (key === undefined) continue;
      // Two keys never collide here: cells that differ in the smaller table differ in the larger one too.
      const cell = this.#cellOf(key);
      this.#keys[cell] = key;
      this.#fullAt[cell] = fullAt[from] ?? 0;
    }
  }
}
