import type { ApiResource, KubernetesObject } from '@keelson/apimachinery';
import type { CacheReader } from './cache-reader.ts';
import { ResourceMap } from './resource-map.ts';
import type { ReadScope } from './serving-stores.ts';
import type { SharedWatch } from './shared-watch.ts';
import type { WaitForSyncOptions } from './sync-wait.ts';
import type { HolderOptions, WatchHandle } from '../contract/watch-handle.ts';
import type { WatchQuery } from '../contract/watch-query.ts';

/** Who a scope belongs to. */
export interface CacheScopeOptions {
  /** The option in which its owner declares watches, as `NOT_WATCHED` names it. Default: `acquire`. */
  readonly declaredIn?: string;
}

/**
 * A cache as one component sees it: reads are served by the handles that were acquired through the
 * scope, all of them together, whatever others watch.
 *
 * - An object that none of the handles selects reads as `undefined`.
 * - If two handles have an object in different versions, the newer one is read.
 * - A kind, namespace or name that no handle reaches throws `NOT_WATCHED`.
 */
export interface CacheScope extends CacheReader {
  /** Acquires a handle whose objects the scope reads until it is released. */
  acquire<T extends KubernetesObject>(query: WatchQuery<T>, holder: HolderOptions): WatchHandle<T>;
  /** Waits for the watches of the scope, as `InformerCache.waitForSync` does for all. */
  waitForSync(options?: WaitForSyncOptions): Promise<void>;
}

/** The handles of a scope, by kind and watch. */
export class ScopeHandles implements ReadScope {
  readonly rule = 'union';
  readonly #declaredIn: string | undefined;
  readonly #kinds = new ResourceMap<Map<SharedWatch, Set<object>>>();

  constructor({ declaredIn }: CacheScopeOptions) {
    this.#declaredIn = declaredIn;
  }

  /** Returns the way to take the handle out again. */
  add(watch: SharedWatch, handle: object): () => void {
    const { resource } = watch.informer.identity.query;
    const watches = this.#kinds.get(resource) ?? new Map<SharedWatch, Set<object>>();
    this.#kinds.set(resource, watches);
    const handles = watches.get(watch) ?? new Set();
    watches.set(watch, handles.add(handle));
    return () => {
      handles.delete(handle);
      if (handles.size === 0) watches.delete(watch);
      if (watches.size === 0) this.#kinds.delete(resource);
    };
  }

  watchesOf(resource: ApiResource): Iterable<SharedWatch> {
    return this.#kinds.get(resource)?.keys() ?? [];
  }

  all(): SharedWatch[] {
    return Array.from(this.#kinds.values()).flatMap((watches) => [...watches.keys()]);
  }

  declare(watch: string): string {
    return this.#declaredIn === undefined
      ? `acquire(${watch}, …)`
      : `${this.#declaredIn}: [${watch}]`;
  }
}
