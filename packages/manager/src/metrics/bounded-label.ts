/**
 * Keeps the values of a label bounded: the first few are exact, all others share one.
 * A value that is exact once stays exact, so that its series never changes its meaning.
 */
export class BoundedLabel {
  readonly #seen = new Map<number, string>();
  readonly #limit: number;
  readonly #overflow: string;
  #hasOverflown = false;

  constructor(limit: number, overflow: string) {
    this.#limit = limit;
    this.#overflow = overflow;
  }

  of(value: number): string {
    const known = this.#seen.get(value);
    if (known !== undefined) return known;
    if (this.#seen.size >= this.#limit) {
      this.#hasOverflown = true;
      return this.#overflow;
    }
    const label = String(value);
    this.#seen.set(value, label);
    return label;
  }

  /** Every label handed out so far. */
  seen(): string[] {
    return [...this.#seen.values(), ...(this.#hasOverflown ? [this.#overflow] : [])];
  }
}
