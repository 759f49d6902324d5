import { ignoreRejections } from '@keelson/apimachinery';
import { informerError } from '../errors.ts';
import { keepsNoView, type Indexer } from '../contract/indexer.ts';
import { readableValue, type StoredObject } from './stored-object.ts';
import { FAILED, UserCode } from '../contract/user-code.ts';

const NONE: readonly string[] = [];

/** The values of an object: one text, or an array. */
type Values = string | readonly string[];

/** The objects under one value. */
interface Entry {
  /** The one string that all objects of the entry share, because each call of an indexer returns a new one. */
  readonly value: string;
  readonly objects: Set<StoredObject>;
}

/** Finds objects by values that an indexer computes from them. */
export class ObjectIndex {
  readonly indexer: Indexer;
  readonly #entries = new Map<string, Entry>();
  /**
   * The values that the indexer returned when the object was added. They are kept because a second call might return
   * others.
   */
  readonly #values = new Map<StoredObject, Values>();
  readonly #onError: (indexer: string, error: unknown) => void;
  readonly #failed = (error: unknown): void => this.#onError(this.indexer.name, error);
  /** The guard of the indexer. The indexes that later relists create share it. */
  readonly #userCode: UserCode;
  /** The objects that are not indexed yet, the next one last. Some may have left the store. */
  #rest: StoredObject[] = [];
  #isStored: (object: StoredObject) => boolean = () => false;
  /** The error of a body that a memory budget has dropped: the index is incomplete until the next list. */
  #notKept: unknown;

  constructor(
    indexer: Indexer,
    onError: (indexer: string, error: unknown) => void,
    userCode?: UserCode,
  ) {
    this.indexer = indexer;
    this.#onError = onError;
    this.#userCode = userCode ?? new UserCode(this.#failed);
  }

  /** Returns an empty index with the same indexer, for the next list. */
  successor(): ObjectIndex {
    return new ObjectIndex(this.indexer, this.#onError, this.#userCode);
  }

  /** True if every stored object is indexed. */
  get isComplete(): boolean {
    return this.#rest.length === 0;
  }

  /** The number of values that have entries. */
  get size(): number {
    return this.#entries.size;
  }

  add(object: StoredObject): void {
    const values = this.#compute(object);
    if (values.length === 0) return;
    this.#values.set(object, kept(values.map((value) => this.#enter(value, object))));
  }

  remove(object: StoredObject): void {
    for (const value of listOf(this.#values.get(object))) {
      const objects = this.#entries.get(value)?.objects;
      objects?.delete(object);
      if (objects?.size === 0) this.#entries.delete(value);
    }
    this.#values.delete(object);
  }

  /**
   * Takes objects that were stored before the index existed. `get` finds them at once; `indexNext`
   * indexes them.
   */
  adopt(objects: Iterable<StoredObject>, isStored: (object: StoredObject) => boolean): void {
    this.#rest = Array.from(objects);
    this.#isStored = isStored;
  }

  /** Indexes one of the adopted objects; returns false after the last one. */
  indexNext(): boolean {
    const object = this.#rest.pop();
    if (object !== undefined && this.#isStored(object)) this.add(object);
    return this.#rest.length > 0;
  }

  /**
   * Returns the objects with a value. It costs a lookup and a scan of the objects that are not
   * indexed yet.
   */
  get(value: string): Iterable<StoredObject> {
    this.#checkBodies();
    const found = this.#entries.get(value)?.objects ?? [];
    if (this.#rest.length === 0) return found;
    const scanned = this.#scan(value);
    this.#checkBodies();
    return [...found, ...scanned];
  }

  /** Returns every value, including those of objects that are not indexed yet. */
  values(): string[] {
    const rest = this.#unindexed().flatMap((object) => this.valuesOf(object));
    this.#checkBodies();
    return [...new Set([...this.#entries.keys(), ...rest])];
  }

  /** Returns the values of an object, which may be of another store. */
  valuesOf(object: StoredObject): readonly string[] {
    const known = this.#values.get(object);
    return known === undefined ? this.#compute(object) : listOf(known);
  }

  /** Returns an upper bound of the number of objects that `get` returns. */
  count(value: string): number {
    return (this.#entries.get(value)?.objects.size ?? 0) + this.#rest.length;
  }

  /** True if the indexer returns the value for an object, which may be of another store. */
  matches(object: StoredObject, value: string): boolean {
    return this.valuesOf(object).includes(value);
  }

  /** Throws `BODY_NOT_KEPT`: without the values of some objects, a result would be incomplete. */
  #checkBodies(): void {
    if (this.#notKept !== undefined) throw this.#notKept;
  }

  /** Adds an object to the entry of a value, and returns the string of the entry. */
  #enter(value: string, object: StoredObject): string {
    const found = this.#entries.get(value);
    const entry = found ?? { value, objects: new Set() };
    if (found === undefined) this.#entries.set(value, entry);
    entry.objects.add(object);
    return entry.value;
  }

  #scan(value: string): StoredObject[] {
    return this.#unindexed().filter((object) => this.matches(object, value));
  }

  #unindexed(): StoredObject[] {
    return this.#rest.filter((object) => this.#isStored(object));
  }

  #fromHead(indexer: Extract<Indexer, { head: unknown }>, object: StoredObject): unknown {
    const view = indexer[keepsNoView] === true ? object : object.shown();
    return this.#userCode.callMethod(indexer, 'head', view);
  }

  /** Returns the values of a body. A body that does not parse has none until the object has been fetched again. */
  #fromBody(indexer: Extract<Indexer, { body: unknown }>, object: StoredObject): unknown {
    try {
      const body = readableValue(object);
      return body === undefined ? NONE : this.#userCode.callMethod(indexer, 'body', body);
    } catch (error) {
      this.#notKept = error;
      return FAILED;
    }
  }

  /**
   * Returns the values of an object. If the indexer fails, the object has no values, so it is missing in the index but
   * not in the store.
   */
  #compute(object: StoredObject): readonly string[] {
    const { indexer } = this;
    const values: unknown =
      'head' in indexer ? this.#fromHead(indexer, object) : this.#fromBody(indexer, object);
    return values === FAILED ? NONE : this.#examined(values);
  }

  /** Examines a result of user code, whose members may be getters that throw. */
  #examined(values: unknown): readonly string[] {
    let error: unknown;
    try {
      const texts = textsOf(values);
      if (texts !== undefined) return texts;
      error = informerError('INDEXER_RESULT', { indexer: this.indexer.name });
    } catch (thrown) {
      error = thrown;
    }
    ignoreRejections(values);
    this.#failed(error);
    return NONE;
  }
}

/** Returns a copy of an array of texts; `undefined` for another value. Throws the errors of getters and proxies. */
function textsOf(values: unknown): readonly string[] | undefined {
  if (!Array.isArray(values)) return undefined;
  const texts: string[] = [];
  for (let index = 0; index < values.length; index += 1) {
    const value: unknown = values[index];
    if (typeof value !== 'string') return undefined;
    texts.push(value);
  }
  return texts;
}

function kept(values: readonly string[]): Values {
  const [only] = values;
  return only !== undefined && values.length === 1 ? only : values;
}

function listOf(values: Values | undefined): readonly string[] {
  return typeof values === 'string' ? [values] : (values ?? NONE);
}
