import type { ObjectName } from '@keelson/apimachinery';
import { keepsNoView, type Indexer } from '../contract/indexer.ts';
import type { StoreListOptions } from '../contract/object-store.ts';
import type { ObjectView } from '../contract/object-view.ts';
import type { Lens } from './lens.ts';
import { DerivedStore, type ServingStore } from '../overlay/serving-store.ts';
import type { Selection } from '../store/selection.ts';
import type { Store } from '../store/store.ts';
import type { StoredObject } from '../store/stored-object.ts';

/** The value of the index under which it has all objects that the lens selects. */
const SELECTED = 'selected';

/**
 * An index of the objects that a lens selects. The first scan adds it to the store, so that later
 * scans cost no more than their result.
 */
export class LensIndex {
  readonly #store: Store;
  readonly #lens: Lens;
  readonly #indexer: Indexer;

  constructor(store: Store, lens: Lens, name: string) {
    this.#store = store;
    this.#lens = lens;
    const isSelected = (view: ObjectView): boolean => lens.selects(view as StoredObject);
    const head = (view: ObjectView): string[] => (isSelected(view) ? [SELECTED] : []);
    this.#indexer = { name, head, [keepsNoView]: true };
  }

  /** Returns the lookup of the selected objects, or adds the index for a later scan. */
  lookup(): StoreListOptions['index'] {
    if (this.#lens.isNamespaceOnly) return undefined;
    const { name } = this.#indexer;
    const index = this.#store.indexOf(name);
    if (index === undefined) this.#store.addIndexer(this.#indexer, this);
    return index?.isComplete === true ? { name, value: SELECTED } : undefined;
  }

  /** Removes the index from the store. A later scan would add it again. */
  close(): void {
    this.#store.removeIndexer(this.#indexer, this);
  }
}

/** The objects of a store that a query selects, in the projection of the query. */
export class LensStore extends DerivedStore<ServingStore> {
  readonly #lens: Lens;
  readonly #index: LensIndex;

  constructor(base: ServingStore, lens: Lens, index: LensIndex) {
    super(base);
    this.#lens = lens;
    this.#index = index;
  }

  get size(): number {
    return this.selected({}).length;
  }

  get bytes(): number {
    return this.selected({}).reduce((bytes, { byteLength }) => bytes + byteLength, 0);
  }

  view(name: ObjectName): ObjectView | undefined {
    const object = this.base.view(name) as StoredObject | undefined;
    return object !== undefined && this.#lens.selects(object) ? this.show(object) : undefined;
  }

  find(name: ObjectName | StoredObject): StoredObject | undefined {
    const object = this.base.find(name);
    return object !== undefined && this.#lens.selects(object) ? object : undefined;
  }

  select(options: StoreListOptions): Selection {
    const isWhole = options.index === undefined && !options.namespace;
    const index = isWhole ? this.#index.lookup() : undefined;
    if (index !== undefined) return this.base.select({ ...options, index });
    const { candidates, condition } = this.base.select(this.#narrowed(options));
    const isSelected = (view: ObjectView): boolean =>
      this.#lens.selects(view as StoredObject) && condition?.(view) !== false;
    return { candidates, condition: isSelected };
  }

  protected override show(object: StoredObject): ObjectView {
    return this.#lens.show(object);
  }

  /** Scans only the namespace of the query, unless the caller names one or uses an index. */
  #narrowed(options: StoreListOptions): StoreListOptions {
    const { namespace } = this.#lens;
    return options.namespace || namespace === undefined ? options : { ...options, namespace };
  }
}
