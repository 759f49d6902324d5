import { resourceId, type ApiResource } from '@keelson/apimachinery';

/** Maps kinds to values; every token of a kind finds the same value. */
export class ResourceMap<V> {
  readonly #values = new Map<string, V>();
  /**
   * The ids of tokens. Every cached read looks up its token, so computing the id each time would be
   * slow.
   */
  readonly #ids = new WeakMap<ApiResource, string>();

  get(resource: ApiResource): V | undefined {
    return this.#values.get(this.#ids.get(resource) ?? this.#idOf(resource));
  }

  set(resource: ApiResource, value: V): void {
    this.#values.set(this.#idOf(resource), value);
  }

  delete(resource: ApiResource): void {
    this.#values.delete(this.#idOf(resource));
  }

  values(): Iterable<V> {
    return this.#values.values();
  }

  #idOf(resource: ApiResource): string {
    const id = resourceId(resource);
    this.#ids.set(resource, id);
    return id;
  }
}
