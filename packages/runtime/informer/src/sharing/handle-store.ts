import type { DeepReadonly, ObjectName, Persisted } from '@keelson/apimachinery';
import { checkListOptions, checkStoreOptions } from '../contract/check-arguments.ts';
import type {
  AsyncListOptions,
  ObjectStore,
  StoreListOptions,
  StoreReadOptions,
} from '../contract/object-store.ts';
import type { ObjectView } from '../contract/object-view.ts';

/** The stores of a view, which change when the view moves to another watch. */
interface StoresOfView {
  /** The objects with own writes. */
  readonly store: ObjectStore;
  /** The objects as the watch has received them. */
  readonly received: ObjectStore;
}

/**
 * The store as one handle reads it. Every read throws after the release of the handle. Otherwise it would depend on
 * other handles whether such a read returns objects.
 */
export class HandleStore implements ObjectStore {
  readonly #view: StoresOfView;
  readonly #check: () => void;

  /** `check` throws after the release of the handle. */
  constructor(view: StoresOfView, check: () => void) {
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

  get(name: ObjectName, options?: StoreReadOptions): DeepReadonly<Persisted> | undefined {
    checkStoreOptions(options, 'get');
    return this.#store(options).get(name);
  }

  has(name: ObjectName, options?: StoreReadOptions): boolean {
    checkStoreOptions(options, 'has');
    return this.#store(options).has(name);
  }

  view(name: ObjectName, options?: StoreReadOptions): ObjectView | undefined {
    checkStoreOptions(options, 'view');
    return this.#store(options).view(name);
  }

  list(options?: StoreListOptions): DeepReadonly<Persisted>[] {
    checkListOptions(options, 'list');
    return this.#store(options).list(options);
  }

  async listAsync(options?: AsyncListOptions): Promise<DeepReadonly<Persisted>[]> {
    checkListOptions(options, 'listAsync');
    return this.#store(options).listAsync(options);
  }

  views(options?: StoreListOptions): ObjectView[] {
    checkListOptions(options, 'views');
    return this.#store(options).views(options);
  }

  #store({ overlay = true }: StoreReadOptions = {}): ObjectStore {
    this.#check();
    return overlay ? this.#view.store : this.#view.received;
  }
}
