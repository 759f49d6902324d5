import { resourceId, type ApiResource, type ObjectName } from '@keelson/apimachinery';
import { isSameIndexer, type Indexer } from '../contract/indexer.ts';
import type { StoreListOptions } from '../contract/object-store.ts';
import { informerError } from '../errors.ts';
import type { ServingStore } from '../overlay/serving-store.ts';
import { newestIn, NewestVersions, StoresByPlace, type PlacedStore } from './newest-versions.ts';
import { ObjectIndex } from '../store/object-index.ts';
import type { Selection } from '../store/selection.ts';
import type { StoredObject } from '../store/stored-object.ts';

/** The object that a lookup by name found, if any, and the name of the transform that created its form. */
export interface LocatedObject {
  readonly object: StoredObject | undefined;
  readonly transform: string | undefined;
}

/** The lookup of a value in an index. */
export interface IndexLookup {
  readonly name: string;
  readonly value: string;
  /** The function that the caller expects behind the name. Default: any function of this name. */
  readonly indexer?: Indexer;
  /** If true, stores without the index are scanned. Default: the read throws `INDEX_UNKNOWN`. */
  readonly scans?: boolean;
}

/** Selects objects, if necessary by an index. */
export interface UnionSelection extends StoreListOptions {
  readonly index?: IndexLookup | undefined;
}

/**
 * The stores that serve a read together, sorted by preference: a transformed object counts only if no other store has
 * the object. Reads of one object, of lists and of indexes all go through it.
 */
export class StoreUnion {
  readonly #resource: ApiResource;
  readonly #placed: readonly PlacedStore[];
  /** `undefined` before the first list. */
  #byPlace: StoresByPlace | undefined;

  constructor(resource: ApiResource, stores: readonly PlacedStore[]) {
    this.#resource = resource;
    this.#placed = stores;
  }

  /** Returns the newest version of an object. */
  find(name: ObjectName): StoredObject | undefined {
    return this.locate(name).object;
  }

  /** Returns the newest version of an object, and the name of the transform that created its form. */
  locate(name: ObjectName): LocatedObject {
    const found = newestIn(this.#placed, name);
    return { object: found?.object, transform: found?.store.transform };
  }

  /** Selects the objects of each store, except those of which another store has a newer version. */
  select(options: UnionSelection): Selection[] {
    const versions = this.#placed.length === 1 ? undefined : this.#versionsFor(options);
    return this.#placed.map(({ store }) => {
      const { candidates, condition } = this.#selectIn(store, options);
      if (versions === undefined) return { candidates, condition };
      return { candidates: newestOf(versions, store, candidates), condition };
    });
  }

  /** Returns the values of an index under which it has at least one object of the selection. */
  indexValues(options: UnionSelection & { readonly index: IndexLookup }): string[] {
    const known = this.#indexOf(options.index);
    const values = new Set(this.#placed.flatMap(({ store }) => valuesIn(store, known)));
    const isUsed = (value: string): boolean =>
      this.select({ ...options, index: { ...options.index, value } }).some(isNotEmpty);
    const { limit = Infinity } = options;
    const used: string[] = [];
    for (const value of values) {
      if (used.length >= limit) break;
      if (isUsed(value)) used.push(value);
    }
    return used;
  }

  /** Resolves when lists can use the index without a scan. */
  async built(index: string | undefined): Promise<void> {
    for (const { store } of this.#placed) await store.built(index);
  }

  #selectIn(store: ServingStore, options: UnionSelection): Selection {
    const { index } = options;
    if (index === undefined) return store.select(options);
    const known = this.#indexOf(index);
    if (store.indexOf(index.name) !== undefined) return store.select(options);
    const { candidates, condition } = store.select({ ...options, index: undefined });
    return {
      candidates: Array.from(candidates).filter((object) => known.matches(object, index.value)),
      condition,
    };
  }

  /** Returns the index of one of the stores: a store without it is scanned with its function. */
  #indexOf({ name, indexer, scans = false }: IndexLookup): ObjectIndex {
    for (const { store } of this.#placed) {
      const known = store.indexOf(name);
      if (known === undefined) continue;
      if (indexer === undefined || isSameIndexer(known.indexer, indexer)) return known;
      throw this.#error('INDEXER_CONFLICT', { indexer: name });
    }
    // The index ignores an object that does not parse, because the read of the object reports it.
    if (scans && indexer !== undefined) return new ObjectIndex(indexer, () => undefined);
    throw this.#error('INDEX_UNKNOWN', { index: name });
  }

  #error(
    code: 'INDEXER_CONFLICT' | 'INDEX_UNKNOWN',
    facts: Readonly<Record<string, string>>,
  ): Error {
    return informerError(code, { ...facts, resource: resourceId(this.#resource) });
  }

  /** A lookup by an index reads few objects, for which the stores are not merged. */
  #versionsFor({ index, namespace }: UnionSelection): NewestVersions {
    const within = namespace === undefined ? {} : { namespace };
    const scan = (store: ServingStore): Iterable<StoredObject> => selected(store.select(within));
    this.#byPlace ??= new StoresByPlace(this.#placed);
    return new NewestVersions(this.#byPlace, index === undefined ? scan : undefined);
  }
}

/**
 * Yields the candidates of which no other store has a newer version. It is lazy, so the other stores are searched only
 * for objects that the read consumes.
 */
function* newestOf(
  versions: NewestVersions,
  store: ServingStore,
  candidates: Iterable<StoredObject>,
): Generator<StoredObject, void, undefined> {
  for (const object of candidates) if (versions.isNewest(object, store)) yield object;
}

function* selected({ candidates, condition }: Selection): Generator<StoredObject, void, undefined> {
  for (const object of candidates) if (condition?.(object) !== false) yield object;
}

function isNotEmpty({ candidates, condition }: Selection): boolean {
  for (const object of candidates) if (condition?.(object) !== false) return true;
  return false;
}

function valuesIn(store: ServingStore, known: ObjectIndex): readonly string[] {
  const values = store.indexValues(known.indexer.name);
  if (values !== undefined) return values;
  return Array.from(store.select({}).candidates).flatMap((object) => known.valuesOf(object));
}
