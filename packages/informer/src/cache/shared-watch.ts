import { startTimer } from '@keelson/apimachinery';
import { Coverage } from '../contract/coverage.ts';
import type { Informer } from '../informer/informer.ts';
import type { Indexer } from '../contract/object-store.ts';
import type { Retention } from '../contract/watch-query.ts';

/** The properties of a handle that its watch needs. */
export interface HandleEntry {
  readonly owner: string;
  readonly required: boolean;
  readonly retain: Retention;
  /** Called when the watch ends although the handle was not released. */
  readonly onClosed: () => void;
}

export interface SharedWatchOptions {
  /** Milliseconds that the watch runs after the release of its last handle. */
  readonly linger: number;
  readonly onEnd: (watch: SharedWatch) => void;
  /** Throws `INDEXER_CONFLICT` if another watch of the kind has another function of this name. */
  readonly checkIndexer: (indexer: Indexer) => void;
}

/**
 * A watch and its handles. The set of handles is the reference count, and the timer is the linger,
 * so no separate counter can become wrong.
 */
export class SharedWatch {
  readonly informer: Informer;
  readonly coverage: Coverage;
  readonly #handles = new Set<HandleEntry>();
  readonly #options: SharedWatchOptions;
  #stopTimer: (() => void) | undefined;

  constructor(informer: Informer, options: SharedWatchOptions) {
    this.informer = informer;
    this.coverage = new Coverage(informer.identity.query, informer.transform?.name);
    this.#options = options;
  }

  get handles(): ReadonlySet<HandleEntry> {
    return this.#handles;
  }

  get isLingering(): boolean {
    return this.#stopTimer !== undefined;
  }

  addHandle(handle: HandleEntry): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    this.#handles.add(handle);
    this.#retain();
  }

  /** Removes a handle. A second call has no effect, because a handle can only remove itself. */
  removeHandle(handle: HandleEntry): void {
    if (!this.#handles.delete(handle)) return;
    this.#retain();
    if (this.#handles.size > 0) return;
    const { linger, onEnd } = this.#options;
    if (linger === 0) onEnd(this);
    else this.#stopTimer = startTimer(linger, () => onEnd(this));
  }

  /** Resolves when every stored object is indexed. Throws `INDEXER_CONFLICT`. */
  addIndexer(indexer: Indexer, registration: object): Promise<void> {
    this.#options.checkIndexer(indexer);
    const { store } = this.informer;
    store.addIndexer(indexer, registration);
    return store.built(indexer.name);
  }

  /** Ends the watch, even if it has handles. Settles when the last request has ended. */
  async end(): Promise<void> {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    const handles = [...this.#handles];
    this.#handles.clear();
    for (const handle of handles) handle.onClosed();
    await this.informer.stop();
  }

  #retain(): void {
    const wantsObjects = [...this.#handles].some(({ retain }) => retain === 'object');
    this.informer.retainAs(wantsObjects ? 'object' : 'lazy');
  }
}
