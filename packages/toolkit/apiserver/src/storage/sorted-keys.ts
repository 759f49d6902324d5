import type { ObjectKey } from '@keelson/apimachinery';

/** Keys in the order of lists. New keys stay unsorted until the next read, so many creates cost only one merge. */
export class SortedKeys {
  #sorted: ObjectKey[] = [];
  #added: ObjectKey[] = [];
  #removed = new Set<ObjectKey>();

  /** Adds a key that is not present yet. */
  add(key: ObjectKey): void {
    if (!this.#removed.delete(key)) this.#added.push(key);
  }

  remove(key: ObjectKey): void {
    this.#removed.add(key);
  }

  /**
   * Returns all keys in ascending order. The caller must not modify the array, which is valid until the next change.
   */
  all(): readonly ObjectKey[] {
    if (this.#added.length > 0 || this.#removed.size > 0) this.#settle();
    return this.#sorted;
  }

  #settle(): void {
    const kept =
      this.#removed.size === 0
        ? this.#sorted
        : this.#sorted.filter((key) => !this.#removed.has(key));
    const added = this.#added.filter((key) => !this.#removed.has(key)).toSorted(byCodeUnit);
    this.#sorted = merge(kept, added);
    this.#added = [];
    this.#removed = new Set();
  }
}

/** Returns the first position with a key that is not less than `key`. */
export function lowerBound(keys: readonly ObjectKey[], key: ObjectKey): number {
  let from = 0;
  let to = keys.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((keys[middle] ?? '') < key) from = middle + 1;
    else to = middle;
  }
  return from;
}

export function byCodeUnit(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns a new array, because a list in progress still reads the previous one. */
function merge(left: readonly ObjectKey[], right: readonly ObjectKey[]): ObjectKey[] {
  if (left.length === 0 || right.length === 0) return [...left, ...right];
  const merged: ObjectKey[] = [];
  let at = 0;
  for (const key of left) {
    for (; at < right.length && (right[at] ?? '') < key; at++) merged.push(right[at] ?? '');
    merged.push(key);
  }
  for (; at < right.length; at++) merged.push(right[at] ?? '');
  return merged;
}
