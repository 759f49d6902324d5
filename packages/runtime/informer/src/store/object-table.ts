import type { StoredObject } from './stored-object.ts';

/** A name from a reader, or an object with that name. */
interface Named {
  readonly namespace?: string | undefined;
  readonly name: string;
}

interface Bucket {
  readonly namespace: string;
  readonly objects: Map<string, StoredObject>;
}

/** Finds the objects of a store by namespace and name. Cluster-scoped objects have the namespace `""` here. */
export class ObjectTable {
  readonly #buckets = new Map<string, Bucket>();
  /** The bucket of the last object, because objects of one namespace often arrive in sequence. */
  #last: Bucket | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of objects of one namespace, or of all. */
  count(namespace: string | undefined): number {
    return namespace === undefined ? this.#size : (this.#bucket(namespace)?.objects.size ?? 0);
  }

  get({ namespace = '', name }: Named): StoredObject | undefined {
    const last = this.#last;
    const bucket = last?.namespace === namespace ? last : this.#bucket(namespace);
    return bucket?.objects.get(name);
  }

  /** Stores an object and returns the one that it replaces. */
  set(object: StoredObject): StoredObject | undefined {
    const { namespace = '' } = object;
    const last = this.#last;
    const { objects } = last?.namespace === namespace ? last : this.#makeBucket(namespace);
    const previous = objects.get(object.name);
    objects.set(object.name, object);
    if (previous === undefined) this.#size++;
    return previous;
  }

  delete({ namespace = '', name }: Named): void {
    const bucket = this.#bucket(namespace);
    if (bucket?.objects.delete(name) !== true) return;
    this.#size--;
    if (bucket.objects.size > 0) return;
    this.#buckets.delete(namespace);
    this.#last = undefined;
  }

  /**
   * Returns the one string that all objects of a namespace share; `undefined` for cluster-scoped
   * objects.
   */
  intern(namespace: string | undefined): string | undefined {
    if (namespace === undefined || namespace === '') return undefined;
    return this.#makeBucket(namespace).namespace;
  }

  /**
   * Returns the objects of one namespace, or all. One namespace needs no generator, which would be
   * slower.
   */
  values(namespace?: string): Iterable<StoredObject> {
    if (namespace !== undefined) return this.#bucket(namespace)?.objects.values() ?? [];
    if (this.#buckets.size > 1) return this.#all();
    const [only] = this.#buckets.values();
    return only?.objects.values() ?? [];
  }

  *#all(): IterableIterator<StoredObject> {
    for (const bucket of this.#buckets.values()) yield* bucket.objects.values();
  }

  #bucket(namespace: string): Bucket | undefined {
    if (this.#last?.namespace === namespace) return this.#last;
    const bucket = this.#buckets.get(namespace);
    if (bucket !== undefined) this.#last = bucket;
    return bucket;
  }

  #makeBucket(namespace: string): Bucket {
    const found = this.#bucket(namespace);
    if (found !== undefined) return found;
    const bucket = { namespace, objects: new Map<string, StoredObject>() };
    this.#buckets.set(namespace, bucket);
    this.#last = bucket;
    return bucket;
  }
}
