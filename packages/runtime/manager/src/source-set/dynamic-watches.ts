import { invalidOption } from '@keelson/apimachinery';
import type { NamespaceSet } from '../sources/namespace-set.ts';
import { clusterOf } from '../sources/source-options.ts';
import { needsNamespaces } from '../sources/watch-defaults.ts';
import {
  addWatch,
  applyNow,
  type AddedWatch,
  type AnyWatchOptions,
  type ChangeParts,
} from './added-watch.ts';
import { checkRemoveOptions, type DynamicWatch, type RemoveOptions } from './dynamic-watch.ts';
import { WatchSet } from './watch-set.ts';

/**
 * Changes the sources of a controller at run time, except through its options. Each change makes a next plan and
 * applies it.
 */
export class DynamicWatches<Q extends object> {
  readonly #parts: ChangeParts<Q>;
  readonly #sets = new Map<string, WatchSet<Q>>();

  constructor(parts: ChangeParts<Q>) {
    this.#parts = parts;
  }

  add(options: AnyWatchOptions<Q>): AddedWatch<Q> {
    return addWatch(this.#parts, options);
  }

  /** Replaces the namespaces of the controller. Resolves as the removal of a watch does. */
  async setNamespaces(namespaces: NamespaceSet, bounds: RemoveOptions): Promise<void> {
    if (this.#parts.sources.namespaces === undefined) throw needsNamespaces('the controller');
    await applyNow(this.#parts, { namespaces }, bounds);
  }

  /** Applies changed namespaces of the manager. Resolves as the removal of a watch does. */
  async follow(bounds: RemoveOptions): Promise<void> {
    const { namespaces } = this.#parts.sources;
    await applyNow(this.#parts, { namespaces }, bounds);
  }

  /** Removes every watch of a cluster. Resolves as the removal of a watch does. */
  async leaveCluster(cluster: string): Promise<void> {
    const { opened } = this.#parts.sources;
    const ended = opened.filter(({ options }) => clusterOf(options) === cluster);
    await applyNow(this.#parts, { ended }, {});
  }

  /** Removes the watches of a cluster that sources with `clusters` have. Resolves as the removal of a watch does. */
  async leaveSpanned(cluster: string): Promise<void> {
    const ended = this.#parts.sources.opened.filter(
      ({ plan, options }) => plan.spans && clusterOf(options) === cluster,
    );
    if (ended.length > 0) await applyNow(this.#parts, { ended }, {});
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
    const set = this.#sets.get(name) ?? new WatchSet(name, this.#parts);
    this.#sets.set(name, set);
    try {
      return await set.replace(wanted, bounds);
    } finally {
      if (set.isEmpty) this.#sets.delete(name);
    }
  }
}
