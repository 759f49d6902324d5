import type { ApiResource, KubernetesObject } from '@keelson/apimachinery';
import type { CacheReader } from './cache-reader.ts';
import type { Place } from '../contract/place.ts';
import { informerError } from '../errors.ts';
import { ResourceMap } from './resource-map.ts';
import type { ReadScope } from './serving-stores.ts';
import type { View } from '../sharing/view.ts';
import { ViewsByPlace } from '../sharing/views-by-place.ts';
import { handleText, watchText, type WatchMembers } from '../sharing/watch-text.ts';
import type { WaitForSyncOptions } from './sync-wait.ts';
import type { HandleOptions, WatchHandle } from '../contract/watch-handle.ts';
import type { MetadataQuery, WatchQuery } from '../contract/watch-query.ts';

/** Describes the component that owns a scope. */
export interface CacheScopeOptions {
  /**
   * The option in which the component declares watches; `NOT_WATCHED` names it. Default: `acquire`.
   */
  readonly declaredIn?: string;
  /** The name of the cluster of the cache, which a watch in that option names. Default: it names none. */
  readonly cluster?: string;
  /** Ends the waits of the scope: `waitFor` and `waitForSync` reject with its reason. Default: no such signal. */
  readonly signal?: AbortSignal;
}

/**
 * The part of a cache that one component uses. The handles acquired through the scope serve its
 * reads together; other watches do not.
 *
 * - An object that none of the handles selects reads as `undefined`. One that only a handle of the metadata selects
 *   throws `NOT_WATCHED` in a full `get`.
 * - If two handles have different versions of an object, a read returns the newer one.
 * - A read of a kind, namespace or name that no handle selects throws `NOT_WATCHED`.
 */
export interface CacheScope extends CacheReader {
  /** Acquires a handle. The scope reads its objects until the handle is released. */
  acquire<T extends KubernetesObject>(query: MetadataQuery<T>, options: HandleOptions): WatchHandle;
  acquire<T extends KubernetesObject>(query: WatchQuery<T>, options: HandleOptions): WatchHandle<T>;
  /**
   * Waits for the watches of the scope to sync, with the options and errors of
   * `InformerCache.waitForSync`.
   */
  waitForSync(options?: WaitForSyncOptions): Promise<void>;
}

/** Whether a cache was closed. After that, its reads throw `CACHE_CLOSED`. */
export interface CacheState {
  readonly isClosed: boolean;
}

/** The handles of a scope, by kind and view. */
export class ScopeHandles implements ReadScope {
  readonly rule = 'union';
  readonly #declaredIn: string | undefined;
  readonly #cluster: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly #cache: CacheState;
  readonly #kinds = new ResourceMap<ViewsByPlace>();
  readonly #handles = new Map<View, Set<object>>();
  /** What `onlyView` returned since the last change of the views. */
  #only = new WeakMap<ApiResource, View | undefined>();

  constructor({ declaredIn, cluster, signal }: CacheScopeOptions, cache: CacheState) {
    this.#declaredIn = declaredIn;
    this.#cluster = cluster;
    this.signal = signal;
    this.#cache = cache;
  }

  /** Adds a handle and returns the function that removes it. */
  add(view: View, handle: object): () => void {
    const { resource } = view.query;
    const views = this.#kinds.get(resource) ?? new ViewsByPlace();
    this.#kinds.set(resource, views);
    views.add(view);
    this.#only = new WeakMap();
    const handles = this.#handles.get(view) ?? new Set();
    this.#handles.set(view, handles.add(handle));
    return () => {
      handles.delete(handle);
      if (handles.size > 0) return;
      this.#handles.delete(view);
      views.delete(view);
      this.#only = new WeakMap();
      if (views.size === 0) this.#kinds.delete(resource);
    };
  }

  viewsOf(resource: ApiResource, place: Place): Iterable<View> {
    if (this.#cache.isClosed) throw informerError('CACHE_CLOSED');
    return this.#kinds.get(resource)?.at(place) ?? [];
  }

  onlyView(resource: ApiResource): View | undefined {
    if (this.#cache.isClosed) throw informerError('CACHE_CLOSED');
    const known = this.#only.get(resource);
    if (known !== undefined || this.#only.has(resource)) return known;
    const only = this.#kinds.get(resource)?.whole;
    this.#only.set(resource, only);
    return only;
  }

  all(): View[] {
    return [...this.#handles.keys()];
  }

  declare(resource: ApiResource, members: WatchMembers): string {
    if (this.#declaredIn === undefined) return handleText(resource, members);
    return `${this.#declaredIn}: [${watchText(resource, { cluster: this.#cluster, ...members })}]`;
  }
}
