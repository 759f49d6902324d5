import {
  abortable,
  checkOptions,
  checkSignal,
  invalidOption,
  type KubernetesObject,
} from '@keelson/apimachinery';
import { checkWatch } from './controller-options.ts';
import type { ControllerSources } from './controller-sources.ts';
import type { DynamicWatch, RemoveOptions } from './controller.ts';
import type { KindSource } from './sources/kind-source.ts';
import type { CallScope } from '../user-code/call-scope.ts';
import type { ReconcileLoop } from './reconcile-loop.ts';
import type { WatchOptions } from './sources/source-options.ts';
import { WatchSets } from './watch-sets.ts';

/** The part of a controller's queue that removes requests and waits for runs. */
export type RequestQueue<Q extends object> = Pick<ReconcileLoop<Q>, 'withdraw' | 'endOfRunsFor'>;

/** The watches that a controller adds and removes at run time, one at a time or in named sets. */
export class DynamicWatches<Q extends object> {
  readonly #sources: ControllerSources<Q>;
  readonly #queue: RequestQueue<Q>;
  readonly #callScope: CallScope;
  /** The watches that were not removed. */
  readonly #live = new Map<DynamicWatch, KindSource<Q>>();
  readonly #sets: WatchSets<WatchOptions<KubernetesObject, Q>>;

  constructor(sources: ControllerSources<Q>, queue: RequestQueue<Q>, callScope: CallScope) {
    this.#sources = sources;
    this.#queue = queue;
    this.#callScope = callScope;
    this.#sets = new WatchSets({
      add: (watch) => this.add(watch),
      update: (watch, changed) => this.#update(watch, changed),
    });
  }

  add(options: WatchOptions<KubernetesObject, Q>): DynamicWatch {
    checkWatch(options, 'watch');
    const source = this.#sources.add(options, false);
    const remove = async (bounds: RemoveOptions = {}): Promise<void> => {
      checkOptions(bounds, ['signal'], 'remove');
      checkSignal(bounds.signal, 'remove.signal');
      this.#detach(watch, source);
      await this.#callScope.inBarrier(() => abortable(this.#end(source), [bounds.signal]));
    };
    const watch: DynamicWatch = {
      name: source.name,
      synced: source.synced,
      get health() {
        return source.health;
      },
      remove,
      [Symbol.asyncDispose]: () => remove(),
    };
    this.#live.set(watch, source);
    return watch;
  }

  replace(
    set: string,
    watches: readonly unknown[],
    options: RemoveOptions,
  ): Promise<readonly DynamicWatch[]> {
    checkOptions(options, ['signal'], 'replaceWatches');
    checkSignal(options.signal, 'replaceWatches.signal');
    if (typeof set !== 'string' || set === '') {
      throw invalidOption('replaceWatches.set', 'must be a name');
    }
    if (!Array.isArray(watches)) throw invalidOption('replaceWatches.watches', 'must be a list');
    // The types of `Controller` have checked the functions against the resources.
    return this.#sets.replace(set, watches as WatchOptions<KubernetesObject, Q>[], options);
  }

  #update(watch: DynamicWatch, options: WatchOptions<KubernetesObject, Q>): boolean {
    checkWatch(options, 'watch');
    const source = this.#live.get(watch);
    if (source !== undefined) this.#sources.update(source, options);
    return source !== undefined;
  }

  #detach(watch: DynamicWatch, source: KindSource<Q>): void {
    if (!this.#live.delete(watch)) return;
    this.#sources.detach(source);
    this.#queue.withdraw(source.causes);
  }

  /**
   * The removal barrier: waits for all runs of the watch except the caller's own run and runs that wait in a barrier
   * themselves. Then releases the watch.
   */
  async #end(source: KindSource<Q>): Promise<void> {
    await this.#queue.endOfRunsFor(source.causes);
    // Released last, because the runs that the watch caused may read its objects.
    source.release();
  }
}
