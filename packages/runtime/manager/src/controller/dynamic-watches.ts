import { invalidOption, type KubernetesObject } from '@keelson/apimachinery';
import type { ControllerSources } from './controller-sources.ts';
import {
  checkRemoveOptions,
  type DynamicSource,
  type DynamicWatch,
  type RemoveOptions,
} from './controller.ts';
import { checkKeptIndex, checkWatch } from './index-watches/index-watch.ts';
import { checkIterable, type IterableSourceOptions } from './iterables/iterable-source.ts';
import { removableSource } from './iterables/iterable-sources.ts';
import { namespaceSet } from './sources/namespace-set.ts';
import type { WatchOptions } from './sources/source-options.ts';
import { SourceRemoval, type RequestQueue } from './sources/source-removal.ts';
import type { SourceWatches } from './sources/source-watches.ts';
import { needsNamespaces } from './sources/watch-defaults.ts';
import type { CallScope } from '../user-code/call-scope.ts';
import { WatchSets, type WatchSetHost } from './watch-sets.ts';
import type { ReassignableQueue } from './exchange/source-exchange.ts';
import type { SyncWaitOptions } from './life/sync-wait.ts';

/** The wait of `replaceWatches` for the watches that it adds. */
export interface DynamicWatchesOptions extends Omit<SyncWaitOptions, 'unready'> {
  readonly callScope: CallScope;
}

/** The watches and sources that a controller adds, changes and removes at run time; watches also in named sets. */
export class DynamicWatches<Q extends object> {
  readonly #sources: ControllerSources<Q>;
  readonly #removal: SourceRemoval;
  /** The watches that were not removed. */
  readonly #live = new Map<DynamicWatch, SourceWatches<Q>>();
  readonly #sets: WatchSets<Q, WatchOptions<KubernetesObject, Q>>;

  constructor(
    sources: ControllerSources<Q>,
    queue: RequestQueue & ReassignableQueue<Q>,
    setup: DynamicWatchesOptions,
  ) {
    this.#sources = sources;
    this.#removal = new SourceRemoval(queue, setup.callScope);
    this.#sets = new WatchSets({ ...setup, queue, host: this.#host() });
  }

  add(options: WatchOptions<KubernetesObject, Q>): DynamicWatch {
    this.#check(options);
    const source = this.#sources.add(options, false);
    const remove = async (bounds: RemoveOptions = {}): Promise<void> => {
      checkRemoveOptions(bounds, 'remove');
      if (this.#live.delete(watch)) this.#sources.detach(source);
      const end = this.#sources.removals.endOf(source);
      await this.#removal.remove([...source.opened, end], bounds.signal);
    };
    const watch: DynamicWatch = {
      name: source.name,
      get synced() {
        return optional(source.synced());
      },
      get health() {
        return source.health;
      },
      get namespaces() {
        return source.namespaces;
      },
      setNamespaces: async (namespaces, bounds = {}) => {
        checkRemoveOptions(bounds, 'setNamespaces');
        const next = namespaceSet(namespaces, 'setNamespaces');
        if (source.options.namespaces === undefined) throw needsNamespaces('the watch');
        if (!this.#live.has(watch)) throw source.removed();
        await this.#removal.remove(source.setNamespaces(next), bounds.signal);
      },
      remove,
      [Symbol.asyncDispose]: () => remove(),
    };
    this.#live.set(watch, source);
    return watch;
  }

  addSource(options: IterableSourceOptions<Q>): DynamicSource {
    checkIterable(options, 'addSource');
    const source = this.#sources.addIterable(options);
    const remove = async (bounds: RemoveOptions = {}): Promise<void> => {
      checkRemoveOptions(bounds, 'remove');
      this.#sources.closeIterable(source);
      await this.#removal.remove([removableSource(source)], bounds.signal);
    };
    return {
      name: source.name,
      get pending() {
        return source.pending;
      },
      remove,
      [Symbol.asyncDispose]: () => remove(),
    };
  }

  /** Replaces the namespaces of the controller. Resolves as the removal of a watch does. */
  async setNamespaces(namespaces: readonly string[], bounds: RemoveOptions): Promise<void> {
    checkRemoveOptions(bounds, 'setNamespaces');
    await this.#removal.remove(this.#sources.setNamespaces(namespaces), bounds.signal);
  }

  /** Applies changed namespaces of the manager. Resolves as the removal of a watch does. */
  async follow({ signal }: RemoveOptions): Promise<void> {
    await this.#removal.remove(this.#sources.follow(), signal);
  }

  /** Removes every watch of a cluster. Resolves as the removal of a watch does. */
  async leaveCluster(cluster: string): Promise<void> {
    const left = this.#sources.ofCluster(cluster);
    for (const [watch, source] of this.#live) if (left.includes(source)) this.#live.delete(watch);
    for (const source of left) this.#sources.detach(source);
    const members = left.flatMap((source) => source.opened);
    const ends = left.map((source) => this.#sources.removals.endOf(source));
    await this.#removal.remove([...members, ...ends], undefined);
  }

  replace(
    set: string,
    watches: readonly unknown[],
    options: RemoveOptions,
  ): Promise<readonly DynamicWatch[]> {
    checkRemoveOptions(options, 'replaceWatches');
    if (typeof set !== 'string' || set === '') {
      throw invalidOption('replaceWatches.set', 'must be a name');
    }
    if (!Array.isArray(watches)) throw invalidOption('replaceWatches.watches', 'must be a list');
    // The types of `Controller` have checked the functions against the resources.
    const wanted = watches as WatchOptions<KubernetesObject, Q>[];
    return this.#sets.replace(set, [...wanted], options);
  }

  #check(watch: WatchOptions<KubernetesObject, Q>): void {
    checkWatch(watch, 'watch');
    const primary = this.#sources.declared.find(({ plan }) => plan.role === 'for');
    const sources = this.#sources.all.map(({ options }) => options);
    checkKeptIndex(watch, sources, primary?.options);
  }

  #host(): WatchSetHost<Q, WatchOptions<KubernetesObject, Q>> {
    return {
      add: (options) => this.add(options),
      update: (watch, options) => this.#update(watch, options),
      sourceOf: (watch) => this.#sourceOf(watch),
      leaves: (source, isLeaving) => {
        if (isLeaving) this.#sources.removals.endOf(source);
        else this.#sources.removals.recall(source);
      },
    };
  }

  #sourceOf(watch: DynamicWatch): SourceWatches<Q> | undefined {
    const source = this.#live.get(watch);
    return source?.isDetached === true ? undefined : source;
  }

  /** The namespaces that the options do not name stay until the returned function is called. */
  #update(
    watch: DynamicWatch,
    options: WatchOptions<KubernetesObject, Q>,
  ): ((bounds: RemoveOptions) => Promise<void>) | undefined {
    this.#check(options);
    const source = this.#sourceOf(watch);
    if (source === undefined) return undefined;
    const wanted = options.namespaces && namespaceSet(options.namespaces, 'watch.namespaces');
    const { namespaces: present = [] } = source.options;
    const all = wanted && namespaceSet([...wanted, ...present], 'watch.namespaces');
    this.#sources.update(source, all === undefined ? options : { ...options, namespaces: all });
    const joint = source.options.namespaces;
    if (wanted === undefined || String(joint) === String(wanted)) return undefined;
    return async ({ signal }) => {
      // User code may have changed the namespaces, or removed the watch.
      if (source.isDetached || source.options.namespaces !== joint) return;
      await this.#removal.remove(source.setNamespaces(wanted), signal);
    };
  }
}

/** Awaiting the promise is optional. */
function optional(promise: Promise<void>): Promise<void> {
  promise.catch(() => undefined);
  return promise;
}
