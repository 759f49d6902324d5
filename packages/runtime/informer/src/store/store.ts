import {
  type DeepReadonly,
  type ObjectName,
  type Persisted,
  TimeSlice,
} from '@keelson/apimachinery';
import { memoryOf, ObjectBytes } from '../memory/object-bytes.ts';
import { informerError } from '../errors.ts';
import { ObjectIndex } from './object-index.ts';
import { isSameIndexer, type Indexer } from '../contract/indexer.ts';
import type { AsyncListOptions, ObjectStore, StoreListOptions } from '../contract/object-store.ts';
import type { Candidate } from './candidate.ts';
import { ObjectTable } from './object-table.ts';
import { differences, type Difference } from './difference.ts';
import type { Retention } from '../contract/watch-query.ts';
import { checkName, checkNamespaceOf } from '../contract/check-arguments.ts';
import { formsOf, readSelection, selection, type Selection } from './selection.ts';
import { lookUpSelectors } from './selector-lookup.ts';
import { Stage } from './stage.ts';
import type { StoreSettings } from './store-settings.ts';
import { readableValue, type StoredObject } from './stored-object.ts';

/** An index with its registrations; it is removed with the last of them. */
interface SharedIndex {
  index: ObjectIndex;
  /** Resolves when every object is indexed, or when the index is removed. */
  built: Promise<void>;
  readonly registrations: Set<object>;
}

/**
 * The objects of one watch. Only the informer writes to it, and never across an `await`, so that
 * readers see complete states.
 */
export class Store implements ObjectStore {
  /** The resourceVersion up to which the objects are known to be current. */
  resourceVersion = '';
  readonly #settings: StoreSettings;
  /** The bytes of the objects, without those of a list that is arriving. */
  readonly content: ObjectBytes;
  #table: ObjectTable = new ObjectTable();
  readonly #indices = new Map<string, SharedIndex>();
  /** The last stage. The reference is weak, because a list that fails drops its stage. */
  #staged: WeakRef<Stage> | undefined;

  constructor(settings: StoreSettings) {
    this.#settings = settings;
    const { slabs, now, growth } = settings;
    this.content = new ObjectBytes({ slabs, now, growth });
  }

  get transform(): string | undefined {
    return this.#settings.transform;
  }

  get size(): number {
    return this.#table.size;
  }

  get bytes(): number {
    return this.content.live;
  }

  /** The bytes of the objects, and of a list that is arriving. */
  get contents(): readonly ObjectBytes[] {
    const stage = this.#staged?.deref();
    return stage === undefined ? [this.content] : [this.content, stage.content];
  }

  /** Sets how new objects are kept. Stored objects stay as they are, unless the new retention packs them. */
  retainAs(retention: Retention): void {
    for (const content of this.contents) content.retainAs(retention);
    this.content.settle();
  }

  /** The memory of the objects in bytes, or that of an arriving list if it is more. */
  get memoryUsed(): number {
    return this.memoryAfter(0);
  }

  /** Returns `memoryUsed` as it will be after a growth of the arriving list, or of the store if no list is arriving. */
  memoryAfter(growth: number): number {
    const used = memoryOf(this.#table.size, this.content);
    const stage = this.#staged?.deref();
    return stage === undefined ? used + growth : Math.max(used, stage.memoryUsed + growth);
  }

  get indices(): readonly ObjectIndex[] {
    return Array.from(this.#indices.values(), ({ index }) => index);
  }

  intern(namespace: string | undefined): string | undefined {
    return this.#table.intern(namespace);
  }

  get(name: ObjectName): DeepReadonly<Persisted> | undefined {
    return this.#checked(name)?.value();
  }

  has(name: ObjectName): boolean {
    return this.#checked(name) !== undefined;
  }

  view(name: ObjectName): StoredObject | undefined {
    return this.#checked(name)?.shown();
  }

  /**
   * Returns the object of a name. It does not check the scope of the name, which is done already, or the name comes
   * from the server.
   */
  find(name: ObjectName): StoredObject | undefined {
    return this.#table.get(name);
  }

  /** Returns every object, or those of one namespace, in no particular order. */
  all(namespace?: string): Iterable<StoredObject> {
    return this.#table.values(namespace);
  }

  list(options: StoreListOptions = {}): DeepReadonly<Persisted>[] {
    return formsOf(this.select(options), readableValue, options.limit);
  }

  async listAsync(options: AsyncListOptions = {}): Promise<DeepReadonly<Persisted>[]> {
    await this.built(options.index?.name);
    return readSelection(this.select(options), this.slice(), options);
  }

  /** Starts a slice of 5 ms. */
  slice(): TimeSlice {
    return new TimeSlice(this.#settings.now);
  }

  views(options: StoreListOptions = {}): StoredObject[] {
    return formsOf(this.select(options), (object) => object.shown(), options.limit);
  }

  select(options: StoreListOptions): Selection {
    const { resource, fieldSelector: watched } = this.#settings;
    checkNamespaceOf(resource, options.namespace);
    const candidates = this.#lookUp(options);
    if (candidates !== undefined) return { candidates, condition: selection(options, watched) };
    const { namespace, ...selectors } = options;
    return {
      candidates: this.#table.values(namespace || undefined),
      condition: selection(selectors, watched),
    };
  }

  indexOf(name: string): ObjectIndex | undefined {
    return this.#indices.get(name)?.index;
  }

  indexValues(name: string): readonly string[] | undefined {
    return this.indexOf(name)?.values();
  }

  /** Resolves when a list can use the index without a scan. */
  async built(index: string | undefined): Promise<void> {
    if (index !== undefined) await this.#indices.get(index)?.built;
  }

  /**
   * Stores an object that arrived. Returns `undefined` if the store has the same version, if the object is new and
   * outside of the part that the watch keeps, or if it could not be kept.
   */
  upsert(candidate: Candidate): Difference | undefined {
    const previous = this.#table.get(candidate);
    if (previous !== undefined && candidate.equals(previous)) return undefined;
    if (previous === undefined && this.#settings.isOutside?.(candidate)) return undefined;
    const object = candidate.keep(this, previous);
    if (object === undefined) return undefined;
    this.put(object, previous);
    return { previous, object };
  }

  /**
   * Deletes the object of an event. The difference contains the last state, which the event has; its bytes are freed
   * when user code drops its view. Returns `undefined` if the store does not have the object.
   */
  remove(candidate: Candidate): Difference | undefined {
    const previous = this.#table.get(candidate);
    if (previous === undefined) return undefined;
    const isSame = previous.uid === candidate.uid;
    const last = isSame ? (candidate.keep(this) ?? previous) : previous;
    this.delete(previous);
    // After the deletion, which frees the objects of earlier changes.
    if (last !== previous) this.content.discard(last);
    return { previous, object: undefined, last, finalStateUnknown: !isSame };
  }

  /** Stores an object and removes `previous`, the version that it replaces. */
  put(object: StoredObject, previous: StoredObject | undefined): void {
    this.#table.set(object);
    for (const { index } of this.#indices.values()) {
      if (previous !== undefined) index.remove(previous);
      index.add(object);
    }
    if (previous !== undefined) this.#retire(previous);
    if (this.content.isPacking) this.content.settle();
  }

  delete(object: StoredObject): void {
    this.#table.delete(object);
    for (const { index } of this.#indices.values()) index.remove(object);
    this.#retire(object);
  }

  /** Returns a stage to fill and to swap in. With `isAnew`, the stage takes no objects from this store. */
  stage(isAnew = false): Stage {
    const content = this.content.successor();
    const indices = this.indices.map((index) => index.successor());
    const objects = isAnew ? new ObjectTable() : this.#table;
    const { isOutside } = this.#settings;
    const stage = new Stage({ objects, content: this.content, isOutside }, { indices, content });
    this.#staged = new WeakRef(stage);
    return stage;
  }

  /**
   * Replaces all objects by those of the stage at once. Returns the differences: first deleted
   * objects, then new and changed ones. The caller must read all of them before it writes to the
   * store again.
   */
  swap(stage: Stage, resourceVersion: string): Iterable<Difference> {
    const before = this.#table;
    this.#table = stage.table;
    this.#staged = undefined;
    this.content.adopt(stage.content);
    this.#adoptIndices(stage.indices);
    this.resourceVersion = resourceVersion;
    return differences(before, stage.table, {
      retire: (object) => this.#retire(object),
      isOutside: this.#settings.isOutside,
    });
  }

  /**
   * Removes the objects that are outside of a part, by default of the one which the watch keeps, and yields each. They are
   * not deleted.
   */
  *dropOutside(
    isOutside: StoreSettings['isOutside'] = this.#settings.isOutside,
  ): Generator<StoredObject> {
    if (isOutside === undefined) return;
    for (const object of this.#table.values()) {
      if (this.#table.get(object) !== object || !isOutside(object)) continue;
      this.delete(object);
      yield object;
    }
  }

  /** Removes all objects, because the watch has ended. Views remain readable. */
  clear(): void {
    this.#table = new ObjectTable();
    this.#indices.clear();
    this.content.abandon();
  }

  /**
   * Adds an index and indexes the stored objects in slices (see `built`). The index exists until
   * its last registration is removed.
   */
  addIndexer(indexer: Indexer, registration: object): void {
    const found = this.#indices.get(indexer.name);
    if (found !== undefined && !isSameIndexer(found.index.indexer, indexer)) {
      throw informerError('INDEXER_CONFLICT', { indexer: indexer.name });
    }
    const shared = found ?? this.#addIndex(indexer);
    shared.registrations.add(registration);
  }

  removeIndexer({ name }: Indexer, registration: object): void {
    const shared = this.#indices.get(name);
    if (shared?.registrations.delete(registration) === true && shared.registrations.size === 0) {
      this.#indices.delete(name);
    }
  }

  /**
   * Returns the objects of all namespaces that an index finds for a list; `undefined` if a scan reads no more objects.
   */
  #lookUp(options: StoreListOptions): Iterable<StoredObject> | undefined {
    const { index } = options;
    if (index !== undefined) return this.#index(index.name).index.get(index.value);
    return lookUpSelectors(options, {
      scanned: this.#table.count(options.namespace || undefined),
      watched: this.#settings.fieldSelector,
      indexOf: (name) => this.indexOf(name),
    });
  }

  #checked(name: ObjectName): StoredObject | undefined {
    checkName(this.#settings.resource, name);
    return this.find(name);
  }

  /**
   * Frees the objects of earlier changes, which the handlers have received. This object is freed with the next change.
   */
  #retire(object: StoredObject): void {
    this.#settings.slabs.settle();
    object.retire();
    this.content.discard(object);
  }

  #index(name: string): SharedIndex {
    const shared = this.#indices.get(name);
    if (shared === undefined) throw informerError('INDEX_UNKNOWN', { index: name });
    return shared;
  }

  #addIndex(indexer: Indexer): SharedIndex {
    const index = new ObjectIndex(indexer, this.#settings.onIndexerError);
    const shared: SharedIndex = { index, built: Promise.resolve(), registrations: new Set() };
    this.#indices.set(indexer.name, shared);
    shared.built = this.#build(shared);
    return shared;
  }

  /**
   * Replaces the indices by those of the stage. Indices may have been added or removed after its
   * creation.
   */
  #adoptIndices(staged: readonly ObjectIndex[]): void {
    for (const shared of this.#indices.values()) {
      const successor = staged.find(({ indexer }) => indexer === shared.index.indexer);
      shared.index = successor ?? shared.index.successor();
      shared.built = successor === undefined ? this.#build(shared) : Promise.resolve();
    }
  }

  /** Indexes the first slice before it returns. Ends early if the index is replaced or removed. */
  async #build(shared: SharedIndex): Promise<void> {
    const { index } = shared;
    const table = this.#table;
    index.adopt(table.values(), (object) => table.get(object) === object);
    const slice = new TimeSlice(this.#settings.now);
    const isWanted = (): boolean =>
      shared.index === index && this.#indices.get(index.indexer.name) === shared;
    while (isWanted() && index.indexNext()) if (slice.isDue()) await slice.pause();
    // A relist has replaced the index, so the caller waits for the new one.
    if (shared.index !== index) await shared.built;
  }
}
