import type { ObjectName } from '@keelson/apimachinery';
import type { Place } from '../contract/place.ts';
import type { ServingStore } from '../overlay/serving-store.ts';
import { isOlder } from '../reflector/resource-version.ts';
import type { StoredObject } from '../store/stored-object.ts';

/** Up to this number of stores, a list asks each of them for an object: that costs less than to merge them. */
const FEW = 4;

/** A store, and the namespace and name of the objects that it may have. */
export interface PlacedStore {
  readonly store: ServingStore;
  readonly place: Place;
}

/** An object and the store that has it. Of several stores with the same object, the first one. */
export interface FoundVersion {
  readonly object: StoredObject;
  readonly store: ServingStore;
}

/** Returns the newest version of an object. A transformed one counts only if no other store has the object. */
export function newestIn(
  stores: Iterable<Pick<PlacedStore, 'store'>>,
  name: ObjectName | StoredObject,
): FoundVersion | undefined {
  let found: FoundVersion | undefined;
  for (const { store } of stores) {
    const object = store.find(name);
    if (object !== undefined) found = newer(found, { object, store });
  }
  return found;
}

function newer(found: FoundVersion | undefined, next: FoundVersion): FoundVersion {
  if (found === undefined) return next;
  const isNewer = isOlder(found.object.resourceVersion, next.object.resourceVersion);
  return isNewer && found.store.transform === next.store.transform ? next : found;
}

/** A store with its position among the stores of the list. */
interface RankedStore {
  readonly store: ServingStore;
  readonly rank: number;
}

/** The stores of a read, and which of them may have an object. */
export class StoresByPlace {
  readonly all: readonly PlacedStore[];
  /** The stores by the namespace and then by the name of their places. */
  readonly #byPlace = new Map<string | undefined, Map<string | undefined, RankedStore[]>>();

  constructor(all: readonly PlacedStore[]) {
    this.all = all;
    for (const [rank, { store, place }] of all.entries()) {
      const byName =
        this.#byPlace.get(place.namespace) ?? new Map<string | undefined, RankedStore[]>();
      this.#byPlace.set(place.namespace, byName);
      const ranked = byName.get(place.name) ?? [];
      ranked.push({ store, rank });
      byName.set(place.name, ranked);
    }
  }

  /** Returns the stores that may have an object, each list in the order of the stores. */
  listsOf({ namespace, name }: StoredObject): RankedStore[][] {
    const lists: RankedStore[][] = [];
    const namespaces = namespace === undefined ? [undefined] : [undefined, namespace];
    for (const one of namespaces) {
      const byName = this.#byPlace.get(one);
      if (byName === undefined) continue;
      const [unnamed, named] = [byName.get(undefined), byName.get(name)];
      if (unnamed !== undefined) lists.push(unnamed);
      if (named !== undefined) lists.push(named);
    }
    return lists;
  }
}

/**
 * Decides for one list which objects of its stores are the newest versions. It asks only the stores that may have an
 * object. If those are many, it also merges all stores, some steps for each object, so that the list takes no more than
 * twice the steps of the cheaper way. It is valid until a store changes.
 */
export class NewestVersions {
  readonly #stores: StoresByPlace;
  /** The newest versions by key, of the stores that have been merged. */
  readonly #merged = new Map<string, FoundVersion>();
  #merge: Iterator<unknown> | undefined;
  #isMerged = false;

  /** `scan` yields the objects of a store that the list may select. Without it the stores are not merged. */
  constructor(
    stores: StoresByPlace,
    scan: ((store: ServingStore) => Iterable<StoredObject>) | undefined,
  ) {
    this.#stores = stores;
    this.#merge = scan && this.#mergeAll(scan);
  }

  /** True if no other store has a newer version of the object, and no earlier one has the same. */
  isNewest(object: StoredObject, store: ServingStore): boolean {
    const newest = this.#newest(object);
    return newest?.object === object && newest.store === store;
  }

  #newest(object: StoredObject): FoundVersion | undefined {
    if (this.#isMerged) return this.#merged.get(object.key);
    const lists = this.#stores.listsOf(object);
    const count = lists.reduce((sum, { length }) => sum + length, 0);
    if (count > FEW) this.#advance(count);
    if (this.#isMerged) return this.#merged.get(object.key);
    const ranked = lists.length > 1 ? lists.flat().toSorted(byRank) : (lists[0] ?? []);
    const [only] = ranked;
    if (ranked.length === 1 && only !== undefined) return { object, store: only.store };
    return newestIn(ranked, object);
  }

  /** Merges as many objects as a search in the stores takes steps. */
  #advance(steps: number): void {
    for (let step = 0; step < steps && this.#merge !== undefined; step += 1) {
      if (this.#merge.next().done !== true) continue;
      this.#isMerged = true;
      this.#merge = undefined;
    }
  }

  *#mergeAll(scan: (store: ServingStore) => Iterable<StoredObject>): Generator<undefined> {
    for (const { store } of this.#stores.all) {
      for (const object of scan(store)) {
        this.#merged.set(object.key, newer(this.#merged.get(object.key), { object, store }));
        yield;
      }
    }
  }
}

function byRank(a: RankedStore, b: RankedStore): number {
  return a.rank - b.rank;
}
