import {
  checkOptions,
  checkSignal,
  invalidOption,
  systemClock,
  type ApiResource,
  type Clock,
  type DeepReadonly,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { CacheKinds } from './cache-kinds.ts';
import { ScopeHandles, type CacheScope, type CacheScopeOptions } from './cache-scope.ts';
import { checkChoice, checkObject, checkResource } from '../contract/check-arguments.ts';
import type { Place } from '../contract/place.ts';
import { informerError } from '../errors.ts';
import { Handle } from '../sharing/handle.ts';
import type { InformerCacheOptions } from './informer-cache-options.ts';
import type { InformerObserver, WatchIdentity } from '../contract/informer-observer.ts';
import type { CacheMemory } from '../memory/memory.ts';
import { ObjectWaits } from './object-wait.ts';
import { normalQuery } from '../contract/normal-query.ts';
import type { ReadScope } from './serving-stores.ts';
import type { View } from '../sharing/view.ts';
import { endedWait } from './ended-wait.ts';
import { handleText } from '../sharing/watch-text.ts';
import { ServedListeners } from './served-listeners.ts';
import { StoreReader, type ReaderHost } from './store-reader.ts';
import { ScopedCache } from './scoped-cache.ts';
import { SyncWaits, type SyncScope, type WaitForSyncOptions } from './sync-wait.ts';
import { checkDeleted, type DeletedObject } from '../overlay/own-write.ts';
import { planOf, type PlannedHandle } from '../sharing/watch-plan.ts';
import { inventoryOf, type WatchInventory } from '../sharing/watch-inventory.ts';
import type { HandleOptions, WatchHandle } from '../contract/watch-handle.ts';
import { guardedObserver } from '../contract/informer-observer.ts';
import { guardedNumber } from '../contract/user-code.ts';
import type { MetadataQuery, WatchQuery } from '../contract/watch-query.ts';

/** Identifies a handle that was garbage-collected before its release. */
interface LostHandle {
  readonly observer: InformerObserver;
  readonly watch: WatchIdentity;
  readonly owner: string;
}

/**
 * Owns every watch and creates handles on them. Reads of the whole cache are strict: one watch must
 * cover a read.
 */
export class SharedCache extends StoreReader implements AsyncDisposable {
  /**
   * Reports handles that were garbage-collected before their release. The registered values must not refer to a watch,
   * which would keep the handle alive. All caches share the registry, for the same reason as in `SlabPool`.
   */
  static readonly #leaks = new FinalizationRegistry<LostHandle>(({ observer, watch, owner }) =>
    observer.handleLeaked?.(watch, owner),
  );
  readonly #observer: InformerObserver;
  readonly #host: ReaderHost;
  readonly #kinds: CacheKinds;
  readonly #waits: SyncWaits;
  readonly #state = { isClosed: false };

  constructor(options: InformerCacheOptions) {
    const clock = clockOf(options);
    const objectWaits = new ObjectWaits(clock);
    const host: ReaderHost = {
      now: () => clock.monotonic(),
      objectWaits,
      served: new ServedListeners(),
      listenerFailed: (resource, error) => this.#listenerFailed(resource, error),
    };
    super(
      strict((resource, place) => this.#heldOf(resource, place)),
      host,
    );
    this.#host = host;
    this.#waits = new SyncWaits(clock);
    this.#observer = guardedObserver(options.observer ?? {});
    this.#kinds = new CacheKinds(options, {
      observer: this.#observer,
      clock,
      onChange: () => this.#changed(),
      waits: objectWaits,
    });
  }

  acquire<T extends KubernetesObject>(query: MetadataQuery<T>, options: HandleOptions): WatchHandle;
  acquire<T extends KubernetesObject>(query: WatchQuery<T>, options: HandleOptions): WatchHandle<T>;
  acquire<T extends KubernetesObject>(
    query: WatchQuery<T>,
    options: HandleOptions,
  ): WatchHandle<T> {
    return this.#acquire(query, options, undefined);
  }

  scope(options: CacheScopeOptions = {}): CacheScope {
    checkOptions(options, ['declaredIn', 'cluster', 'signal'], 'scope');
    const handles = new ScopeHandles(options, this.#state);
    return new ScopedCache(handles, this.#host, {
      acquire: (query, handleOptions) => this.#acquire(query, handleOptions, handles),
      waitForSync: (waiting) => {
        const held = this.#whileOpen(() => handles.all(), handles);
        checkSignal(waiting.signal, 'waitForSync.signal');
        return endedWait(handles.signal, waiting, (ended) => this.#waits.wait(held, ended));
      },
    });
  }

  async waitForSync(options: WaitForSyncOptions = {}): Promise<void> {
    await this.#waits.wait(
      this.#whileOpen(() => this.#views(), { declare: handleText }),
      options,
    );
  }

  served(resource: ApiResource): void {
    checkResource(resource, 'served.resource');
    for (const { informer } of this.#kinds.get(resource)?.watches ?? []) informer.wake();
  }

  written(resource: ApiResource, object: DeepReadonly<KubernetesObject>): void {
    checkResource(resource, 'written.resource');
    checkObject(object, 'written.object');
    this.#kinds.written(resource, object);
  }

  deleted(resource: ApiResource, object: DeletedObject): void {
    checkResource(resource, 'deleted.resource');
    checkDeleted(object);
    this.#kinds.deleted(resource, object);
  }

  holds(object: DeepReadonly<KubernetesObject>): boolean {
    checkObject(object, 'holds.object');
    const { kind, metadata = {} } = object;
    const { namespace, name = '', uid } = metadata;
    if (uid === undefined) return false;
    const place = namespace === undefined ? { name } : { namespace, name };
    const watches = this.#kinds.values().flatMap((each) => [...each.watches]);
    return watches.some(({ informer, store }) => {
      const { resource } = informer.identity.query;
      return (kind === undefined || resource.kind === kind) && store.find(place)?.uid === uid;
    });
  }

  inventory(): readonly WatchInventory[] {
    return this.#kinds.values().flatMap(({ watches }) => Array.from(watches, inventoryOf));
  }

  plan(watch?: string): readonly PlannedHandle[] {
    const kinds = this.#kinds.values();
    if (watch === undefined) return kinds.flatMap((kind) => planOf(kind));
    return kinds.flatMap((kind) => {
      const found = kind.ownWatch({ id: watch });
      return found === undefined ? [] : planOf(kind, found);
    });
  }

  memory(): CacheMemory {
    return this.#kinds.memoryUse;
  }

  async close(): Promise<void> {
    this.#state.isClosed = true;
    this.#kinds.close();
    this.#changed();
    await this.#kinds.ended();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #changed(): void {
    this.#waits.changed();
    this.#host.objectWaits.changed();
    this.#host.served.changed();
  }

  #listenerFailed(resource: ApiResource, error: unknown): void {
    const [watch] = this.#kinds.get(resource)?.watches ?? [];
    if (watch === undefined) return;
    this.#observer.handlerError?.(watch.informer.identity, 'onServedChange', error);
  }

  readonly #check = (): void => {
    if (this.#state.isClosed) throw informerError('CACHE_CLOSED');
  };

  #heldOf(resource: ApiResource, place: Place): Iterable<View> {
    this.#check();
    return this.#kinds.get(resource)?.held(place) ?? [];
  }

  #views(): Iterable<View> {
    return this.#kinds.values().flatMap(({ views }) => [...views]);
  }

  #whileOpen(views: () => Iterable<View>, scope: Pick<ReadScope, 'declare'>): SyncScope {
    const check = (): Iterable<View> => {
      this.#check();
      return views();
    };
    return { views: check, declare: (resource, members) => scope.declare(resource, members) };
  }

  #acquire<T extends KubernetesObject>(
    query: WatchQuery<T>,
    options: HandleOptions,
    scope: ScopeHandles | undefined,
  ): WatchHandle<T> {
    this.#check();
    checkHandleOptions(options);
    const { owner, required = true } = options;
    const view = this.#viewOf(query);
    const { retain, pageSize } = query;
    const token = {};
    const leaveScope = scope?.add(view, token);
    const onEnd = (): void => {
      SharedCache.#leaks.unregister(token);
      leaveScope?.();
      this.#changed();
    };
    const handle = new Handle<T>({ view, owner, required, retain, pageSize, onEnd });
    const lost = { observer: this.#observer, watch: view.informer.identity, owner };
    SharedCache.#leaks.register(handle, lost, token);
    try {
      for (const indexer of query.indexers ?? []) handle.addIndexer(indexer);
    } catch (error) {
      // The caller does not receive the handle, and so could not release it.
      handle.release();
      throw error;
    }
    this.#changed();
    return handle;
  }

  /** Returns the view of a query. A running watch serves it, or a new one is started. */
  #viewOf<T extends KubernetesObject>(given: WatchQuery<T>): View {
    const query = normalQuery(given);
    const { transform, part, sharing, indexers = [] } = given as unknown as WatchQuery;
    const kind = this.#kinds.make(query.resource);
    kind.checkTransform(transform);
    for (const indexer of indexers) kind.checkIndexer(indexer);
    const view = kind.view({ query, transform, part, isExact: sharing === 'exact' });
    if (view.isLingering) this.#observer.lingerReused?.(view.informer.identity);
    return view;
  }
}

function strict(viewsOf: ReadScope['viewsOf']): ReadScope {
  return { rule: 'covering', viewsOf, declare: handleText };
}

function checkHandleOptions(options: HandleOptions): void {
  checkOptions(options, ['owner', 'required'], 'acquire.options');
  if (typeof options.owner !== 'string' || options.owner === '') {
    throw invalidOption('acquire.options.owner', 'must be a name');
  }
  checkChoice(options.required, [true, false], 'acquire.options.required');
}

/** The clock of the options, with the functions `now` and `random` instead of its own if they are given. */
function clockOf({ clock = systemClock, now, random }: InformerCacheOptions): Clock {
  return {
    now: () => clock.now(),
    monotonic: now === undefined ? clock.monotonic.bind(clock) : guardedNumber('now', now),
    startTimer: (milliseconds, fire) => clock.startTimer(milliseconds, fire),
    random: random === undefined ? () => clock.random() : guardedNumber('random', random),
    activity: clock.activity,
  };
}
