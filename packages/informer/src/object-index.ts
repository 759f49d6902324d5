import type { Indexer } from './object-store.ts';
import type { StoredObject } from './stored-object.ts';

/** Finds objects by values that an indexer computes from them. */
export class ObjectIndex {
  readonly indexer: Indexer;
  readonly #objects = new Map<string, Set<StoredObject>>();
  /** What the indexer said when the object came: asking again might give another answer. */
  readonly #values = new Map<StoredObject, readonly string[]>();
  readonly #onError: (indexer: string, error: unknown) => void;

  constructor(indexer: Indexer, onError: (indexer: string, error: unknown) => void) {
    this.indexer = indexer;
    this.#onError = onError;
  }

  /** An empty one for the same values. */
  successor(): ObjectIndex {
    return new ObjectIndex(this.indexer, this.#onError);
  }

  /** How many values have entries. */
  get size(): number {
    return this.#objects.size;
  }

  add(object: StoredObject): void {
    const values = this.#compute(object);
    if (values.length === 0) return;
    this.#values.set(object, values);
    for (const value of values) {
      const objects = this.#objects.get(value);
      if (objects === undefined) this.#objects.set(value, new Set([object]));
      else objects.add(object);
    }
  }

  remove(object: StoredObject): void {
    for (const value of this.#values.get(object) ?? []) {
      const objects = this.#objects.get(value);
      objects?.delete(object);
      if (objects?.size === 0) this.#objects.delete(value);
    }
    this.#values.delete(object);
  }

  get(value: string): Iterable<StoredObject> {
    return this.#objects.get(value) ?? [];
  }

  /** An indexer that throws costs the entry, never the object. */
  #compute(object: StoredObject): readonly string[] {
    const { indexer } = this;
    try {
      return 'head' in indexer ? indexer.head(object) : indexer.body(object.value());
    } catch (error) {
      this.#onError(indexer.name, error);
      return [];
    }
  }
}
