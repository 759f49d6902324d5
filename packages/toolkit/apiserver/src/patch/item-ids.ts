import { isJsonObject, jsonText, type JsonValue, sortMembers } from '@keelson/structural-schema';

/** Finds list items by merge key or by value, in constant time per item. */
export class ItemIds {
  readonly #key: string | undefined;

  /** Takes the merge key of a list of objects; without it, items are identified by value. */
  constructor(key?: string) {
    this.#key = key;
  }

  /** Returns a string that two items share if and only if their keys are equal JSON. A scalar is its own key. */
  of(item: JsonValue): string {
    const own = this.#key === undefined || !isJsonObject(item) ? item : (item[this.#key] ?? null);
    return jsonText(sortMembers(own));
  }

  /** Returns the first index of every item, by id. */
  places(items: readonly JsonValue[]): ReadonlyMap<string, number> {
    const places = new Map<string, number>();
    for (const [index, item] of items.entries()) {
      const id = this.of(item);
      if (!places.has(id)) places.set(id, index);
    }
    return places;
  }
}
