import type {
  ApiResource,
  DeepReadonly,
  KubernetesObject,
  ObjectName,
} from '@keelson/apimachinery';
import { Arena } from './arena.ts';
import { informerError } from './errors.ts';
import { ObjectIndex } from './object-index.ts';
import type { Indexer, ObjectStore, StoreListOptions } from './object-store.ts';
import { ObjectTable } from './object-table.ts';
import { checkName, checkNamespaceOf } from './read-scope.ts';
import { selection } from './selection.ts';
import type { SlabPool } from './slab-pool.ts';
import { Stage } from './stage.ts';
import type { StoredObject } from './stored-object.ts';

/** How one object differs between two states of a store. */
export interface Difference {
  readonly previous: StoredObject | undefined;
  /** `undefined`: gone. */
  readonly object: StoredObject | undefined;
}

/** An index and those who asked for it; it goes with the last of them. */
interface SharedIndex {
  readonly index: ObjectIndex;
  readonly askers: Set<object>;
}

/**
 * The objects of one watch. Written by the informer alone and only between two steps of the event
 * loop, so that every reader sees a whole state.
 */
export class Store implements ObjectStore {
  /** The version up to which the objects are known to be current. */
  resourceVersion = '';
  readonly #resource: ApiResource;
  readonly #slabs: SlabPool;
  readonly #arena: Arena;
  #table: ObjectTable = new ObjectTable();
  readonly #indices = new Map<string, SharedIndex>();
  readonly #onIndexerError: (indexer: string, error: unknown) => void;

  constructor(
    resource: ApiResource,
    slabs: SlabPool,
    onIndexerError: (indexer: string, error: unknown) => void,
  ) {
    this.#resource = resource;
    this.#slabs = slabs;
    this.#arena = new Arena(slabs);
    this.#onIndexerError = onIndexerError;
  }

  get size(): number {
    return this.#table.size;
  }

  get bytes(): number {
    return this.#arena.live;
  }

  get arena(): Arena {
    return this.#arena;
  }

  get indices(): readonly ObjectIndex[] {
    return Array.from(this.#indices.values(), ({ index }) => index);
  }

  intern(namespace: string | undefined): string | undefined {
    return this.#table.intern(namespace);
  }

  get(name: ObjectName): DeepReadonly<KubernetesObject> | undefined {
    return this.view(name)?.value();
  }

  has(name: ObjectName): boolean {
    return this.view(name) !== undefined;
  }

  view(name: ObjectName): StoredObject | undefined {
    checkName(this.#resource, name);
    return this.find(name);
  }

  /** `view` of a name that is known to be one, or that came from the server, which knows better. */
  find(name: ObjectName): StoredObject | undefined {
    return this.#table.get(name);
  }

  /** Every object, in no particular order. */
  all(): Iterable<StoredObject> {
    return this.#table.values();
  }

  list(options?: StoreListOptions): DeepReadonly<KubernetesObject>[] {
    return this.views(options).map((view) => view.value());
  }

  views(options: StoreListOptions = {}): StoredObject[] {
    const { index, namespace } = options;
    checkNamespaceOf(this.#resource, namespace);
    const candidates =
      index === undefined
        ? this.#table.values(namespace)
        : this.#index(index.name).get(index.value);
    const selects = selection(options);
    return selects === undefined ? [...candidates] : [...candidates].filter(selects);
  }

  /** Stores an object in the place of `previous`. */
  put(object: StoredObject, previous: StoredObject | undefined): void {
    this.#table.set(object);
    if (previous !== undefined) this.#forget(previous);
    for (const { index } of this.#indices.values()) index.add(object);
  }

  delete(object: StoredObject): void {
    this.#table.delete(object);
    this.#forget(object);
  }

  /** A next state to fill and to swap in. `isAnew`: nothing of this one is held to be the same. */
  stage(isAnew = false): Stage {
    return new Stage(
      isAnew ? new ObjectTable() : this.#table,
      this.indices.map((index) => index.successor()),
      this.#slabs,
    );
  }

  /**
   * Makes a stage the state at once, and tells the differences one by one: first what vanished, then
   * what is new or changed. They have to be read to the end before the store is written to again.
   */
  swap(stage: Stage, resourceVersion: string): Iterable<Difference> {
    const before = this.#table;
    this.#table = stage.table;
    this.#arena.adopt(stage.arena);
    this.#adoptIndices(stage.indices);
    this.resourceVersion = resourceVersion;
    return this.#differences(before, stage.table);
  }

  /** Indexes what is there; the index lives until every asker has taken its share back. */
  addIndexer(indexer: Indexer, asker: object): void {
    const found = this.#indices.get(indexer.name);
    if (found !== undefined && found.index.indexer !== indexer) {
      throw informerError('INDEXER_CONFLICT', { indexer: indexer.name });
    }
    const shared = found ?? { index: this.#build(indexer), askers: new Set() };
    shared.askers.add(asker);
    this.#indices.set(indexer.name, shared);
  }

  removeIndexer(indexer: Indexer, asker: object): void {
    const shared = this.#indices.get(indexer.name);
    if (shared?.askers.delete(asker) === true && shared.askers.size === 0) {
      this.#indices.delete(indexer.name);
    }
  }

  *#differences(before: ObjectTable, after: ObjectTable): Generator<Difference> {
    for (const previous of before.values()) {
      if (after.get(previous) !== undefined) continue;
      this.#retire(previous);
      yield { previous, object: undefined };
    }
    for (const object of after.values()) {
      const previous = before.get(object);
      if (previous === object) continue;
      if (previous !== undefined) this.#retire(previous);
      yield { previous, object };
    }
  }

  #forget(object: StoredObject): void {
    for (const { index } of this.#indices.values()) index.remove(object);
    this.#retire(object);
  }

  #retire(object: StoredObject): void {
    object.retire();
    this.#arena.discard(object);
  }

  #index(name: string): ObjectIndex {
    const shared = this.#indices.get(name);
    if (shared === undefined) throw informerError('INDEX_UNKNOWN', { index: name });
    return shared.index;
  }

  /** Indexers may have come and gone while the stage was filled. */
  #adoptIndices(staged: readonly ObjectIndex[]): void {
    for (const [name, { index, askers }] of this.#indices) {
      const successor = staged.find((candidate) => candidate.indexer === index.indexer);
      this.#indices.set(name, { index: successor ?? this.#build(index.indexer), askers });
    }
  }

  #build(indexer: Indexer): ObjectIndex {
    const index = new ObjectIndex(indexer, this.#onIndexerError);
    for (const object of this.#table.values()) index.add(object);
    return index;
  }
}
