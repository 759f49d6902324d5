import type { EventRate } from './event-rate.ts';

/** The keys of one generation. More keys than two generations forget the ones that were idle for the longest time. */
const MAX_KEYS = 10_000;

/**
 * A token bucket for each key. It keeps one number for a key: the time at which its bucket is full again. Keys whose
 * buckets are full are forgotten in generations, so that no timer and no search is needed.
 */
export class EventTokens {
  readonly #intervalMs: number;
  /** The time in which an empty bucket gets all tokens but one. */
  readonly #leadMs: number;
  /** The longest time until a bucket is full, with one reserved token. */
  readonly #generationMs: number;
  readonly #maxKeys: number;
  #recent = new Map<string, number>();
  #older = new Map<string, number>();
  /** The time at which a new generation begins. */
  #turnAt = 0;

  constructor({ burst, intervalMs }: EventRate, maxKeys: number = MAX_KEYS) {
    this.#intervalMs = intervalMs;
    this.#leadMs = (burst - 1) * intervalMs;
    this.#generationMs = (burst + 1) * intervalMs;
    this.#maxKeys = maxKeys;
  }

  /** The number of keys whose state is kept. */
  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  /**
   * Takes a token. Returns 0, or the milliseconds until the next token if the bucket is empty. The first such call
   * reserves that token, and further ones until then share it.
   */
  take(key: string, now: number): number {
    // Whole numbers, because a map allocates memory for each other number.
    const time = Math.floor(now);
    if (time >= this.#turnAt || this.#recent.size >= this.#maxKeys) this.#turn(time);
    const full = Math.max(this.#recent.get(key) ?? this.#older.get(key) ?? 0, time);
    const wait = full - this.#leadMs - time;
    if (wait > this.#intervalMs) return wait - this.#intervalMs;
    this.#recent.set(key, full + this.#intervalMs);
    return Math.max(0, wait);
  }

  /** Fills the bucket of a key. */
  fill(key: string): void {
    this.#recent.delete(key);
    this.#older.delete(key);
  }

  #turn(time: number): void {
    this.#older = this.#recent;
    this.#recent = new Map();
    this.#turnAt = time + this.#generationMs;
  }
}
