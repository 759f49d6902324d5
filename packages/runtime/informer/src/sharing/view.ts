import { AsyncLocalStorage } from 'node:async_hooks';
import { systemClock, type Clock } from '@keelson/apimachinery';
import type { Coverage } from '../contract/coverage.ts';
import type { EventHandlerRegistration } from '../contract/informer-event.ts';
import type { Indexer } from '../contract/indexer.ts';
import type { NamedTransform, NormalQuery } from '../contract/watch-query.ts';
import type { WatchPart } from '../contract/watch-part.ts';
import type { WatchHealth } from '../contract/watch-health.ts';
import type { NewHandler } from '../informer/fan-out.ts';
import type { Informer } from '../informer/informer.ts';
import { lensOf, type Lens } from '../informer/lens.ts';
import { LensIndex, LensStore } from '../informer/lens-store.ts';
import type { ServingStore } from '../overlay/serving-store.ts';
import type { Registration } from '../informer/registration.ts';
import type { KnownIndexers } from './known-indexers.ts';
import type { HandleEntry, SharedWatch, WatchUser } from './shared-watch.ts';

/** A query and the callbacks of its view. */
export interface ViewOptions {
  /** The identity of the watch of exactly this query. */
  readonly id: string;
  /** The key of the view, unique in its kind. */
  readonly key: string;
  readonly query: NormalQuery;
  readonly transform: NamedTransform | undefined;
  readonly part: WatchPart | undefined;
  readonly coverage: Coverage;
  /** True if only the watch of exactly this query may serve the view. */
  readonly isExact: boolean;
  /** The position among the views of the kind, in the order of their creation. */
  readonly order: number;
  /** Milliseconds that the view lives after the release of its last handle. */
  readonly linger: number;
  /** Starts the timers. Default: the clock of the system. */
  readonly clock?: Clock | undefined;
  /** Called when the view gets its first handle or loses its last one. */
  readonly onHeld: (view: View) => void;
  readonly onEnd: (view: View) => void;
  /** Throws `INDEXER_CONFLICT` if another watch of the kind has another function of this name. */
  readonly checkIndexer: (indexer: Indexer) => void;
  /** The indexers of all watches of the kind. */
  readonly indexers: KnownIndexers;
}

/** The stores that serve the reads of a view. */
interface ViewStores {
  readonly store: ServingStore;
  readonly received: ServingStore;
  /** `undefined` if the view needs no lens. */
  readonly index: LensIndex | undefined;
}

/** Runs a function in the async context of a registration, so that its user code runs there after a move too. */
type InContext = ReturnType<typeof AsyncLocalStorage.snapshot>;

interface AddedIndexer {
  readonly indexer: Indexer;
  readonly inContext: InContext;
}

interface HealthListener {
  readonly owner: string;
  readonly listener: (health: WatchHealth) => unknown;
  readonly inContext: InContext;
  listening: Disposable;
}

/**
 * The objects of one query, as its handles read them. A watch of the query or of a wider one serves
 * them, and may change while the handles are held. The set of handles is the reference count, and
 * the timer is the linger, so no separate counter can become wrong.
 */
export class View implements WatchUser {
  readonly id: string;
  readonly key: string;
  readonly query: NormalQuery;
  readonly transform: NamedTransform | undefined;
  readonly part: WatchPart | undefined;
  readonly isExact: boolean;
  readonly coverage: Coverage;
  readonly order: number;
  /** The objects of the view, as reads return them. A move replaces it, and `received`. */
  store: ServingStore;
  /** The objects of the view without own writes: only what the watch has received. */
  received: ServingStore;
  /** The async context of the first handle, in which the transform runs. */
  readonly inContext: InContext = AsyncLocalStorage.snapshot();
  /** The views whose own watch could serve this view. */
  readonly wider: Set<View> = new Set();
  /** The views that the own watch of this view could serve. */
  readonly narrower: Set<View> = new Set();
  readonly #options: ViewOptions;
  readonly #handles = new Set<HandleEntry>();
  readonly #registrations = new Set<Registration>();
  readonly #indexers = new Map<object, AddedIndexer>();
  readonly #listeners = new Set<HealthListener>();
  #watch: SharedWatch;
  #lens: Lens | undefined;
  /** The index of the lens; `undefined` if the view needs no lens. */
  #index: LensIndex | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(options: ViewOptions, watch: SharedWatch) {
    this.id = options.id;
    this.key = options.key;
    this.query = options.query;
    this.transform = options.transform;
    this.part = options.part;
    this.isExact = options.isExact;
    this.coverage = options.coverage;
    this.order = options.order;
    this.#options = options;
    this.#watch = watch;
    this.#lens = lensOf(this.query, watch.informer.identity.query);
    ({ store: this.store, received: this.received, index: this.#index } = this.#storesOf(watch));
    watch.add(this);
    this.#followSync();
  }

  /** The watch that serves the view. */
  get watch(): SharedWatch {
    return this.#watch;
  }

  get informer(): Informer {
    return this.#watch.informer;
  }

  get hasSynced(): boolean {
    const { hasSynced, health } = this.#watch.informer;
    // The informer does not update a watch that exceeds its budget, so the store counts as not synced.
    return hasSynced && health.current.state !== 'over-budget';
  }

  get handles(): ReadonlySet<HandleEntry> {
    return this.#handles;
  }

  get isLingering(): boolean {
    return this.#stopTimer !== undefined;
  }

  /** True if every handler has received all states that the watch has delivered. */
  get isAtRest(): boolean {
    for (const { isAtRest } of this.#registrations) if (!isAtRest) return false;
    return true;
  }

  addHandle(handle: HandleEntry): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#handles.add(handle);
    this.#watch.addHandle(handle);
    if (this.#handles.size === 1) this.#options.onHeld(this);
    if (this.hasSynced) handle.onSynced();
  }

  /** Removes a handle. A second call for the same handle has no effect. */
  removeHandle(handle: HandleEntry): void {
    if (!this.#handles.delete(handle)) return;
    this.#watch.removeHandle(handle);
    if (this.#handles.size > 0) return;
    const { linger, clock = systemClock, onEnd, onHeld } = this.#options;
    onHeld(this);
    if (linger === 0) onEnd(this);
    else this.#stopTimer = clock.startTimer(linger, () => onEnd(this));
  }

  addHandler(added: Omit<NewHandler, 'lens'>): EventHandlerRegistration {
    const registration: Registration = this.informer.addHandler({
      ...added,
      lens: this.#lens,
      onRemove: () => {
        this.#registrations.delete(registration);
        added.onRemove();
      },
    });
    this.#registrations.add(registration);
    return registration;
  }

  /**
   * Adds an index, which exists until `removeIndexer`. One over bodies ends the policy `metadata` of a
   * memory budget. Throws `INDEXER_CONFLICT`.
   */
  addIndexer(indexer: Indexer, token: object): Promise<void> {
    this.#options.checkIndexer(indexer);
    const { store } = this.informer;
    const restored = 'body' in indexer ? this.#watch.keepBodies() : undefined;
    store.addIndexer(indexer, token);
    this.#options.indexers.add(indexer);
    this.#indexers.set(token, { indexer, inContext: AsyncLocalStorage.snapshot() });
    const built = (): Promise<void> => store.built(indexer.name);
    return restored === undefined ? built() : restored.then(built);
  }

  removeIndexer(token: object): void {
    const added = this.#indexers.get(token);
    if (added === undefined) return;
    this.#indexers.delete(token);
    this.#options.indexers.remove(added.indexer);
    this.informer.store.removeIndexer(added.indexer, token);
  }

  onHealthChange(owner: string, listener: (health: WatchHealth) => unknown): Disposable {
    const listening = this.informer.onHealthChange(owner, listener);
    const added = { owner, listener, listening, inContext: AsyncLocalStorage.snapshot() };
    this.#listeners.add(added);
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(added);
        added.listening[Symbol.dispose]();
      },
    };
  }

  /** Makes the watch list again. If the view moves in the meantime, its new watch does so. */
  async relist(): Promise<void> {
    for (;;) {
      const { informer } = this;
      try {
        await informer.relist();
        return;
      } catch (error) {
        if (informer === this.informer) throw error;
      }
    }
  }

  /** Makes the watch follow a change of its part. Resolves as `Informer.followPart` does. */
  followPart(): Promise<void> {
    return this.informer.followPart();
  }

  /** Moves the handles to another watch. Readers see its store at once, handlers the difference. */
  moveTo(watch: SharedWatch): void {
    const from = this.#watch;
    const lensBefore = this.#lens;
    const hasHandlers = this.#registrations.size > 0;
    const before = hasHandlers ? Array.from(from.informer.store.all(lensBefore?.namespace)) : [];
    this.#watch = watch;
    this.#lens = lensOf(this.query, watch.informer.identity.query);
    this.#moveIndexers(from.informer, watch.informer);
    this.#index?.close();
    ({ store: this.store, received: this.received, index: this.#index } = this.#storesOf(watch));
    watch.add(this);
    const passed = hasHandlers ? watch.overlay.passedOf(from.overlay) : [];
    const move = { before, lensBefore, lens: this.#lens, passed };
    watch.informer.takeHandlers(from.informer, [...this.#registrations], move);
    from.remove(this);
    this.#moveListeners(from.informer, watch.informer);
    this.#followSync();
  }

  /** Ends the view, even if it has handles. */
  end(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const handles = [...this.#handles];
    this.#watch.remove(this);
    this.#handles.clear();
    for (const handle of handles) handle.onClosed();
    this.#index?.close();
  }

  #storesOf({ informer, store }: SharedWatch): ViewStores {
    const lens = this.#lens;
    if (lens === undefined) return { store, received: informer.store, index: undefined };
    const index = new LensIndex(informer.store, lens, `view ${this.id}`);
    return {
      store: new LensStore(store, lens, index),
      received: new LensStore(informer.store, lens, index),
      index,
    };
  }

  #followSync(): void {
    const { informer } = this.#watch;
    const synced = (): void => {
      if (this.informer !== informer) return;
      for (const handle of this.#handles) handle.onSynced();
    };
    if (informer.hasSynced) synced();
    else informer.synced.then(synced, () => undefined);
  }

  #moveIndexers(from: Informer, to: Informer): void {
    for (const [token, { indexer, inContext }] of this.#indexers) {
      inContext(() => to.store.addIndexer(indexer, token));
      from.store.removeIndexer(indexer, token);
    }
  }

  #moveListeners(from: Informer, to: Informer): void {
    for (const added of this.#listeners) {
      added.listening[Symbol.dispose]();
      const { owner, listener, inContext } = added;
      const known = from.health.current;
      added.listening = inContext(() => to.onHealthChange(owner, listener, known));
    }
  }
}
