import type { DeepReadonly, Persisted, ObjectName } from '@keelson/apimachinery';
import type { AsyncListOptions, ObjectStore, StoreListOptions } from '../contract/object-store.ts';
import type { ObjectView } from '../contract/object-view.ts';
import type { Lens } from './lens.ts';
import type { ObjectIndex } from '../store/object-index.ts';
import type { Selection, Store } from '../store/store.ts';
import { ifReadable, type StoredObject } from '../store/stored-object.ts';

/** A store that serves reads: that of a watch, or the part of it that a query selects. */
export interface ServingStore extends ObjectStore {
  readonly transform: string | undefined;
  find(name: ObjectName | StoredObject): StoredObject | undefined;
  select(options: StoreListOptions): Selection;
  indexOf(name: string): ObjectIndex | undefined;
  built(index: string | undefined): Promise<void>;
}

/** The objects of a store that a query selects, in the projection of the query. */
export class LensStore implements ServingStore {
  readonly #store: Store;
  readonly #lens: Lens;

  constructor(store: Store, lens: Lens) {
    this.#store = store;
    this.#lens = lens;
  }

  get transform(): string | undefined {
    return this.#store.transform;
  }

  get resourceVersion(): string {
    return this.#store.resourceVersion;
  }

  get size(): number {
    let size = 0;
    for (const object of this.#all()) if (this.#lens.selects(object)) size++;
    return size;
  }

  get bytes(): number {
    let bytes = 0;
    for (const object of this.#all()) if (this.#lens.selects(object)) bytes += object.byteLength;
    return bytes;
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
    const found: DeepReadonly<Persisted>[] = [];
    await this.#store.each(this.#narrowed(options), (object) => {
      if (!this.#lens.selects(object)) return;
      ifReadable(() => void found.push(this.#lens.show(object).value()), undefined);
    });
    return found;
  }

  views(options: StoreListOptions = {}): ObjectView[] {
    const { candidates, condition } = this.select(options);
    return Array.from(candidates)
      .filter((object) => condition?.(object) !== false)
      .map((object) => this.#lens.show(object));
  }

  select(options: StoreListOptions): Selection {
    const { candidates, condition } = this.#store.select(this.#narrowed(options));
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

  #all(): Iterable<StoredObject> {
    return this.#store.all(this.#lens.namespace);
  }

  /** Scans only the namespace of the query, unless the caller names one or uses an index. */
  #narrowed<O extends StoreListOptions>(options: O): O {
    const { namespace } = this.#lens;
    return options.namespace || namespace === undefined ? options : { ...options, namespace };
  }
}
