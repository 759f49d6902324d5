import type { DeepReadonly, ObjectName, Persisted, TimeSlice } from '@keelson/apimachinery';
import type { AsyncListOptions, ObjectStore, StoreListOptions } from '../contract/object-store.ts';
import type { ObjectView } from '../contract/object-view.ts';
import type { ObjectIndex } from '../store/object-index.ts';
import { formsOf, readSelection, type Selection } from '../store/selection.ts';
import { ifReadable, type StoredObject } from '../store/stored-object.ts';

/** A store that serves reads: that of a watch, or a part of it. */
export interface ServingStore extends ObjectStore {
  readonly transform: string | undefined;
  find(name: ObjectName | StoredObject): StoredObject | undefined;
  select(options: StoreListOptions): Selection;
  indexOf(name: string): ObjectIndex | undefined;
  /**
   * Returns every value of an index, possibly with values that no object has any more; `undefined` without the index.
   */
  indexValues(name: string): readonly string[] | undefined;
  built(index: string | undefined): Promise<void>;
  /** Starts a slice of 5 ms. */
  slice(): TimeSlice;
}

/** A store that shows the objects of another one in a different way. Every read uses `find`, `select` and `show`. */
export abstract class DerivedStore<Base extends ServingStore> implements ServingStore {
  protected readonly base: Base;

  constructor(base: Base) {
    this.base = base;
  }

  abstract get size(): number;
  abstract get bytes(): number;
  abstract view(name: ObjectName): ObjectView | undefined;
  abstract find(name: ObjectName | StoredObject): StoredObject | undefined;
  abstract select(options: StoreListOptions): Selection;

  get transform(): string | undefined {
    return this.base.transform;
  }

  get resourceVersion(): string {
    return this.base.resourceVersion;
  }

  get(name: ObjectName): DeepReadonly<Persisted> | undefined {
    return this.view(name)?.value();
  }

  has(name: ObjectName): boolean {
    return this.view(name) !== undefined;
  }

  list(options: StoreListOptions = {}): DeepReadonly<Persisted>[] {
    const valueOf = (object: StoredObject): DeepReadonly<Persisted> | undefined =>
      ifReadable(() => this.show(object).value(), undefined);
    return formsOf(this.select(options), valueOf, options.limit);
  }

  async listAsync(options: AsyncListOptions = {}): Promise<DeepReadonly<Persisted>[]> {
    await this.built(options.index?.name);
    const show = (object: StoredObject): ObjectView => this.show(object);
    return readSelection(this.select(options), this.slice(), options, show);
  }

  views(options: StoreListOptions = {}): ObjectView[] {
    return this.selected(options).map((object) => this.show(object.shown()));
  }

  indexOf(name: string): ObjectIndex | undefined {
    return this.base.indexOf(name);
  }

  indexValues(name: string): readonly string[] | undefined {
    return this.base.indexValues(name);
  }

  built(index: string | undefined): Promise<void> {
    return this.base.built(index);
  }

  slice(): TimeSlice {
    return this.base.slice();
  }

  /** Returns the form in which readers see an object. */
  protected show(object: StoredObject): ObjectView {
    return object;
  }

  protected selected(options: StoreListOptions): StoredObject[] {
    return formsOf(this.select(options), (object) => object, options.limit);
  }
}
