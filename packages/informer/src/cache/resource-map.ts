import { resourceId, type ApiResource } from '@keelson/apimachinery';

/** A value per kind, found by any token of the kind. */
export class ResourceMap<V> {
  readonly #values = new Map<string, V>();
  /** The ids of tokens: every cached read looks its token up. */
  readonly #ids = new WeakMap<ApiResource, string>();

  get(resource: ApiResource): V | undefined {
    return this.#values.get(this.#idOf(resource));
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
    const known = this.#ids.get(resource);
    if (known !== undefined) return known;
    const id = resourceId(resource);
    this.#ids.set(resource, id);
    return id;
  }
}
