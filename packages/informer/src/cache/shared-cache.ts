import { AsyncLocalStorage } from 'node:async_hooks';
import {
  checkOptions,
  invalidOption,
  parseDuration,
  type ApiResource,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { ScopeHandles, type CacheScope, type CacheScopeOptions } from './cache-scope.ts';
import { checkChoice } from '../contract/check-arguments.ts';
import { informerError } from '../errors.ts';
import { Handle } from '../sharing/handle.ts';
import { Informer } from '../informer/informer.ts';
import type { InformerCacheOptions } from './informer-cache-options.ts';
import type { InformerObserver, WatchIdentity } from '../contract/informer-observer.ts';
import { KindWatches, type NewInformer } from '../sharing/kind-watches.ts';
import { Memory, type CacheMemory } from '../memory/memory.ts';
import { ObjectWaits } from './object-wait.ts';
import { normalQuery } from '../contract/normal-query.ts';
import { ResourceMap } from './resource-map.ts';
import type { ReadScope } from './serving-stores.ts';
import { ReconnectSpread } from '../reflector/reconnect-spread.ts';
import type { View } from '../sharing/view.ts';
import { StoreReader } from './store-reader.ts';
import { SyncWaits, type SyncScope, type WaitForSyncOptions } from './sync-wait.ts';
import { planOf, type PlannedHandle } from '../sharing/watch-plan.ts';
import { inventoryOf, type WatchInventory } from '../sharing/watch-inventory.ts';
import type { HandleOptions, WatchHandle } from '../contract/watch-handle.ts';
import { guardedObserver } from '../contract/informer-observer.ts';
import { WatchListSupports } from '../reflector/watch-list-support.ts';
import type { WatchQuery } from '../contract/watch-query.ts';

const DEFAULT_LINGER_MS = 10_000;
const DEFAULT_PARSED_BYTES = 32 * 1024 * 1024;

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
   * The registered values refer to no watch, which would keep a leaked handle alive. All caches share
   * the registry, for the reason of the one in `SlabPool`.
   */
  static readonly #leaks = new FinalizationRegistry<LostHandle>(({ observer, watch, owner }) =>
    observer.handleLeaked?.(watch, owner),
  );
  readonly #options: InformerCacheOptions;
  readonly #observer: InformerObserver;
  readonly #linger: number;
  readonly #now: () => number;
  readonly #memory: Memory;
  readonly #supports: WatchListSupports;
  readonly #spread: ReconnectSpread;
  /** The lister-watcher and the observer run in the async context of the cache, not in that of a handle. */
  readonly #inContext = AsyncLocalStorage.snapshot();
  readonly #kinds = new ResourceMap<KindWatches>();
  readonly #waits = new SyncWaits();
  readonly #objectWaits: ObjectWaits;
  /** Watches that have ended, but whose last request may still be open. */
  readonly #ending = new Set<Promise<void>>();
  #closed = false;

  constructor(options: InformerCacheOptions) {
    const {
      linger = DEFAULT_LINGER_MS,
      parsedBytes = DEFAULT_PARSED_BYTES,
      freeze = false,
    } = options;
    const now = options.now ?? (() => performance.now());
    const objectWaits = new ObjectWaits();
    super(
      strict((resource) => this.#heldOf(resource)),
      now,
      objectWaits,
    );
    this.#objectWaits = objectWaits;
    this.#options = options;
    this.#observer = guardedObserver(options.observer ?? {});
    this.#linger = parseDuration(linger, 'createInformerCache.linger');
    this.#now = now;
    this.#memory = new Memory({ parsedBytes, freeze, now });
    this.#supports = new WatchListSupports(this.#now);
    this.#spread = new ReconnectSpread(this.#now, options.random ?? Math.random);
  }

  acquire<T extends KubernetesObject>(
    query: WatchQuery<T>,
    options: HandleOptions,
  ): WatchHandle<T> {
    return this.#acquire(query, options, undefined);
  }

  scope(options: CacheScopeOptions = {}): CacheScope {
    checkOptions(options, ['declaredIn'], 'scope');
    const handles = new ScopeHandles(options);
    const scope: ReadScope = {
      rule: handles.rule,
      declare: (watch) => handles.declare(watch),
      viewsOf: (resource) => {
        this.#check();
        return handles.viewsOf(resource);
      },
    };
    return new Scope(scope, this.#now, this.#objectWaits, {
      acquire: (query, handleOptions) => this.#acquire(query, handleOptions, handles),
      waitForSync: (waiting) =>
        this.#waits.wait(
          this.#whileOpen(() => handles.all(), scope),
          waiting,
        ),
    });
  }

  async waitForSync(options: WaitForSyncOptions = {}): Promise<void> {
    await this.#waits.wait(
      this.#whileOpen(() => this.#views(), { declare: declareHandle }),
      options,
    );
  }

  served(resource: ApiResource): void {
    for (const { informer } of this.#kinds.get(resource)?.watches ?? []) informer.wake();
  }

  inventory(): readonly WatchInventory[] {
    return [...this.#kinds.values()].flatMap(({ watches }) => Array.from(watches, inventoryOf));
  }

  plan(): readonly PlannedHandle[] {
    return [...this.#kinds.values()].flatMap(planOf);
  }

  memory(): CacheMemory {
    return { pinnedBytes: this.#memory.slabs.pinned, freeBytes: this.#memory.slabs.free };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const kind of this.#kinds.values()) kind.close();
    this.#changed();
    await Promise.all(this.#ending);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #changed(): void {
    this.#waits.changed();
    this.#objectWaits.changed();
  }

  #check(): void {
    if (this.#closed) throw informerError('CACHE_CLOSED');
  }

  #heldOf(resource: ApiResource): Iterable<View> {
    this.#check();
    return this.#kinds.get(resource)?.held() ?? [];
  }

  #views(): Iterable<View> {
    return [...this.#kinds.values()].flatMap(({ views }) => [...views]);
  }

  #whileOpen(views: () => Iterable<View>, { declare }: Pick<ReadScope, 'declare'>): SyncScope {
    const check = (): Iterable<View> => {
      this.#check();
      return views();
    };
    return { views: check, declare };
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
    const { retain = 'lazy', pageSize } = query;
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
      // Two indexers of the query have the same name. The caller gets no handle and could not
      // release it.
      handle.release();
      throw error;
    }
    this.#changed();
    return handle;
  }

  /** Returns the view of a query, whose watch runs. */
  #viewOf<T extends KubernetesObject>(given: WatchQuery<T>): View {
    const query = normalQuery(given);
    const { transform, sharing, indexers = [] } = given as unknown as WatchQuery;
    const kind = this.#kindOf(query.resource);
    kind.checkTransform(transform);
    for (const indexer of indexers) kind.checkIndexer(indexer);
    const view = kind.view({ query, transform, isExact: sharing === 'exact' });
    if (view.isLingering) this.#observer.lingerReused?.(view.informer.identity);
    return view;
  }

  #kindOf(resource: ApiResource): KindWatches {
    const found = this.#kinds.get(resource);
    if (found !== undefined) return found;
    const kind: KindWatches = new KindWatches({
      linger: this.#linger,
      now: this.#now,
      informer: (options) => this.#informer(options),
      start: (informer) => this.#inContext(() => informer.start()),
      onChange: () => this.#changed(),
      onEnding: (ended) => {
        const ending: Promise<void> = ended.finally(() => this.#ending.delete(ending));
        this.#ending.add(ending);
      },
      onEmpty: () => this.#kinds.delete(resource),
    });
    this.#kinds.set(resource, kind);
    return kind;
  }

  #informer(options: NewInformer): Informer {
    const { keepManagedFields = false, random = Math.random, listerWatcher } = this.#options;
    const { query } = options.identity;
    return new Informer({
      ...options,
      onChange: (object) => this.#objectWaits.objectChanged(query.resource, object),
      keepManagedFields,
      listerWatcher: () => listerWatcher(query),
      memory: this.#memory,
      support: this.#supports.of(query.resource.group),
      spread: this.#spread,
      observer: this.#observer,
      now: this.#now,
      random,
    });
  }
}

class Scope extends StoreReader implements CacheScope {
  readonly acquire: CacheScope['acquire'];
  readonly waitForSync: (options?: WaitForSyncOptions) => Promise<void>;

  constructor(
    scope: ReadScope,
    now: () => number,
    objectWaits: ObjectWaits,
    {
      acquire,
      waitForSync,
    }: Pick<CacheScope, 'acquire'> & {
      waitForSync: (options: WaitForSyncOptions) => Promise<void>;
    },
  ) {
    super(scope, now, objectWaits);
    this.acquire = acquire;
    this.waitForSync = (options = {}) => waitForSync(options);
  }
}

function strict(viewsOf: ReadScope['viewsOf']): ReadScope {
  return { rule: 'covering', viewsOf, declare: declareHandle };
}

function declareHandle(watch: string): string {
  return `acquire(${watch}, …)`;
}

function checkHandleOptions(options: HandleOptions): void {
  checkOptions(options, ['owner', 'required'], 'acquire.options');
  if (typeof options.owner !== 'string' || options.owner === '') {
    throw invalidOption('acquire.options.owner', 'must be a name');
  }
  checkChoice(options.required, [true, false], 'acquire.options.required');
}
