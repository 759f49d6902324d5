/**
 * Limits the number of values of a label: the first values keep their own text, all further ones share `overflow`.
 * A value with its own text keeps it, so that its series never changes its meaning.
 */
export class BoundedLabel<Value extends number | string = number> {
  readonly #seen = new Map<Value, string>();
  readonly #limit: number;
  readonly #overflow: string;
  #hasOverflown = false;

  constructor(limit: number, overflow: string) {
    this.#limit = limit;
    this.#overflow = overflow;
  }

  of(value: Value): string {
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

  /** Every label that `of` has returned. */
  seen(): string[] {
    return [...this.#seen.values(), ...(this.#hasOverflown ? [this.#overflow] : [])];
  }
}
