import type { Frame } from '@keelson/apimachinery';
import type { Intake } from './intake.ts';
import { ObjectRepair, type ObjectRepairOptions, type Unreadable } from './object-repair.ts';
import type { Store } from './store.ts';
import { ifReadable, type StoredObject } from './stored-object.ts';

export interface StoreRepairOptions extends Pick<ObjectRepairOptions, 'listerWatcher' | 'onError'> {
  readonly store: Store;
  readonly intake: Intake;
  /** A state that did not parse is about to be fetched again. */
  readonly onUnreadable: (error: unknown) => void;
  readonly onRepaired: (previous: StoredObject | undefined, object: StoredObject) => void;
}

/** Replaces states of a store that do not parse by what the server has; no other object is affected. */
export class StoreRepair {
  readonly #options: StoreRepairOptions;
  readonly #repair: ObjectRepair;
  /** Collects what is found while a new state comes in: it is fetched when that state is the store's. */
  #staged: Unreadable[] | undefined;

  constructor(options: StoreRepairOptions) {
    this.#options = options;
    const { listerWatcher, onError } = options;
    const onFetched = (frame: Frame, wanted: Unreadable): boolean => this.#take(frame, wanted);
    this.#repair = new ObjectRepair({ listerWatcher, onError, onFetched });
  }

  /** What was read last does not parse, and is not stored. */
  refused(error: unknown): void {
    this.#ask(this.#options.intake.unreadable, error);
  }

  /** Code has looked at an object that does not parse; only the current state of one is worth a request. */
  seen(object: Unreadable, error: unknown): void {
    const current = this.#options.store.find(object);
    const isCurrent = current?.resourceVersion === object.resourceVersion;
    if (isCurrent || this.#staged !== undefined) this.#ask(object, error);
  }

  /** While an object is taken into a new state: where to collect what does not parse. */
  collectInto(collected: Unreadable[] | undefined): void {
    this.#staged = collected;
  }

  /** A new state is the store's. */
  begin(collected: readonly Unreadable[]): void {
    this.#repair.stop();
    for (const object of collected) this.#repair.ask(object);
  }

  /** A later state of what was read last has come. */
  settle(): void {
    if (!this.#repair.isIdle) this.#repair.cancel(this.#options.intake.name);
  }

  stop(): void {
    this.#repair.stop();
  }

  #ask({ namespace, name, resourceVersion }: Unreadable, error: unknown): void {
    const wanted = { namespace, name, resourceVersion };
    if (this.#staged === undefined && !this.#repair.ask(wanted)) return;
    this.#staged?.push(wanted);
    this.#options.onUnreadable(error);
  }

  /** Another version than the one wanted comes, or came, by the watch, which knows the order. */
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
    if (ifReadable(() => object.value(), undefined) === undefined) {
      store.arena.discard(object);
      return false;
    }
    store.put(object, previous);
    onRepaired(previous, object);
    return true;
  }
}
