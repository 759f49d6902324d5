/**
 * A map by text that forgets its oldest entries: it has at most `limit`, and at least the latest half of them.
 *
 * Two maps take turns, and the older one is dropped as a whole. To find the oldest key of one map, V8 would skip the
 * deleted ones before it at each entry.
 */
export class RecentEntries<Value> {
  readonly #half: number;
  #latest = new Map<string, Value>();
  #earlier = new Map<string, Value>();

  constructor(limit: number) {
    this.#half = Math.ceil(limit / 2);
  }

  get size(): number {
    return this.#latest.size + this.#earlier.size;
  }

  get(key: string): Value | undefined {
    return this.#latest.get(key) ?? this.#earlier.get(key);
  }

  /** Sets the newest entry. */
  set(key: string, value: Value): void {
    this.#earlier.delete(key);
    if (this.#latest.size >= this.#half && !this.#latest.has(key)) {
      this.#earlier = this.#latest;
      this.#latest = new Map();
    }
    this.#latest.set(key, value);
  }

  /** Removes an entry and returns it. */
  take(key: string): Value | undefined {
    const value = this.get(key);
    if (value !== undefined && !this.#latest.delete(key)) this.#earlier.delete(key);
    return value;
  }
}
