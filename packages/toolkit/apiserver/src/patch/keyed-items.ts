import { ItemIds } from './item-ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '@keelson/structural-schema';

/** A list of objects with a merge key during a merge. If several items share a key, the first one is used. */
export class KeyedItems {
  readonly #ids = new ItemIds();
  readonly #items: (JsonValue | undefined)[];
  readonly #places = new Map<string, number[]>();

  constructor(list: readonly JsonValue[], key: string) {
    this.#items = [...list];
    for (const [index, item] of list.entries()) {
      if (isJsonObject(item) && item[key] !== undefined) this.#placesOf(item[key]).push(index);
    }
  }

  get(id: JsonValue): JsonObject | undefined {
    const item = this.#items[this.#placesOf(id)[0] ?? -1];
    return isJsonObject(item) ? item : undefined;
  }

  /** Replaces the item with this key, or adds it at the end. */
  set(id: JsonValue, item: JsonObject): void {
    const places = this.#placesOf(id);
    places[0] ??= this.#items.length;
    this.#items[places[0]] = item;
  }

  /** Removes all items with this key. */
  delete(id: JsonValue): void {
    for (const index of this.#placesOf(id).splice(0)) this.#items[index] = undefined;
  }

  all(): JsonValue[] {
    return this.#items.filter((item) => item !== undefined);
  }

  #placesOf(id: JsonValue): number[] {
    const text = this.#ids.of(id);
    let places = this.#places.get(text);
    if (places === undefined) {
      places = [];
      this.#places.set(text, places);
    }
    return places;
  }
}
