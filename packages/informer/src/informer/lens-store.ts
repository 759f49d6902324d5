import type { DeepReadonly, Persisted, ObjectName } from '@keelson/apimachinery';
import type { AsyncListOptions, ObjectStore, StoreListOptions } from '../contract/object-store.ts';
import type { Indexer } from '../contract/indexer.ts';
import type { ObjectView } from '../contract/object-view.ts';
import type { Lens } from './lens.ts';
import type { ObjectIndex } from '../store/object-index.ts';
import { readSelection, type Selection } from '../store/selection.ts';
import type { Store } from '../store/store.ts';
import { ifReadable, type StoredObject } from '../store/stored-object.ts';

/** A store that serves reads: that of a watch, or the part of it that a query selects. */
export interface ServingStore extends ObjectStore {
  readonly transform: string | undefined;
  find(name: ObjectName | StoredObject): StoredObject | undefined;
  select(options: StoreListOptions): Selection;
  indexOf(name: string): ObjectIndex | undefined;
  built(index: string | undefined): Promise<void>;
}

/** The value under which the index of a lens has the objects that the lens selects. */
const SELECTED = 'selected';

/**
 * The objects of a store that a query selects, in the projection of the query. The first scan adds
 * an index of these objects to the store, so that later ones cost no more than their result.
 */
export class LensStore implements ServingStore {
  readonly #store: Store;
  readonly #lens: Lens;
  readonly #indexer: Indexer;

  /** `name` is that of the index. */
  constructor(store: Store, lens: Lens, name: string) {
    this.#store = store;
    this.#lens = lens;
    const isSelected = (view: ObjectView): boolean => lens.selects(view as StoredObject);
    this.#indexer = { name, head: (view) => (isSelected(view) ? [SELECTED] : []) };
  }

  /** Removes the index. A later scan would add it again. */
  close(): void {
    this.#store.removeIndexer(this.#indexer, this);
  }

  get transform(): string | undefined {
    return this.#store.transform;
  }

  get resourceVersion(): string {
    return this.#store.resourceVersion;
  }

  get size(): number {
    return this.#all().length;
  }

  get bytes(): number {
    return this.#all().reduce((bytes, { byteLength }) => bytes + byteLength, 0);
  }

  get(name: ObjectName): DeepReadonly<Persisted> | undefined {
    return this.view(name)?.value();
  }

  has(name: ObjectName): boolean {
    return this.view(name) !== undefined;
  }

  view(name: ObjectName): ObjectView | undefined {
    const object = this.#store.view(name);
    return object !== undefined && this.#lens.selects(object) ? this.#lens.show(object) : undefined;
  }

  find(name: ObjectName | StoredObject): StoredObject | undefined {
    const object = this.#store.find(name);
    return object !== undefined && this.#lens.selects(object) ? object : undefined;
  }

  list(options?: StoreListOptions): DeepReadonly<Persisted>[] {
    return this.views(options).flatMap((view) => ifReadable(() => [view.value()], []));
  }

  async listAsync(options: AsyncListOptions = {}): Promise<DeepReadonly<Persisted>[]> {
    await this.built(options.index?.name);
    const show = (object: StoredObject): ObjectView => this.#lens.show(object);
    return readSelection(this.select(options), this.#store.slice(), options.signal, show);
  }

  views(options: StoreListOptions = {}): ObjectView[] {
    return this.#selected(options).map((object) => this.#lens.show(object));
  }

  select(options: StoreListOptions): Selection {
    const { candidates, condition } = this.#store.select(this.#narrowed(options));
    const isWhole = options.index === undefined && !options.namespace;
    const selected = isWhole ? this.#index()?.get(SELECTED) : undefined;
    if (selected !== undefined) return { candidates: selected, condition };
    const isSelected = (view: ObjectView): boolean =>
      this.#lens.selects(view as StoredObject) && condition?.(view) !== false;
    return { candidates, condition: isSelected };
  }

  indexOf(name: string): ObjectIndex | undefined {
    return this.#store.indexOf(name);
  }

  built(index: string | undefined): Promise<void> {
    return this.#store.built(index);
  }

  #all(): StoredObject[] {
    return this.#selected({});
  }

  #selected(options: StoreListOptions): StoredObject[] {
    const { candidates, condition } = this.select(options);
    return Array.from(candidates).filter((object) => condition?.(object) !== false);
  }

  /** Returns the index of the selected objects, or adds it for a later scan. */
  #index(): ObjectIndex | undefined {
    if (this.#lens.isNamespaceOnly) return undefined;
    const { name } = this.#indexer;
    const index = this.#store.indexOf(name);
    if (index === undefined) this.#store.addIndexer(this.#indexer, this);
    return index?.isComplete === true ? index : undefined;
  }

  /** Scans only the namespace of the query, unless the caller names one or uses an index. */
  #narrowed<O extends StoreListOptions>(options: O): O {
    const { namespace } = this.#lens;
    return options.namespace || namespace === undefined ? options : { ...options, namespace };
  }
}
