import { informerError } from '../errors.ts';
import type { Indexer } from '../contract/object-store.ts';
import { ifReadable, type StoredObject } from './stored-object.ts';
import { callMethod, FAILED } from '../contract/user-code.ts';

const NONE: readonly string[] = [];

/** What an indexer returned, one text or several, in an array of our own: the user may change his. */
type Values = string | readonly string[];

/** Finds objects by values that an indexer computes from them. */
export class ObjectIndex {
  readonly indexer: Indexer;
  readonly #objects = new Map<string, Set<StoredObject>>();
  /** What the indexer returned when the object came: a second call might return something else. */
  readonly #values = new Map<StoredObject, Values>();
  readonly #onError: (indexer: string, error: unknown) => void;
  readonly #failed = (error: unknown): void => this.#onError(this.indexer.name, error);
  /** What is still to be indexed, from the end on. Some of it may have left the store meanwhile. */
  #rest: StoredObject[] = [];
  #isStored: (object: StoredObject) => boolean = () => false;

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
    this.#values.set(object, kept(values));
    for (const value of values) {
      const objects = this.#objects.get(value);
      if (objects === undefined) this.#objects.set(value, new Set([object]));
      else objects.add(object);
    }
  }

  remove(object: StoredObject): void {
    for (const value of listOf(this.#values.get(object))) {
      const objects = this.#objects.get(value);
      objects?.delete(object);
      if (objects?.size === 0) this.#objects.delete(value);
    }
    this.#values.delete(object);
  }

  /** Takes objects that were stored before the index. They are found from now on, and indexed by `indexNext`. */
  adopt(objects: Iterable<StoredObject>, isStored: (object: StoredObject) => boolean): void {
    this.#rest = Array.from(objects);
    this.#isStored = isStored;
  }

  /** Indexes one of them; false at the end. */
  indexNext(): boolean {
    const object = this.#rest.pop();
    if (object !== undefined && this.#isStored(object)) this.add(object);
    return this.#rest.length > 0;
  }

  /** Costs a lookup, and a scan of the objects that are not indexed yet. */
  get(value: string): Iterable<StoredObject> {
    const found = this.#objects.get(value) ?? [];
    return this.#rest.length === 0 ? found : [...found, ...this.#scan(value)];
  }

  /** Whether the indexer returns the value for an object of any store. */
  matches(object: StoredObject, value: string): boolean {
    const known = this.#values.get(object);
    return (known === undefined ? this.#compute(object) : listOf(known)).includes(value);
  }

  #scan(value: string): StoredObject[] {
    return this.#rest.filter((object) => this.#isStored(object) && this.matches(object, value));
  }

  /** A body that does not parse is being fetched again. */
  #fromBody(indexer: Extract<Indexer, { body: unknown }>, object: StoredObject): unknown {
    const body = ifReadable(() => object.value(), undefined);
    return body === undefined ? NONE : callMethod(this.#failed, indexer, 'body', body);
  }

  /** An indexer that throws, or returns something else than texts, costs the entry, never the object. */
  #compute(object: StoredObject): readonly string[] {
    const { indexer } = this;
    const values: unknown =
      'head' in indexer
        ? callMethod(this.#failed, indexer, 'head', object)
        : this.#fromBody(indexer, object);
    if (values === FAILED) return NONE;
    if (areTexts(values)) return values;
    this.#failed(informerError('INDEXER_RESULT', { indexer: indexer.name }));
    return NONE;
  }
}

function kept(values: readonly string[]): Values {
  const [only] = values;
  return only !== undefined && values.length === 1 ? only : [...values];
}

function listOf(values: Values | undefined): readonly string[] {
  return typeof values === 'string' ? [values] : (values ?? NONE);
}

function areTexts(values: unknown): values is readonly string[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}
