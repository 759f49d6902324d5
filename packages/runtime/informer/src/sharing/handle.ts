import {
  checkFlag,
  checkFunction,
  checkOptions,
  checkSignal,
  parseDuration,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { checkIndexerOf, type Indexer } from '../contract/indexer.ts';
import { Deferred } from '../informer/deferred.ts';
import { informerError } from '../errors.ts';
import { EventStream } from './event-stream.ts';
import type {
  EventHandler,
  EventHandlerOptions,
  EventHandlerRegistration,
  StreamEvent,
} from '../contract/informer-event.ts';
import { HandleStore } from './handle-store.ts';
import type { ObjectStore } from '../contract/object-store.ts';
import type { HandleEntry } from './shared-watch.ts';
import type { View } from './view.ts';
import type { IndexRegistration, WatchHandle } from '../contract/watch-handle.ts';
import type { WatchHealth } from '../contract/watch-health.ts';

type EntryOptions = Omit<HandleEntry, 'onSynced' | 'onClosed'>;

/** The view that a handle reads, and the properties of the handle. */
export interface NewHandle extends EntryOptions {
  readonly view: View;
  /** Called when the handle is released or its cache is closed. */
  readonly onEnd: () => void;
}

/** A handle on a view, as user code receives it. */
export class Handle<T extends KubernetesObject> implements WatchHandle<T> {
  readonly owner: string;
  readonly required: boolean;
  readonly store: ObjectStore<T>;
  readonly #view: View;
  readonly #resources: HandleResources;

  constructor({ view, onEnd, ...entry }: NewHandle) {
    this.owner = entry.owner;
    this.required = entry.required;
    this.#view = view;
    const resources = new HandleResources(view, entry, onEnd);
    this.#resources = resources;
    const store = new HandleStore(view, () => resources.check());
    this.store = store as unknown as ObjectStore<T>;
  }

  get identity(): string {
    return this.#view.watch.id;
  }

  get synced(): Promise<void> {
    return this.#resources.synced.promise;
  }

  get hasSynced(): boolean {
    return !this.#resources.isEnded && this.#view.hasSynced;
  }

  get health(): WatchHealth {
    return this.#view.informer.health.current;
  }

  onHealthChange(listener: (health: WatchHealth) => unknown): Disposable {
    this.#resources.check();
    checkFunction(listener, 'onHealthChange.listener');
    const listening = this.#view.onHealthChange(this.owner, listener);
    return this.#resources.own(() => listening[Symbol.dispose]());
  }

  addEventHandler(
    handler: EventHandler<T>,
    options: EventHandlerOptions = {},
  ): EventHandlerRegistration {
    this.#resources.check();
    checkFunction(handler, 'addEventHandler.handler');
    checkOptions(options, ['resync', 'keepsViews'], 'addEventHandler');
    checkFlag(options.keepsViews, 'addEventHandler.keepsViews');
    const registration = this.#view.addHandler({
      owner: this.owner,
      handler: handler as unknown as EventHandler,
      resync: parseDuration(options.resync ?? 0, 'addEventHandler.resync'),
      keepsViews: options.keepsViews ?? true,
      onRemove: () => owned[Symbol.dispose](),
    });
    const owned = this.#resources.own(() => registration.remove());
    return registration;
  }

  events(options: { readonly signal?: AbortSignal } = {}): AsyncIterableIterator<StreamEvent<T>> {
    checkOptions(options, ['signal'], 'events');
    checkSignal(options.signal, 'events.signal');
    return new EventStream<T>(({ onEvent, onInitialDone, onEnd }) => {
      const registration = this.addEventHandler(onEvent);
      registration.synced.then(onInitialDone, () => undefined);
      const owned = this.#resources.own(() => {
        registration.remove();
        onEnd();
      });
      return () => owned[Symbol.dispose]();
    }, options.signal);
  }

  addIndexer(indexer: Indexer<T>): IndexRegistration {
    this.#resources.check();
    const shared = indexer as unknown as Indexer;
    checkIndexerOf(this.#view.query, shared, 'addIndexer');
    const token = {};
    const built = this.#view.addIndexer(shared, token);
    const owned = this.#resources.own(() => this.#view.removeIndexer(token));
    return { built, [Symbol.dispose]: () => owned[Symbol.dispose]() };
  }

  async restart(options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    checkOptions(options, ['signal'], 'restart');
    checkSignal(options.signal, 'restart.signal');
    this.#resources.check();
    const { signal } = options;
    signal?.throwIfAborted();
    const ended = Promise.withResolvers<void>();
    const abort = (): void => ended.reject(signal?.reason);
    const owned = this.#resources.own((code) => {
      if (code === undefined) ended.resolve();
      else ended.reject(informerError(code, { owner: this.owner }));
    });
    signal?.addEventListener('abort', abort);
    try {
      await Promise.race([this.#view.relist(), ended.promise]);
    } finally {
      signal?.removeEventListener('abort', abort);
      owned[Symbol.dispose]();
    }
  }

  async followPart(): Promise<void> {
    this.#resources.check();
    await this.#view.followPart();
  }

  release(): void {
    this.#resources.end('HANDLE_RELEASED');
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** Why a handle ended: it was released, or its cache was closed. */
type EndCode = 'HANDLE_RELEASED' | 'CACHE_CLOSED';

/**
 * The resources of a handle, apart from the handle. The view refers only to this object, so that
 * the garbage collector can detect a leaked handle.
 */
class HandleResources {
  readonly synced = new Deferred();
  readonly #view: View;
  readonly #entry: HandleEntry;
  readonly #owned = new Set<Disposable>();
  readonly #onEnd: () => void;
  #ended: EndCode | undefined;

  constructor(view: View, entry: EntryOptions, onEnd: () => void) {
    this.#view = view;
    this.#onEnd = onEnd;
    this.#entry = {
      ...entry,
      onSynced: () => this.synced.resolve(),
      onClosed: () => this.end('CACHE_CLOSED'),
    };
    view.addHandle(this.#entry);
  }

  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  check(): void {
    if (this.isEnded) throw informerError('HANDLE_RELEASED', { owner: this.#entry.owner });
  }

  /**
   * Adds a resource, which ends with the handle at the latest. `end` is then called with the reason for the end of the
   * handle. To end the resource earlier, dispose of the result; `end` is then called without a code.
   */
  own(end: (code?: EndCode) => void): Disposable {
    const owned = {
      [Symbol.dispose]: (): void => {
        if (this.#owned.delete(owned)) end(this.#ended);
      },
    };
    this.#owned.add(owned);
    return owned;
  }

  end(code: EndCode): void {
    if (this.isEnded) return;
    this.#ended = code;
    for (const owned of this.#owned) owned[Symbol.dispose]();
    this.synced.reject(informerError(code, { owner: this.#entry.owner }));
    this.#view.removeHandle(this.#entry);
    this.#onEnd();
  }
}
