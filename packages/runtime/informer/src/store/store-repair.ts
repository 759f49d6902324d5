import type { Frame } from '@keelson/wire';
import type { CandidateReader } from './candidate.ts';
import { ObjectRepair, type ObjectRepairOptions, type Unreadable } from './object-repair.ts';
import type { Store } from './store.ts';
import { readableValue, type StoredObject } from './stored-object.ts';

export interface StoreRepairOptions extends Pick<
  ObjectRepairOptions,
  'listerWatcher' | 'onError' | 'clock'
> {
  readonly store: Store;
  readonly reader: CandidateReader;
  /** Called before an object that does not parse is fetched again. */
  readonly onUnreadable: (error: unknown) => void;
  readonly onRepaired: (previous: StoredObject | undefined, object: StoredObject) => void;
}

/**
 * Fetches the objects of a store that do not parse, and stores the fetched versions. Other objects
 * are not affected.
 */
export class StoreRepair {
  /** The objects that are being fetched. */
  readonly running: ReadonlyMap<string, unknown>;
  readonly #options: StoreRepairOptions;
  readonly #repair: ObjectRepair;
  /**
   * Collects the objects that do not parse while a stage is filled. They are fetched after the
   * swap.
   */
  #staged: Unreadable[] | undefined;

  constructor(options: StoreRepairOptions) {
    this.#options = options;
    const { listerWatcher, onError, clock } = options;
    const onFetched = (frame: Frame, wanted: Unreadable): boolean => this.#take(frame, wanted);
    this.#repair = new ObjectRepair({ listerWatcher, onError, onFetched, clock });
    this.running = this.#repair.running;
  }

  /** Fetches an object that was not stored, because it does not parse. */
  fetch({ namespace, name, resourceVersion }: Unreadable, error: unknown): void {
    const wanted = { namespace, name, resourceVersion };
    if (this.#staged === undefined && !this.#repair.fetch(wanted)) return;
    this.#staged?.push(wanted);
    this.#options.onUnreadable(error);
  }

  /**
   * Fetches an object that a reader could not parse, but only if the store still has that version.
   */
  fetchIfCurrent(object: Unreadable, error: unknown): void {
    const current = this.#options.store.find(object);
    const isCurrent = current?.resourceVersion === object.resourceVersion;
    if (isCurrent || this.#staged !== undefined) this.fetch(object, error);
  }

  /** Fills a stage. Objects that do not parse are collected, because they can be fetched only after the swap. */
  collecting(collected: Unreadable[], fill: () => void): void {
    this.#staged = collected;
    try {
      fill();
    } finally {
      this.#staged = undefined;
    }
  }

  /** Fetches the collected objects after the swap. */
  fetchCollected(collected: readonly Unreadable[]): void {
    this.#repair.stop();
    for (const object of collected) this.#repair.fetch(object);
  }

  /** Stops the fetch of an object, because the watch has sent a later version. */
  cancel(name: Pick<Unreadable, 'namespace' | 'name'>): void {
    this.#repair.cancel(name);
  }

  stop(): void {
    this.#repair.stop();
  }

  /**
   * Stores a fetched object. It ignores a version other than the wanted one, because the watch sends that in the
   * correct order.
   */
  #take(frame: Frame, wanted: Unreadable): boolean {
    const { reader, store, onRepaired } = this.#options;
    const candidate = reader.read(frame);
    if (candidate?.resourceVersion !== wanted.resourceVersion) return true;
    const previous = store.find(candidate);
    const object = candidate.keep(store);
    if (object === undefined) return false;
    if (readableValue(object) === undefined) {
      store.content.discard(object);
      return false;
    }
    store.put(object, previous);
    onRepaired(previous, object);
    return true;
  }
}
