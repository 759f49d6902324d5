import { resourceId } from '@keelson/apimachinery';
import { informerError } from '../errors.ts';
import type { Indexer } from '../contract/object-store.ts';
import type { SharedWatch } from './shared-watch.ts';
import { isSameIndexer } from '../store/object-index.ts';
import type { NamedTransform } from '../contract/watch-query.ts';
import { sharedWatchText } from './watch-text.ts';

/**
 * The watches of one kind, including lingering ones. Any of them may serve a read, so the name of a
 * transform or an indexer must mean the same function on all of them.
 */
export class KindWatches {
  readonly #watches = new Set<SharedWatch>();

  get isEmpty(): boolean {
    return this.#watches.size === 0;
  }

  get all(): readonly SharedWatch[] {
    return [...this.#watches];
  }

  add(watch: SharedWatch): void {
    this.#watches.add(watch);
  }

  delete(watch: SharedWatch): void {
    this.#watches.delete(watch);
  }

  /** Yields the watches with a handle, in the order of their start. */
  *held(): IterableIterator<SharedWatch> {
    for (const watch of this.#watches) if (watch.handles.size > 0) yield watch;
  }

  /**
   * Returns lingering watches whose transform is another function of this name: a new handle cannot
   * reuse them.
   */
  outdated(transform: NamedTransform | undefined): SharedWatch[] {
    return this.all.filter((watch) => watch.handles.size === 0 && differs(watch, transform));
  }

  /** Throws `TRANSFORM_CONFLICT` if a watch with a handle has another function of this name. */
  checkTransform(transform: NamedTransform | undefined): void {
    for (const watch of this.held()) {
      if (!differs(watch, transform)) continue;
      throw informerError('TRANSFORM_CONFLICT', {
        transform: transform?.name,
        resource: resourceId(watch.informer.identity.query.resource),
        watch: sharedWatchText(watch),
      });
    }
  }

  /** Throws `INDEXER_CONFLICT` if a watch has another function of this name. */
  checkIndexer(indexer: Indexer): void {
    for (const watch of this.#watches) {
      const { identity, store } = watch.informer;
      const known = store.indexOf(indexer.name)?.indexer;
      if (known === undefined || isSameIndexer(known, indexer)) continue;
      throw informerError('INDEXER_CONFLICT', {
        indexer: indexer.name,
        resource: resourceId(identity.query.resource),
        watch: sharedWatchText(watch),
      });
    }
  }
}

function differs(
  { informer: { transform: known } }: SharedWatch,
  given: NamedTransform | undefined,
): boolean {
  return known?.name === given?.name && known?.apply !== given?.apply;
}
