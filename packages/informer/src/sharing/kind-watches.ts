import { resourceId } from '@keelson/apimachinery';
import { Coverage } from '../contract/coverage.ts';
import { identityOf } from '../contract/normal-query.ts';
import { isSameIndexer, type Indexer } from '../contract/indexer.ts';
import type { NamedTransform, NormalQuery } from '../contract/watch-query.ts';
import { informerError } from '../errors.ts';
import type { Informer } from '../informer/informer.ts';
import type { InformerOptions } from '../informer/informer-options.ts';
import { Timeline } from '../informer/timeline.ts';
import type { Overlay } from '../overlay/overlay.ts';
import type { DeletedObject, OwnWrite } from '../overlay/own-write.ts';
import { Placement, type KindState } from './placement.ts';
import { SharedWatch } from './shared-watch.ts';
import { TakeoverDelay } from './takeover-delay.ts';
import { View } from './view.ts';
import { viewText } from './watch-text.ts';

/** The query of a handle, and its options that decide which watch serves it. */
export interface KindQuery {
  readonly query: NormalQuery;
  readonly transform: NamedTransform | undefined;
  /** The query always has its own watch. */
  readonly isExact: boolean;
}

/** The properties of one watch, which the cache completes to an informer. */
export type NewInformer = Pick<
  InformerOptions,
  'identity' | 'transform' | 'timeline' | 'pageSize' | 'pendingWrites' | 'onProgress' | 'onRemove'
>;

export interface KindOptions {
  /** Milliseconds that a query without handles keeps its watch. */
  readonly linger: number;
  readonly now: () => number;
  readonly informer: (options: NewInformer) => Informer;
  /** Makes the overlay of a watch. `epoch` changes when the server was replaced. */
  readonly overlay: (watch: Informer, epoch: () => number) => Overlay;
  readonly start: (informer: Informer) => void;
  /** Called when a watch has synced or a handle has moved. */
  readonly onChange: () => void;
  /** Called with the promise that settles when the last request of an ended watch has ended. */
  readonly onEnding: (ended: Promise<void>) => void;
  /** Called when the last watch has ended. */
  readonly onEmpty: () => void;
}

/**
 * The watches of one kind and the queries that they serve, including lingering ones. Any of them may
 * serve a read, so the name of a transform or an indexer must mean the same function on all of them.
 */
export class KindWatches implements KindState {
  readonly #options: KindOptions;
  readonly #watches = new Map<string, SharedWatch>();
  readonly #views = new Map<string, View>();
  readonly #timeline = new Timeline();
  readonly #placement: Placement;
  #order = 0;
  #isScheduled = false;
  #mustPlan = false;
  #isClosed = false;

  constructor(options: KindOptions) {
    const { linger, now } = options;
    this.#options = options;
    this.#placement = new Placement(this, new TakeoverDelay(linger, now), () => this.#replan());
  }

  get watches(): Iterable<SharedWatch> {
    return this.#watches.values();
  }

  get views(): Iterable<View> {
    return this.#views.values();
  }

  get placement(): Placement {
    return this.#placement;
  }

  /** Yields the views with a handle, in the order of their creation. */
  *held(): IterableIterator<View> {
    for (const view of this.#views.values()) if (view.handles.size > 0) yield view;
  }

  ownWatch({ id }: View): SharedWatch | undefined {
    return this.#watches.get(id);
  }

  /** Returns the view of a query. A new one is served by a running watch, or starts its own. */
  view({ query, transform, isExact }: KindQuery): View {
    for (const view of this.#outdated(transform)) this.#remove(view);
    const id = identityOf(query, transform?.name);
    const key = isExact ? `exact ${id}` : id;
    const found = this.#views.get(key);
    if (found !== undefined) return found;
    const coverage = new Coverage(query, transform?.name);
    const wider = [...this.views].filter((other) => canServe(other.coverage, coverage));
    const watch =
      (isExact ? undefined : Placement.startOf(wider, this)) ??
      this.#watches.get(id) ??
      this.#begin(id, query, transform);
    const view = new View(
      {
        id,
        query,
        transform,
        coverage,
        isExact,
        order: this.#order++,
        linger: this.#options.linger,
        onHeld: () => this.#replan(),
        onEnd: (ended) => this.#end(ended),
        checkIndexer: (indexer) => this.checkIndexer(indexer),
      },
      watch,
    );
    this.#add(key, view, wider);
    return view;
  }

  begin({ id, query, transform, inContext }: View): SharedWatch {
    return inContext(() => this.#begin(id, query, transform));
  }

  /** Records a state that the server returned for a write. Returns true if a watch did not have it. */
  written(write: OwnWrite): boolean {
    const isNews = Array.from(this.watches, ({ overlay }) => overlay.written(write));
    return isNews.includes(true);
  }

  /** Records that an object no longer exists. Returns true if a watch did not know it. */
  deleted(object: DeletedObject): boolean {
    const isNews = Array.from(this.watches, ({ overlay }) => overlay.deleted(object));
    return isNews.includes(true);
  }

  /** Throws `TRANSFORM_CONFLICT` if a view with a handle has another function of this name. */
  checkTransform(transform: NamedTransform | undefined): void {
    for (const view of this.held()) {
      if (!differs(view, transform)) continue;
      throw informerError('TRANSFORM_CONFLICT', {
        transform: transform?.name,
        resource: resourceId(view.query.resource),
        watch: viewText(view),
      });
    }
  }

  /** Throws `INDEXER_CONFLICT` if a watch has another function of this name. */
  checkIndexer(indexer: Indexer): void {
    for (const view of this.views) {
      const known = view.informer.store.indexOf(indexer.name)?.indexer;
      if (known === undefined || isSameIndexer(known, indexer)) continue;
      throw informerError('INDEXER_CONFLICT', {
        indexer: indexer.name,
        resource: resourceId(view.query.resource),
        watch: viewText(view),
      });
    }
  }

  /** Ends all views and watches, even if they have handles. */
  close(): void {
    this.#isClosed = true;
    this.#placement.stop();
    for (const view of this.views) view.end();
    this.#views.clear();
    for (const watch of this.watches) this.#endWatch(watch);
    this.#options.onEmpty();
  }

  #add(key: string, view: View, wider: readonly View[]): void {
    for (const other of wider) view.wider.add(other);
    for (const other of this.views) {
      if (canServe(view.coverage, other.coverage)) other.wider.add(view);
    }
    this.#views.set(key, view);
    this.#replan();
  }

  #end(view: View): void {
    this.#remove(view);
    if (this.#watches.size === 0) this.#options.onEmpty();
  }

  #remove(view: View): void {
    for (const [key, known] of this.#views) if (known === view) this.#views.delete(key);
    for (const other of this.views) other.wider.delete(view);
    this.#placement.remove(view);
    view.end();
    this.#endUnused();
    this.#replan();
  }

  #begin(id: string, query: NormalQuery, transform: NamedTransform | undefined): SharedWatch {
    const informer = this.#options.informer({
      identity: { id, query },
      transform,
      timeline: this.#timeline,
      pageSize: () => watch.pageSize,
      pendingWrites: () => overlay.pending(),
      onProgress: () => {
        overlay.progressed();
        this.#progress();
      },
      onRemove: (object) => overlay.removed(object),
    });
    const overlay = this.#options.overlay(informer, () => this.#timeline.current);
    for (const other of this.watches) overlay.adopt(other.overlay);
    const watch: SharedWatch = new SharedWatch(informer, overlay, this.#options.now);
    this.#watches.set(id, watch);
    const changed = (): void => {
      watch.checkHealth();
      this.#replan();
      this.#options.onChange();
    };
    informer.synced.then(changed, () => undefined);
    informer.health.onChange(changed, () => undefined);
    this.#options.start(informer);
    return watch;
  }

  /** Ends the watches that serve no view, and that no view waits for. */
  #endUnused(): void {
    const { targets } = this.#placement;
    for (const watch of this.watches) {
      if (watch.users.size === 0 && !targets.has(watch)) this.#endWatch(watch);
    }
  }

  #endWatch(watch: SharedWatch): void {
    this.#watches.delete(watch.id);
    watch.overlay.close();
    this.#options.onEnding(watch.informer.stop());
  }

  #progress(): void {
    if (this.#placement.hasMoves) this.#schedule();
  }

  #replan(): void {
    this.#mustPlan = true;
    this.#schedule();
  }

  /** Handlers are called for a move, so a move must not run inside of another change. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#settle());
  }

  #settle(): void {
    this.#isScheduled = false;
    if (this.#isClosed) return;
    if (this.#mustPlan) {
      this.#mustPlan = false;
      this.#placement.plan();
      this.#endUnused();
    }
    if (!this.#placement.advance()) return;
    this.#endUnused();
    this.#replan();
    this.#options.onChange();
  }

  /**
   * Returns lingering views whose transform is another function of this name: a new handle cannot
   * use their watch.
   */
  #outdated(transform: NamedTransform | undefined): View[] {
    return [...this.views].filter((view) => view.handles.size === 0 && differs(view, transform));
  }
}

function canServe(wider: Coverage, other: Coverage): boolean {
  return wider.obstacleTo(other) === undefined;
}

function differs({ transform: known }: View, given: NamedTransform | undefined): boolean {
  return known?.name === given?.name && known?.apply !== given?.apply;
}
