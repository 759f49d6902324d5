import { isJsonObject, type JsonValue, sortMembers } from '../json/json-value.ts';
import { jsonText } from '../json/exact-json.ts';

/** Finds items of lists by their merge key, or by their value, in a time that does not grow with the list. */
export class ItemIds {
  readonly #key: string | undefined;

  /** `key`: the merge key of a list of objects. */
  constructor(key?: string) {
    this.#key = key;
  }

  /** A text that two items share if and only if their keys are equal JSON. Scalars are their own keys. */
  of(item: JsonValue): string {
    const own = this.#key === undefined || !isJsonObject(item) ? item : (item[this.#key] ?? null);
    return jsonText(sortMembers(own));
  }

  /** The first place of every item. */
  places(items: readonly JsonValue[]): ReadonlyMap<string, number> {
    const places = new Map<string, number>();
    for (const [index, item] of items.entries()) {
      const id = this.of(item);
      if (!places.has(id)) places.set(id, index);
    }
    return places;
  }
}
