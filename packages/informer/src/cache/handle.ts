import {
  checkFunction,
  checkOptions,
  checkSignal,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { checkIndexer } from '../contract/check-arguments.ts';
import { Deferred } from '../informer/deferred.ts';
import { informerError } from '../errors.ts';
import { EventStream } from '../informer/event-stream.ts';
import type {
  EventHandler,
  EventHandlerRegistration,
  InformerEvent,
} from '../contract/informer-event.ts';
import { HandleStore } from './handle-store.ts';
import type { Indexer, ObjectStore } from '../contract/object-store.ts';
import type { Holder, SharedWatch } from './shared-watch.ts';
import type { IndexRegistration, WatchHandle } from '../contract/watch-handle.ts';
import type { WatchHealth } from '../contract/watch-health.ts';
import type { Retention } from '../contract/watch-query.ts';

/** What a handle is made of. */
export interface HandleOptions {
  readonly watch: SharedWatch;
  readonly owner: string;
  readonly required: boolean;
  readonly retain: Retention;
  /** The share is given back, or taken away. */
  readonly onOver: () => void;
}

/** The public end of one share in a watch. */
export class Handle<T extends KubernetesObject> implements WatchHandle<T> {
  readonly owner: string;
  readonly required: boolean;
  readonly store: ObjectStore<T>;
  readonly #watch: SharedWatch;
  readonly #share: Share;

  constructor({ watch, owner, required, retain, onOver }: HandleOptions) {
    this.owner = owner;
    this.required = required;
    this.#watch = watch;
    const share = new Share(watch, { owner, required, retain }, onOver);
    this.#share = share;
    this.store = new HandleStore(watch.informer.store, () =>
      share.check(),
    ) as unknown as ObjectStore<T>;
  }

  get identity(): string {
    return this.#watch.informer.identity.id;
  }

  get synced(): Promise<void> {
    return this.#share.synced.promise;
  }

  get hasSynced(): boolean {
    return !this.#share.isOver && this.#watch.informer.hasSynced;
  }

  get health(): WatchHealth {
    return this.#watch.informer.health.current;
  }

  onHealthChange(listener: (health: WatchHealth) => unknown): Disposable {
    this.#share.check();
    checkFunction(listener, 'onHealthChange.listener');
    const listening = this.#watch.informer.onHealthChange(this.owner, listener);
    return this.#share.own(() => listening[Symbol.dispose]());
  }

  addEventHandler(handler: EventHandler<T>): EventHandlerRegistration {
    this.#share.check();
    checkFunction(handler, 'addEventHandler.handler');
    const told = handler as unknown as EventHandler;
    const registration = this.#watch.informer.addHandler(this.owner, told, () =>
      owned[Symbol.dispose](),
    );
    const owned = this.#share.own(() => registration.remove());
    return registration;
  }

  events(options: { readonly signal?: AbortSignal } = {}): AsyncIterableIterator<InformerEvent<T>> {
    checkOptions(options, ['signal'], 'events');
    checkSignal(options.signal, 'events.signal');
    return new EventStream<T>((handler, onEnd) => {
      const registration = this.addEventHandler(handler);
      const owned = this.#share.own(() => {
        registration.remove();
        onEnd();
      });
      return () => owned[Symbol.dispose]();
    }, options.signal);
  }

  addIndexer(indexer: Indexer<T>): IndexRegistration {
    this.#share.check();
    checkIndexer(indexer, 'addIndexer');
    const shared = indexer as unknown as Indexer;
    const asker = {};
    const built = this.#watch.addIndexer(shared, asker);
    const { store } = this.#watch.informer;
    const owned = this.#share.own(() => store.removeIndexer(shared, asker));
    return { built, [Symbol.dispose]: () => owned[Symbol.dispose]() };
  }

  release(): void {
    this.#share.end('HANDLE_RELEASED');
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/**
 * What a handle has taken out, kept apart from the handle: the watch refers to this and not to the
 * handle, so that a handle which nobody has any more can be told from one in use.
 */
class Share {
  readonly synced = new Deferred();
  readonly #watch: SharedWatch;
  readonly #holder: Holder;
  readonly #owned = new Set<Disposable>();
  readonly #onOver: () => void;
  #over = false;

  constructor(watch: SharedWatch, holder: Omit<Holder, 'onClosed'>, onOver: () => void) {
    this.#watch = watch;
    this.#onOver = onOver;
    this.#holder = { ...holder, onClosed: () => this.end('CACHE_CLOSED') };
    watch.join(this.#holder);
    watch.informer.synced.then(
      () => this.synced.resolve(),
      (error: Error) => this.synced.reject(error),
    );
  }

  get isOver(): boolean {
    return this.#over;
  }

  check(): void {
    if (this.#over) throw informerError('HANDLE_RELEASED', { owner: this.#holder.owner });
  }

  /** Something that ends with the share at the latest, and is forgotten once it has ended. */
  own(end: () => void): Disposable {
    const owned = {
      [Symbol.dispose]: (): void => {
        if (this.#owned.delete(owned)) end();
      },
    };
    this.#owned.add(owned);
    return owned;
  }

  end(code: 'HANDLE_RELEASED' | 'CACHE_CLOSED'): void {
    if (this.#over) return;
    this.#over = true;
    for (const owned of this.#owned) owned[Symbol.dispose]();
    this.synced.reject(informerError(code, { owner: this.#holder.owner }));
    this.#watch.leave(this.#holder);
    this.#onOver();
  }
}
