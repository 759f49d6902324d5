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
import { Handle } from './handle.ts';
import { Informer } from '../informer/informer.ts';
import type { InformerCacheOptions } from './informer-cache-options.ts';
import type { InformerObserver, WatchIdentity } from '../contract/informer-observer.ts';
import { KindWatches } from './kind-watches.ts';
import { Memory, type CacheMemory } from '../store/memory.ts';
import { identityOf, normalQuery } from '../contract/normal-query.ts';
import { ResourceMap } from './resource-map.ts';
import type { ReadScope } from './serving-stores.ts';
import { ReconnectSpread } from '../reflector/reconnect-spread.ts';
import { SharedWatch } from './shared-watch.ts';
import { StoreReader } from './store-reader.ts';
import { SyncWaits, type SyncScope, type WaitForSyncOptions } from './sync-wait.ts';
import { inventoryOf, type WatchInventory } from './watch-inventory.ts';
import type { HolderOptions, WatchHandle } from '../contract/watch-handle.ts';
import { guardedObserver } from '../contract/informer-observer.ts';
import { WatchListSupports } from '../reflector/watch-list-support.ts';
import type { NormalQuery, WatchQuery } from '../contract/watch-query.ts';

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
  readonly #watches = new Map<string, SharedWatch>();
  readonly #kinds = new ResourceMap<KindWatches>();
  readonly #waits = new SyncWaits();
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
    super(
      strict((resource) => this.#heldOf(resource)),
      now,
    );
    this.#options = options;
    this.#observer = guardedObserver(options.observer ?? {});
    this.#linger = parseDuration(linger, 'createInformerCache.linger');
    this.#now = now;
    this.#memory = new Memory({ parsedBytes, freeze, now });
    this.#supports = new WatchListSupports(this.#now);
    this.#spread = new ReconnectSpread(this.#now, options.random ?? Math.random);
  }

  acquire<T extends KubernetesObject>(query: WatchQuery<T>, holder: HolderOptions): WatchHandle<T> {
    return this.#acquire(query, holder, undefined);
  }

  scope(options: CacheScopeOptions = {}): CacheScope {
    checkOptions(options, ['declaredIn'], 'scope');
    const handles = new ScopeHandles(options);
    const scope: ReadScope = {
      rule: handles.rule,
      declare: (watch) => handles.declare(watch),
      watchesOf: (resource) => {
        this.#check();
        return handles.watchesOf(resource);
      },
    };
    return new Scope(scope, this.#now, {
      acquire: (query, holder) => this.#acquire(query, holder, handles),
      waitForSync: (waiting) =>
        this.#waits.wait(
          this.#whileOpen(() => handles.all(), scope),
          waiting,
        ),
    });
  }

  async waitForSync(options: WaitForSyncOptions = {}): Promise<void> {
    await this.#waits.wait(
      this.#whileOpen(() => this.#watches.values(), { declare: declareHandle }),
      options,
    );
  }

  served(resource: ApiResource): void {
    for (const watch of this.#kinds.get(resource)?.all ?? []) watch.informer.wake();
  }

  inventory(): readonly WatchInventory[] {
    return Array.from(this.#watches.values(), inventoryOf);
  }

  memory(): CacheMemory {
    return { pinnedBytes: this.#memory.slabs.pinned, freeBytes: this.#memory.slabs.free };
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const watch of this.#watches.values()) this.#end(watch);
    this.#waits.changed();
    await Promise.all(this.#ending);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #check(): void {
    if (this.#closed) throw informerError('CACHE_CLOSED');
  }

  #heldOf(resource: ApiResource): Iterable<SharedWatch> {
    this.#check();
    return this.#kinds.get(resource)?.held() ?? [];
  }

  #whileOpen(
    watches: () => Iterable<SharedWatch>,
    { declare }: Pick<ReadScope, 'declare'>,
  ): SyncScope {
    const check = (): Iterable<SharedWatch> => {
      this.#check();
      return watches();
    };
    return { watches: check, declare };
  }

  #acquire<T extends KubernetesObject>(
    query: WatchQuery<T>,
    holder: HolderOptions,
    scope: ScopeHandles | undefined,
  ): WatchHandle<T> {
    this.#check();
    checkHolderOptions(holder);
    const { owner, required = true } = holder;
    const watch = this.#watchOf(query);
    const retain = query.retain ?? 'lazy';
    const token = {};
    const leaveScope = scope?.add(watch, token);
    const onEnd = (): void => {
      SharedCache.#leaks.unregister(token);
      leaveScope?.();
      this.#waits.changed();
    };
    const handle = new Handle<T>({ watch, owner, required, retain, onEnd });
    const lost = { observer: this.#observer, watch: watch.informer.identity, owner };
    SharedCache.#leaks.register(handle, lost, token);
    try {
      for (const indexer of query.indexers ?? []) handle.addIndexer(indexer);
    } catch (error) {
      // Two indexers of the query have the same name. The caller gets no handle and could not
      // release it.
      handle.release();
      throw error;
    }
    this.#waits.changed();
    return handle;
  }

  /** Returns the running watch of a query, or starts one. */
  #watchOf<T extends KubernetesObject>(query: WatchQuery<T>): SharedWatch {
    const normal = normalQuery(query);
    const { transform, indexers = [] } = query as unknown as WatchQuery;
    const kind = this.#kinds.get(normal.resource) ?? new KindWatches();
    kind.checkTransform(transform);
    for (const indexer of indexers) kind.checkIndexer(indexer);
    for (const watch of kind.outdated(transform)) this.#end(watch);
    const id = identityOf(normal, transform?.name);
    const found = this.#watches.get(id);
    if (found?.isLingering === true) {
      this.#observer.lingerReused?.(found.informer.identity);
    }
    return found ?? this.#begin(id, normal, transform);
  }

  #begin(id: string, query: NormalQuery, transform: WatchQuery['transform']): SharedWatch {
    const { keepManagedFields = false, random = Math.random } = this.#options;
    const informer = new Informer({
      identity: { id, query },
      transform,
      keepManagedFields,
      listerWatcher: () => this.#options.listerWatcher(query),
      memory: this.#memory,
      support: this.#supports.of(query.resource.group),
      spread: this.#spread,
      observer: this.#observer,
      now: this.#now,
      random,
    });
    const kind = this.#kinds.get(query.resource) ?? new KindWatches();
    this.#kinds.set(query.resource, kind);
    const watch = new SharedWatch(informer, {
      linger: this.#linger,
      onEnd: (ended) => this.#end(ended),
      checkIndexer: (indexer) => kind.checkIndexer(indexer),
    });
    this.#watches.set(id, watch);
    kind.add(watch);
    const changed = (): void => this.#waits.changed();
    informer.synced.then(changed, changed);
    informer.start();
    return watch;
  }

  #end(watch: SharedWatch): void {
    const { id, query } = watch.informer.identity;
    if (this.#watches.get(id) !== watch) return;
    this.#watches.delete(id);
    const kind = this.#kinds.get(query.resource);
    kind?.delete(watch);
    if (kind?.isEmpty === true) this.#kinds.delete(query.resource);
    const ending: Promise<void> = watch.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}

class Scope extends StoreReader implements CacheScope {
  readonly acquire: CacheScope['acquire'];
  readonly waitForSync: (options?: WaitForSyncOptions) => Promise<void>;

  constructor(
    scope: ReadScope,
    now: () => number,
    {
      acquire,
      waitForSync,
    }: Pick<CacheScope, 'acquire'> & {
      waitForSync: (options: WaitForSyncOptions) => Promise<void>;
    },
  ) {
    super(scope, now);
    this.acquire = acquire;
    this.waitForSync = (options = {}) => waitForSync(options);
  }
}

function strict(watchesOf: ReadScope['watchesOf']): ReadScope {
  return { rule: 'covering', watchesOf, declare: declareHandle };
}

function declareHandle(watch: string): string {
  return `acquire(${watch}, …)`;
}

function checkHolderOptions(holder: HolderOptions): void {
  checkOptions(holder, ['owner', 'required'], 'acquire.holder');
  if (typeof holder.owner !== 'string' || holder.owner === '') {
    throw invalidOption('acquire.holder.owner', 'must be a name');
  }
  checkChoice(holder.required, [true, false], 'acquire.holder.required');
}
