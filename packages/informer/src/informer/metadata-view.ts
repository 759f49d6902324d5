import type { DeepReadonly, Persisted, PersistedMeta } from '@keelson/apimachinery';
import type { ObjectView } from '../contract/object-view.ts';

/**
 * The metadata of an object whose body the store also has. `value()` returns what a watch of the
 * metadata returns, and parses no body.
 */
export class MetadataView implements ObjectView {
  readonly #object: ObjectView;

  constructor(object: ObjectView) {
    this.#object = object;
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
    const { apiVersion, kind, metadata } = this.#object;
    const value = { apiVersion, kind, metadata };
    return Object.isFrozen(metadata) ? Object.freeze(value) : value;
  }
}
