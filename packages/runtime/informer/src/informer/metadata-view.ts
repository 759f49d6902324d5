import type { DeepReadonly, Persisted, PersistedMeta } from '@keelson/apimachinery';
import type { ObjectView } from '../contract/object-view.ts';
import type { StoredObject } from '../store/stored-object.ts';

/**
 * Shows only the metadata of an object that the store has in full. `value()` returns the same as with a watch of the
 * metadata. It parses no body, unless the cache keeps `managedFields`.
 */
export class MetadataView implements ObjectView {
  readonly #object: StoredObject;

  constructor(object: StoredObject) {
    this.#object = object;
  }

  shown(): this {
    this.#object.shown();
    return this;
  }

  get key(): string {
    return this.#object.key;
  }

  get namespace(): string | undefined {
    return this.#object.namespace;
  }

  get name(): string {
    return this.#object.name;
  }

  get uid(): string {
    return this.#object.uid;
  }

  get resourceVersion(): string {
    return this.#object.resourceVersion;
  }

  get apiVersion(): string {
    return this.#object.apiVersion;
  }

  get kind(): string {
    return this.#object.kind;
  }

  get metadata(): DeepReadonly<PersistedMeta> {
    return this.#object.metadata;
  }

  value(): DeepReadonly<Persisted> {
    return this.#object.partial();
  }
}
