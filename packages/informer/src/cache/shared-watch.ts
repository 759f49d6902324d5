import { startTimer } from '@keelson/apimachinery';
import { Coverage } from '../contract/coverage.ts';
import type { Informer } from '../informer/informer.ts';
import type { Indexer } from '../contract/object-store.ts';
import type { Retention } from '../contract/watch-query.ts';

/** One share in a watch. */
export interface Holder {
  readonly owner: string;
  readonly required: boolean;
  readonly retain: Retention;
  /** Called when the watch is ended over the holder's head. */
  readonly onClosed: () => void;
}

export interface SharedWatchOptions {
  /** Milliseconds that the watch outlives its last handle. */
  readonly linger: number;
  readonly onEnd: (watch: SharedWatch) => void;
  /** Throws if another watch of the kind has another indexer of the name. */
  readonly checkIndexer: (indexer: Indexer) => void;
}

/**
 * A watch and who holds it. The set of holders is the reference count, the timer is the linger:
 * there is no number that could be wrong.
 */
export class SharedWatch {
  readonly informer: Informer;
  readonly coverage: Coverage;
  readonly #holders = new Set<Holder>();
  readonly #options: SharedWatchOptions;
  #stopTimer: (() => void) | undefined;

  constructor(informer: Informer, options: SharedWatchOptions) {
    this.informer = informer;
    this.coverage = new Coverage(informer.identity.query, informer.transform?.name);
    this.#options = options;
  }

  get holders(): ReadonlySet<Holder> {
    return this.#holders;
  }

  get isLingering(): boolean {
    return this.#stopTimer !== undefined;
  }

  join(holder: Holder): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#holders.add(holder);
    this.#retain();
  }

  /** Leaving twice changes nothing: a holder can only take out itself. */
  leave(holder: Holder): void {
    if (!this.#holders.delete(holder)) return;
    this.#retain();
    if (this.#holders.size > 0) return;
    const { linger, onEnd } = this.#options;
    if (linger === 0) onEnd(this);
    else this.#stopTimer = startTimer(linger, () => onEnd(this));
  }

  /** Resolves when every stored object is indexed. Throws `INDEXER_CONFLICT`. */
  addIndexer(indexer: Indexer, asker: object): Promise<void> {
    this.#options.checkIndexer(indexer);
    const { store } = this.informer;
    store.addIndexer(indexer, asker);
    return store.built(indexer.name);
  }

  /** Ends the watch, whoever holds it; settles when the last request has ended. */
  async end(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const holders = [...this.#holders];
    this.#holders.clear();
    for (const holder of holders) holder.onClosed();
    await this.informer.stop();
  }

  #retain(): void {
    const wantsObjects = [...this.#holders].some(({ retain }) => retain === 'object');
    this.informer.retainAs(wantsObjects ? 'object' : 'lazy');
  }
}
