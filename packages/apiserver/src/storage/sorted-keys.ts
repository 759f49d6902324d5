import type { ObjectKey } from '@keelson/apimachinery';

/**
 * Keys in the order in which lists return them. New keys wait unsorted until somebody reads, so that a storm of
 * creates costs one merge at the next list.
 */
export class SortedKeys {
  #sorted: ObjectKey[] = [];
  #added: ObjectKey[] = [];
  #removed = new Set<ObjectKey>();

  /** The key must not be among the present ones. */
  add(key: ObjectKey): void {
    if (!this.#removed.delete(key)) this.#added.push(key);
  }

  remove(key: ObjectKey): void {
    this.#removed.add(key);
  }

  /** All keys in ascending order; the array is not to be changed and good until the next change. */
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

/** The first position whose key is not below `key`. */
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

/** The result is a new array: a list that is being written keeps reading the one it began with. */
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
