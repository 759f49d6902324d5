import {
  type ApiResource,
  type DeepReadonly,
  type KubernetesObject,
  type ObjectName,
  type Persisted,
  TimeSlice,
} from '@keelson/apimachinery';
import type { AsyncCacheListOptions, CacheListOptions, CacheReader } from './cache-reader.ts';
import { checkListOptions } from '../contract/check-arguments.ts';
import { informerError } from '../errors.ts';
import { readOfList, readOfName, type ReadOptions } from '../contract/read.ts';
import { checkWaitFor, type ObjectWaits, type WaitForOptions } from './object-wait.ts';
import { checkName, checkNamespaceOf } from '../store/read-scope.ts';
import { isOlder } from '../reflector/resource-version.ts';
import { checkAbsence, servingStores, wholeStore, type ReadScope } from './serving-stores.ts';
import type { ServingStore } from '../informer/lens-store.ts';
import type { Selection } from '../store/selection.ts';
import { ifReadable, type StoredObject } from '../store/stored-object.ts';

type Stores = readonly [ServingStore, ...ServingStore[]];

/**
 * Reads from the stores that serve a scope. If several stores have an object, it returns the newest
 * version.
 */
export class StoreReader implements CacheReader {
  readonly #scope: ReadScope;
  readonly #time: () => number;
  readonly #waits: ObjectWaits;

  constructor(scope: ReadScope, now: () => number, waits: ObjectWaits) {
    this.#scope = scope;
    this.#time = now;
    this.#waits = waits;
  }

  get<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    options?: ReadOptions,
  ): DeepReadonly<Persisted<T>> | undefined {
    checkName(resource, name);
    const whole = options === undefined ? wholeStore(this.#scope, resource) : undefined;
    const object = whole === undefined ? this.#find(resource, name, options) : whole.find(name);
    return object === undefined ? undefined : formOf<T>(object, options);
  }

  list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: CacheListOptions = {},
  ): DeepReadonly<Persisted<T>>[] {
    checkListOptions(options, 'list');
    const stores = this.#storesOf(resource, options);
    const found: DeepReadonly<Persisted<T>>[] = [];
    for (const store of stores) {
      const { candidates, condition } = select(store, stores, options);
      for (const object of candidates) {
        if (condition?.(object) !== false) collect(found, object, options);
      }
    }
    return found;
  }

  async listAsync<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: AsyncCacheListOptions = {},
  ): Promise<DeepReadonly<Persisted<T>>[]> {
    checkListOptions(options, 'listAsync');
    for (const store of this.#storesOf(resource, options)) await store.built(options.index?.name);
    const stores = this.#storesOf(resource, options);
    // Copies all stores at once, because they may change between two slices.
    const selections = stores.map((store) => {
      const { candidates, condition } = select(store, stores, options);
      return { objects: Array.from(candidates), condition };
    });
    const found: DeepReadonly<Persisted<T>>[] = [];
    const slice = new TimeSlice(this.#time);
    for (const { objects, condition } of selections) {
      const take = (object: StoredObject): void => {
        if (condition?.(object) !== false) collect(found, object, options);
      };
      await slice.each(objects, take, options.signal);
    }
    return found;
  }

  waitFor<T extends KubernetesObject, S extends DeepReadonly<Persisted<T>> | undefined>(
    resource: ApiResource<T>,
    name: ObjectName,
    predicate: (object: DeepReadonly<Persisted<T>> | undefined) => object is S,
    options?: WaitForOptions,
  ): Promise<S>;
  waitFor<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    predicate: (object: DeepReadonly<Persisted<T>> | undefined) => boolean,
    options?: WaitForOptions,
  ): Promise<DeepReadonly<Persisted<T>> | undefined>;
  async waitFor<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
    predicate: (object: DeepReadonly<Persisted<T>> | undefined) => boolean,
    options: WaitForOptions = {},
  ): Promise<DeepReadonly<Persisted<T>> | undefined> {
    checkName(resource, name);
    checkWaitFor(predicate, options);
    const read = readOfName(name, options);
    const find = (): StoredObject | undefined =>
      newest(servingStores(this.#scope, resource, read), name);
    const show = (object: StoredObject): DeepReadonly<Persisted<T>> => formOf<T>(object, options);
    return this.#waits.wait({ resource, name, predicate, find, formOf: show }, options);
  }

  #find(resource: ApiResource, name: ObjectName, options?: ReadOptions): StoredObject | undefined {
    const read = readOfName(name, options);
    const object = newest(servingStores(this.#scope, resource, read), name);
    if (object === undefined) checkAbsence(this.#scope, resource, read, name);
    return object;
  }

  #storesOf(resource: ApiResource, options: CacheListOptions): Stores {
    checkNamespaceOf(resource, options.namespace);
    return servingStores(this.#scope, resource, readOfList(options));
  }
}

/** Selects the objects of one store, except those of which another store has a newer version. */
function select(store: ServingStore, stores: Stores, options: CacheListOptions): Selection {
  const { candidates, condition } = selectByIndex(store, stores, options);
  if (stores.length === 1) return { candidates, condition };
  const newestHere = Array.from(candidates).filter(
    (object) => newest(stores, object) === object && firstWith(stores, object) === store,
  );
  return { candidates: newestHere, condition };
}

/** Two views of one watch have the same object: only the first one returns it. */
function firstWith(stores: Stores, object: StoredObject): ServingStore | undefined {
  return stores.find((store) => store.find(object) === object);
}

/** A store without the index is scanned with the indexer of a store that has it. */
function selectByIndex(store: ServingStore, stores: Stores, options: CacheListOptions): Selection {
  const { index } = options;
  if (index === undefined || store.indexOf(index.name) !== undefined) return store.select(options);
  const known = stores.find((other) => other.indexOf(index.name))?.indexOf(index.name);
  if (known === undefined) throw informerError('INDEX_UNKNOWN', { index: index.name });
  const { candidates, condition } = store.select({ ...options, index: undefined });
  return {
    candidates: Array.from(candidates).filter((object) => known.matches(object, index.value)),
    condition,
  };
}

/**
 * Stores are sorted by preference: a transformed object counts only if no other store has the
 * object.
 */
function newest(stores: Stores, name: ObjectName): StoredObject | undefined {
  let [{ transform }] = stores;
  let found: StoredObject | undefined;
  for (const store of stores) {
    const object = store.find(name);
    if (object === undefined) continue;
    if (found !== undefined) {
      const isNewer = isOlder(found.resourceVersion, object.resourceVersion);
      if (transform !== store.transform || !isNewer) continue;
    }
    ({ transform } = store);
    found = object;
  }
  return found;
}

/** Omits an object whose bytes do not parse until it has been fetched again. */
function collect<T extends KubernetesObject>(
  found: DeepReadonly<Persisted<T>>[],
  object: StoredObject,
  options: ReadOptions,
): void {
  const form = ifReadable(() => formOf<T>(object, options), undefined);
  if (form !== undefined) found.push(form);
}

/** Returns the metadata or the whole object. */
function formOf<T extends KubernetesObject>(
  object: StoredObject,
  options: ReadOptions | undefined,
): DeepReadonly<Persisted<T>> {
  const form = options?.projection === 'metadata' ? object.partial() : object.value();
  return form as unknown as DeepReadonly<Persisted<T>>;
}
