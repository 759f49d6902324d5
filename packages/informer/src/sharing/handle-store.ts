import type { DeepReadonly, ObjectName, Persisted } from '@keelson/apimachinery';
import { checkListOptions } from '../contract/check-arguments.ts';
import type { AsyncListOptions, ObjectStore, StoreListOptions } from '../contract/object-store.ts';
import type { ObjectView } from '../contract/object-view.ts';

/**
 * The store as one handle reads it: every read throws after the release of the handle. The watch
 * may live longer, so such a read would otherwise return objects by chance.
 */
export class HandleStore implements ObjectStore {
  readonly #view: { readonly store: ObjectStore };
  readonly #check: () => void;

  /** `check` throws after the release of the handle. The store of the view may change. */
  constructor(view: { readonly store: ObjectStore }, check: () => void) {
    this.#view = view;
    this.#check = check;
  }

  get size(): number {
    return this.#store().size;
  }

  get bytes(): number {
    return this.#store().bytes;
  }

  get resourceVersion(): string {
    return this.#store().resourceVersion;
  }

  get(name: ObjectName): DeepReadonly<Persisted> | undefined {
    return this.#store().get(name);
  }

  has(name: ObjectName): boolean {
    return this.#store().has(name);
  }

  view(name: ObjectName): ObjectView | undefined {
    return this.#store().view(name);
  }

  list(options?: StoreListOptions): DeepReadonly<Persisted>[] {
    checkListOptions(options, 'list');
    return this.#store().list(options);
  }

  async listAsync(options?: AsyncListOptions): Promise<DeepReadonly<Persisted>[]> {
    checkListOptions(options, 'listAsync');
    return this.#store().listAsync(options);
  }

  views(options?: StoreListOptions): ObjectView[] {
    checkListOptions(options, 'views');
    return this.#store().views(options);
  }

  #store(): ObjectStore {
    this.#check();
    return this.#view.store;
  }
}
