import { isSameIndexer, type Indexer } from '../contract/indexer.ts';

interface KnownIndexer {
  readonly indexer: Indexer;
  count: number;
}

/** The indexers of all watches of a kind by name. Within a kind a name means one function. */
export class KnownIndexers {
  readonly #known = new Map<string, KnownIndexer>();

  /** True if a watch has another function of this name. */
  conflictsWith(indexer: Indexer): boolean {
    const known = this.#known.get(indexer.name);
    return known !== undefined && !isSameIndexer(known.indexer, indexer);
  }

  add(indexer: Indexer): void {
    const known = this.#known.get(indexer.name);
    if (known === undefined) this.#known.set(indexer.name, { indexer, count: 1 });
    else known.count++;
  }

  remove({ name }: Indexer): void {
    const known = this.#known.get(name);
    if (known !== undefined && --known.count === 0) this.#known.delete(name);
  }
}
