import type { Frame } from '@keelson/wire';
import type { Intake } from './intake.ts';
import { ObjectRepair, type ObjectRepairOptions, type Unreadable } from './object-repair.ts';
import type { Store } from './store.ts';
import { readableValue, type StoredObject } from './stored-object.ts';

export interface StoreRepairOptions extends Pick<ObjectRepairOptions, 'listerWatcher' | 'onError'> {
  readonly store: Store;
  readonly intake: Intake;
  /** Called before an object that does not parse is fetched again. */
  readonly onUnreadable: (error: unknown) => void;
  readonly onRepaired: (previous: StoredObject | undefined, object: StoredObject) => void;
}

/**
 * Fetches the objects of a store that do not parse, and stores the fetched versions. Other objects
 * are not affected.
 */
export class StoreRepair {
  readonly #options: StoreRepairOptions;
  readonly #repair: ObjectRepair;
  /**
   * Collects the objects that do not parse while a stage is filled. They are fetched after the
   * swap.
   */
  #staged: Unreadable[] | undefined;

  constructor(options: StoreRepairOptions) {
    this.#options = options;
    const { listerWatcher, onError } = options;
    const onFetched = (frame: Frame, wanted: Unreadable): boolean => this.#take(frame, wanted);
    this.#repair = new ObjectRepair({ listerWatcher, onError, onFetched });
  }

  /** True if no object is being fetched. */
  get isIdle(): boolean {
    return this.#repair.isIdle;
  }

  /** Fetches the last object that the intake read: it does not parse and was not stored. */
  fetchLast(error: unknown): void {
    this.#fetch(this.#options.intake.unreadable, error);
  }

  /**
   * Fetches an object that a reader could not parse, but only if the store still has that version.
   */
  fetchIfCurrent(object: Unreadable, error: unknown): void {
    const current = this.#options.store.find(object);
    const isCurrent = current?.resourceVersion === object.resourceVersion;
    if (isCurrent || this.#staged !== undefined) this.#fetch(object, error);
  }

  /** Collects objects that do not parse instead of fetching them, while a stage is filled. */
  collectInto(collected: Unreadable[] | undefined): void {
    this.#staged = collected;
  }

  /** Fetches the collected objects after the swap. */
  fetchCollected(collected: readonly Unreadable[]): void {
    this.#repair.stop();
    for (const object of collected) this.#repair.fetch(object);
  }

  /** Stops the fetch of the last object that the intake read: it is a later version. */
  cancelLast(): void {
    if (!this.#repair.isIdle) this.#repair.cancel(this.#options.intake.name);
  }

  stop(): void {
    this.#repair.stop();
  }

  #fetch({ namespace, name, resourceVersion }: Unreadable, error: unknown): void {
    const wanted = { namespace, name, resourceVersion };
    if (this.#staged === undefined && !this.#repair.fetch(wanted)) return;
    this.#staged?.push(wanted);
    this.#options.onUnreadable(error);
  }

  /** Ignores a version other than the wanted one: the watch sends it in the correct order. */
  #take(frame: Frame, wanted: Unreadable): boolean {
    const { intake } = this.#options;
    try {
      const isWanted =
        intake.read(frame) && intake.identity.resourceVersion === wanted.resourceVersion;
      return !isWanted || this.#put();
    } finally {
      intake.done();
    }
  }

  #put(): boolean {
    const { intake, store, onRepaired } = this.#options;
    const previous = store.find(intake.name);
    const object = intake.keep(store);
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
