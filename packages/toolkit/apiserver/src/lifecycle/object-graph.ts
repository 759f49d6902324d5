import type { ObjectKey, OwnerReference } from '@keelson/apimachinery';
import type { ResourceStore } from '../storage/resource-store.ts';
import type { Change } from '../storage/revision-log.ts';
import type { Storage } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** The resource, namespace and name that identify an object. */
export interface ObjectPlace {
  readonly store: ResourceStore;
  readonly key: ObjectKey;
}

const none: ReadonlySet<string> = new Set();

/** Indexes objects by uid and by the uids of their owners. Every change of the storage updates it. */
export class ObjectGraph {
  readonly #places = new Map<string, ObjectPlace>();
  /** Uids of the dependents by the uid of the owner, whether or not the owner exists. */
  readonly #dependents = new Map<string, Set<string>>();

  constructor(storage: Storage) {
    for (const store of storage.stores()) {
      for (const object of store.values()) this.#add(store, object);
    }
  }

  /** Applies a change of the storage. */
  update(store: ResourceStore, change: Change): void {
    if (change.previous !== undefined) this.#remove(change.previous);
    if (change.type !== 'DELETED') this.#add(store, change.object);
  }

  /** Finds an object by its uid; `undefined` after its removal. */
  find(uid: string): { readonly store: ResourceStore; readonly object: StoredObject } | undefined {
    const place = this.#places.get(uid);
    const object = place?.store.get(place.key);
    return place && object && { store: place.store, object };
  }

  /** Returns the uids of the objects with an owner reference to this uid. */
  dependents(uid: string): ReadonlySet<string> {
    return this.#dependents.get(uid) ?? none;
  }

  /** Removes the objects of a resource that is no longer served. */
  drop(store: ResourceStore): void {
    for (const object of store.values()) this.#remove(object);
  }

  #add(store: ResourceStore, object: StoredObject): void {
    const { uid = '' } = object.metadata;
    this.#places.set(uid, { store, key: object.key });
    for (const owner of ownersOf(object)) {
      const known = this.#dependents.get(owner.uid);
      if (known === undefined) this.#dependents.set(owner.uid, new Set([uid]));
      else known.add(uid);
    }
  }

  #remove(object: StoredObject): void {
    const { uid = '' } = object.metadata;
    this.#places.delete(uid);
    for (const owner of ownersOf(object)) {
      const known = this.#dependents.get(owner.uid);
      known?.delete(uid);
      if (known?.size === 0) this.#dependents.delete(owner.uid);
    }
  }
}

export function ownersOf(object: StoredObject): readonly OwnerReference[] {
  return object.metadata.ownerReferences ?? [];
}
