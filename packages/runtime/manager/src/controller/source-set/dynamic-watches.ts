import { invalidOption, type KubernetesObject } from '@keelson/apimachinery';
import type { CallScope } from '../../user-code/call-scope.ts';
import { checkRemoveOptions, type DynamicWatch, type RemoveOptions } from '../controller.ts';
import { checkKeptIndex, checkWatch } from '../index-watches/index-watch.ts';
import type { SyncWaitOptions } from '../life/sync-wait.ts';
import { namespaceSet, type NamespaceSet } from '../sources/namespace-set.ts';
import { clusterOf, type WatchOptions } from '../sources/source-options.ts';
import { needsNamespaces } from '../sources/watch-defaults.ts';
import type { ReassignableQueue } from './handover.ts';
import type { NextPlan } from './next-plan.ts';
import type { RemovalBarrier } from './removal-barrier.ts';
import { Source, withNamespaces, type SourcePlan } from './source.ts';
import type { SourceSet } from './source-set.ts';
import { WatchSet } from './watch-set.ts';

/** The wait of `replaceWatches` for the watches that it adds, and the parts of the controller that changes use. */
export interface DynamicWatchesOptions<Q extends object> extends Omit<SyncWaitOptions, 'unready'> {
  readonly sources: SourceSet<Q>;
  readonly queue: ReassignableQueue<Q>;
  readonly barrier: RemovalBarrier;
  readonly callScope: CallScope;
}

/** A watch of the run time: its source, and what user code holds. */
export interface AddedWatch<Q extends object> {
  readonly source: Source<Q>;
  readonly watch: DynamicWatch;
}

/** The options of any watch. The types of `Controller` have checked its functions against its resource. */
export type AnyWatchOptions<Q extends object> = WatchOptions<KubernetesObject, Q>;

/** The changes of a controller's sources that begin at once: each is a next plan, and the barrier for what left with it. */
export class DynamicWatches<Q extends object> {
  readonly #setup: DynamicWatchesOptions<Q>;
  readonly #sources: SourceSet<Q>;
  readonly #sets = new Map<string, WatchSet<Q>>();

  constructor(setup: DynamicWatchesOptions<Q>) {
    this.#setup = setup;
    this.#sources = setup.sources;
  }

  add(options: AnyWatchOptions<Q>): AddedWatch<Q> {
    this.#check(options);
    const required = options.required ?? false;
    const source = new Source(this.#sources.factory.watch({ ...options, required }));
    this.#sources.apply({ added: [source] });
    return { source, watch: this.#handleOf(source) };
  }

  /** Replaces the functions and the namespaces of a watch. */
  change(source: Source<Q>, options: AnyWatchOptions<Q>): void {
    this.#check(options);
    const plan = this.#sources.factory.changed(source.plan, options);
    this.#sources.apply({ changed: new Map([[source, plan]]) });
  }

  /** Replaces the namespaces of the controller. Resolves as the removal of a watch does. */
  async setNamespaces(given: readonly string[], bounds: RemoveOptions): Promise<void> {
    checkRemoveOptions(bounds, 'setNamespaces');
    const namespaces = namespaceSet(given, 'setNamespaces');
    if (this.#sources.namespaces === undefined) throw needsNamespaces('the controller');
    await this.#apply({ namespaces }, bounds);
  }

  /** Applies changed namespaces of the manager. Resolves as the removal of a watch does. */
  follow(bounds: RemoveOptions): Promise<void> {
    return this.#apply({ namespaces: this.#sources.namespaces }, bounds);
  }

  /** Removes every watch of a cluster. Resolves as the removal of a watch does. */
  leaveCluster(cluster: string): Promise<void> {
    const ended = this.#sources.opened.filter(({ options }) => clusterOf(options) === cluster);
    return this.#apply({ ended }, {});
  }

  /** Replaces the watches of a named set. */
  async replace(
    name: string,
    watches: readonly unknown[],
    bounds: RemoveOptions,
  ): Promise<readonly DynamicWatch[]> {
    checkRemoveOptions(bounds, 'replaceWatches');
    if (typeof name !== 'string' || name === '') {
      throw invalidOption('replaceWatches.set', 'must be a name');
    }
    if (!Array.isArray(watches)) throw invalidOption('replaceWatches.watches', 'must be a list');
    const wanted = [...(watches as AnyWatchOptions<Q>[])];
    const set = this.#sets.get(name) ?? new WatchSet(name, { ...this.#setup, watches: this });
    this.#sets.set(name, set);
    try {
      return await set.replace(wanted, bounds);
    } finally {
      if (set.isEmpty) this.#sets.delete(name);
    }
  }

  #handleOf(source: Source<Q>): DynamicWatch {
    const remove = async (bounds: RemoveOptions = {}): Promise<void> => {
      checkRemoveOptions(bounds, 'remove');
      this.#sources.apply({ ended: [source] });
      // A second removal waits for the same runs.
      const left = { source, watches: source.opened, isEnd: true };
      await this.#setup.barrier.remove(this.#sources.removedBy(left), bounds.signal);
    };
    return {
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
      setNamespaces: async (given, bounds = {}) => {
        checkRemoveOptions(bounds, 'setNamespaces');
        const namespaces = namespaceSet(given, 'setNamespaces');
        if (source.options.namespaces === undefined) throw needsNamespaces('the watch');
        if (source.isDetached) throw source.removed();
        await this.#apply({ changed: narrowed(source, namespaces) }, bounds);
      },
      remove,
      [Symbol.asyncDispose]: () => remove(),
    };
  }

  async #apply(plan: NextPlan<Q>, { signal }: RemoveOptions): Promise<void> {
    const left = this.#sources.apply(plan);
    await this.#setup.barrier.remove(
      left.flatMap((one) => this.#sources.removedBy(one)),
      signal,
    );
  }

  #check(watch: AnyWatchOptions<Q>): void {
    checkWatch(watch, 'watch');
    const sources = this.#sources.all.map(({ options }) => options);
    checkKeptIndex(watch, sources, this.#sources.primary?.options);
  }
}

/** The next plan of a source with other namespaces. */
export function narrowed<Q extends object>(
  source: Source<Q>,
  namespaces: NamespaceSet,
): ReadonlyMap<Source<Q>, SourcePlan<Q>> {
  return new Map([[source, withNamespaces(source.plan, namespaces)]]);
}

/** Awaiting the promise is optional. */
function optional(promise: Promise<void>): Promise<void> {
  promise.catch(() => undefined);
  return promise;
}
