import {
  checkOptions,
  invalidOption,
  parseDuration,
  resourceId,
  type ApiResource,
  type DeepReadonly,
  type Duration,
  type KubernetesObject,
  type ObjectName,
} from '@keelson/apimachinery';
import { informerError } from './errors.ts';
import { Handle } from './handle.ts';
import { Informer } from './informer.ts';
import type { InformerObserver, WatchIdentity } from './informer-observer.ts';
import type { ListerWatcher } from './lister-watcher.ts';
import { Memory } from './memory.ts';
import { identityOf, normalQuery } from './normal-query.ts';
import type { StoreListOptions } from './object-store.ts';
import { checkName, checkNamespaceOf } from './read-scope.ts';
import { readableStore } from './readable-store.ts';
import { SharedWatch } from './shared-watch.ts';
import type { Store } from './store.ts';
import { waitForSync, type WaitForSyncOptions } from './sync-wait.ts';
import type { HolderOptions, WatchHandle } from './watch-handle.ts';
import { WatchListSupport } from './watch-list-support.ts';
import { inventoryOf, type WatchInventory } from './watch-inventory.ts';
import type { NormalQuery, WatchQuery } from './watch-query.ts';

/** What an informer cache is made of. */
export interface InformerCacheOptions {
  /** Makes the source of one watch. Called once per watch; must not touch the network. */
  readonly listerWatcher: (query: NormalQuery) => ListerWatcher;
  /** How long a watch outlives its last handle. Milliseconds or a duration text; default 10 s, 0: not at all. */
  readonly linger?: Duration;
  /** How many bytes of parsed bodies to remember over all watches. Default 32 MiB of JSON text. */
  readonly parsedBytes?: number;
  /** Keep `managedFields`, which are cut from what is stored otherwise. Default false. */
  readonly keepManagedFields?: boolean;
  /** Freeze what readers see, so that a write to it throws: for development and tests. Default false. */
  readonly freeze?: boolean;
  readonly observer?: InformerObserver;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  /** From 0 to 1, for jitter. */
  readonly random?: () => number;
}

/** Shares watches among the parts of a process. */
export interface InformerCache extends AsyncDisposable {
  /**
   * Takes a share in the watch that the query describes, starting it if nobody holds one. Returns
   * at once, whatever the network does. Throws `CACHE_CLOSED`, or names an argument that is wrong.
   */
  acquire<T extends KubernetesObject>(query: WatchQuery<T>, holder: HolderOptions): WatchHandle<T>;
  /**
   * Reads one object. Throws `NOT_WATCHED` if nobody holds a watch that covers it, `NOT_SYNCED` before
   * its first sync, `NAMESPACE_REQUIRED` and `NAMESPACE_NOT_ALLOWED` for a name that the kind cannot have.
   */
  get<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
  ): DeepReadonly<T> | undefined;
  /** Reads many objects, in no particular order. Throws as `get` does. */
  list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options?: StoreListOptions,
  ): DeepReadonly<T>[];
  /** Waits until the watches have synced; rejects with `NOT_SYNCED` at the deadline, naming those that have not. */
  waitForSync(options?: WaitForSyncOptions): Promise<void>;
  /** Tells that a kind is served now (its CRD was established), so that a parked watch looks at once. */
  served(resource: ApiResource): void;
  /** Every watch that runs or lingers. */
  inventory(): readonly WatchInventory[];
  /** Stops every watch, without lingering. Closing twice is harmless. */
  close(): Promise<void>;
}

const defaultLinger = 10_000;
const defaultParsedBytes = 32 * 1024 * 1024;

const members = [
  'listerWatcher',
  'linger',
  'parsedBytes',
  'keepManagedFields',
  'freeze',
  'observer',
  'now',
  'random',
];

/** Makes a cache. Nothing runs before the first `acquire`. Throws `INVALID_OPTION`. */
export function createInformerCache(options: InformerCacheOptions): InformerCache {
  checkOptions(options, members, 'createInformerCache');
  if (typeof options.listerWatcher !== 'function') {
    throw invalidOption('createInformerCache.listerWatcher', 'must be a function');
  }
  return new Cache(options);
}

/** What is known of a handle that was never released. */
interface LostHandle {
  readonly watch: WatchIdentity;
  readonly owner: string;
}

class Cache implements InformerCache {
  readonly #options: InformerCacheOptions;
  readonly #linger: number;
  readonly #now: () => number;
  readonly #memory: Memory;
  readonly #support: WatchListSupport;
  readonly #watches = new Map<string, SharedWatch>();
  /** The watches of one kind, by its resource id. */
  readonly #byResource = new Map<string, Set<SharedWatch>>();
  /** The resource ids of tokens, which reads ask for all the time. */
  readonly #ids = new WeakMap<ApiResource, string>();
  /** Watches that have ended and whose last request may still be open. */
  readonly #ending = new Set<Promise<void>>();
  /** Refers to nothing of a watch, which a lost handle would keep alive. */
  readonly #leaks: FinalizationRegistry<LostHandle>;
  #closed = false;

  constructor(options: InformerCacheOptions) {
    const { linger = defaultLinger, parsedBytes = defaultParsedBytes, freeze = false } = options;
    this.#options = options;
    this.#linger = parseDuration(linger, 'createInformerCache.linger');
    this.#now = options.now ?? (() => performance.now());
    if (!Number.isInteger(parsedBytes) || parsedBytes <= 0) {
      throw invalidOption('createInformerCache.parsedBytes', 'must be a positive integer');
    }
    this.#memory = new Memory({ parsedBytes, freeze });
    this.#support = new WatchListSupport(this.#now);
    this.#leaks = new FinalizationRegistry(({ watch, owner }) =>
      options.observer?.handleLeaked?.(watch, owner),
    );
  }

  acquire<T extends KubernetesObject>(query: WatchQuery<T>, holder: HolderOptions): WatchHandle<T> {
    this.#check();
    checkHolder(holder);
    const { owner, required = true } = holder;
    const watch = this.#share(query);
    const retain = query.retain ?? 'lazy';
    const token = {};
    const onOver = (): void => void this.#leaks.unregister(token);
    const handle = new Handle<T>({ watch, owner, required, retain, onOver });
    this.#leaks.register(handle, { watch: watch.informer.identity, owner }, token);
    return handle;
  }

  get<T extends KubernetesObject>(
    resource: ApiResource<T>,
    name: ObjectName,
  ): DeepReadonly<T> | undefined {
    checkName(resource, name);
    const store =
      this.#whole(resource) ??
      readableStore(this.#held(resource), resource, { namespace: name.namespace });
    return store.find(name)?.value() as DeepReadonly<T> | undefined;
  }

  list<T extends KubernetesObject>(
    resource: ApiResource<T>,
    options: StoreListOptions = {},
  ): DeepReadonly<T>[] {
    checkNamespaceOf(resource, options.namespace);
    const store = readableStore(this.#held(resource), resource, options);
    return store.list(options) as DeepReadonly<T>[];
  }

  async waitForSync(options: WaitForSyncOptions = {}): Promise<void> {
    this.#check();
    await waitForSync([...this.#watches.values()], options);
  }

  served(resource: ApiResource): void {
    for (const watch of this.#byResource.get(resourceId(resource)) ?? []) watch.informer.wake();
  }

  inventory(): readonly WatchInventory[] {
    return Array.from(this.#watches.values(), inventoryOf);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const watch of this.#watches.values()) this.#end(watch);
    await Promise.all(this.#ending);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #check(): void {
    if (this.#closed) throw informerError('CACHE_CLOSED');
  }

  /** The watch of a query: the one that runs, or a new one. */
  #share<T extends KubernetesObject>(query: WatchQuery<T>): SharedWatch {
    const normal = normalQuery(query);
    const id = identityOf(normal, query.transform?.name);
    const found = this.#watches.get(id);
    if (found?.isLingering === true) {
      this.#options.observer?.lingerReused?.(found.informer.identity);
    }
    return found ?? this.#begin(id, normal, query);
  }

  #begin(id: string, query: NormalQuery, { transform }: WatchQuery): SharedWatch {
    const { keepManagedFields = false, observer = {}, random = Math.random } = this.#options;
    const informer = new Informer({
      identity: { id, query },
      transform,
      keepManagedFields,
      listerWatcher: () => this.#options.listerWatcher(query),
      memory: this.#memory,
      support: this.#support,
      observer,
      now: this.#now,
      random,
    });
    const watch = new SharedWatch(informer, this.#linger, (ended) => this.#end(ended));
    this.#watches.set(id, watch);
    this.#ofKind(query.resource).add(watch);
    informer.start();
    return watch;
  }

  #end(watch: SharedWatch): void {
    const { id, query } = watch.informer.identity;
    if (this.#watches.get(id) !== watch) return;
    this.#watches.delete(id);
    const kind = this.#ofKind(query.resource);
    kind.delete(watch);
    if (kind.size === 0) this.#byResource.delete(resourceId(query.resource));
    const ending: Promise<void> = watch.end().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #ofKind(resource: ApiResource): Set<SharedWatch> {
    const id = this.#idOf(resource);
    const watches = this.#byResource.get(id) ?? new Set();
    this.#byResource.set(id, watches);
    return watches;
  }

  #idOf(resource: ApiResource): string {
    const known = this.#ids.get(resource);
    if (known !== undefined) return known;
    const id = resourceId(resource);
    this.#ids.set(resource, id);
    return id;
  }

  /** The store that answers every read of a kind, if there is one: the short way of most reads. */
  #whole(resource: ApiResource): Store | undefined {
    if (this.#closed) return undefined;
    for (const watch of this.#byResource.get(this.#idOf(resource)) ?? []) {
      const { informer, holders } = watch;
      if (informer.isWhole && informer.hasSynced && holders.size > 0) return informer.store;
    }
    return undefined;
  }

  /** The watches of a kind that somebody holds: a lingering one is not there for readers. */
  #held(resource: ApiResource): Informer[] {
    this.#check();
    return Array.from(this.#byResource.get(this.#idOf(resource)) ?? [])
      .filter((watch) => watch.holders.size > 0)
      .map((watch) => watch.informer);
  }
}

function checkHolder(holder: HolderOptions): void {
  checkOptions(holder, ['owner', 'required'], 'acquire.holder');
  if (typeof holder.owner !== 'string' || holder.owner === '') {
    throw invalidOption('acquire.holder.owner', 'must name the holder');
  }
}
