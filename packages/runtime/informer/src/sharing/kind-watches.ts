import { resourceId, type Clock } from '@keelson/apimachinery';
import { Coverage } from '../contract/coverage.ts';
import { identityOf } from '../contract/normal-query.ts';
import type { Indexer } from '../contract/indexer.ts';
import type { Place } from '../contract/place.ts';
import type { NamedTransform, NormalQuery } from '../contract/watch-query.ts';
import type { WatchPart } from '../contract/watch-part.ts';
import { informerError } from '../errors.ts';
import type { Informer } from '../informer/informer.ts';
import type { InformerOptions } from '../informer/informer-options.ts';
import { Timeline } from '../informer/timeline.ts';
import type { Overlay } from '../overlay/overlay.ts';
import type { DeletedObject, OwnWrite } from '../overlay/own-write.ts';
import type { StoredObject } from '../store/stored-object.ts';
import { KnownIndexers } from './known-indexers.ts';
import { Placement, type KindState } from './placement.ts';
import { SharedWatch } from './shared-watch.ts';
import { TakeoverDelay } from './takeover-delay.ts';
import { exactKey, ViewSet } from './view-set.ts';
import { View } from './view.ts';
import { viewText } from './watch-text.ts';

/** The query of a handle, and its options that decide which watch serves it. */
export interface KindQuery {
  readonly query: NormalQuery;
  readonly transform: NamedTransform | undefined;
  readonly part?: WatchPart | undefined;
  /** True if only the watch of exactly this query may serve it. */
  readonly isExact: boolean;
}

/** The properties of one watch, to which the cache adds the shared parts of an informer. */
export type NewInformer = Pick<
  InformerOptions,
  'identity' | 'transform' | 'part' | 'timeline' | 'pageSize' | 'follower'
>;

/** Creates the parts of a watch, which share the parts of a cache. */
export interface WatchFactory {
  informer(options: NewInformer): Informer;
  /** Creates the overlay of a watch. `epoch` returns another number after the server was restored or replaced. */
  overlay(watch: Informer, epoch: () => number): Overlay;
  start(informer: Informer): void;
}

/** Receives the changes of a kind. */
export interface KindListener {
  /** A watch has synced or a handle has moved. */
  changed(): void;
  /** A watch has ended. The promise settles when its last request has ended. */
  ending(ended: Promise<void>): void;
  /** The last watch has ended. */
  emptied(): void;
}

export interface KindOptions {
  /** Milliseconds that a query without handles keeps its watch. */
  readonly linger: number;
  readonly clock: Clock;
  readonly factory: WatchFactory;
  readonly listener: KindListener;
}

/**
 * The watches of one kind and the queries that they serve, including lingering ones. Any of them may
 * serve a read, so the name of a transform or an indexer must mean the same function on all of them.
 */
export class KindWatches implements KindState {
  readonly #options: KindOptions;
  readonly #watches = new Map<string, SharedWatch>();
  readonly #views = new ViewSet();
  readonly #indexers = new KnownIndexers();
  /** The overlays that may have own writes, which a new watch adopts. */
  readonly #writing = new Set<Overlay>();
  /** The watches that possibly no longer serve a view. */
  readonly #suspects = new Set<SharedWatch>();
  readonly #timeline = new Timeline();
  readonly #placement: Placement;
  #order = 0;
  #isScheduled = false;
  #isClosed = false;

  constructor(options: KindOptions) {
    const { linger, clock } = options;
    this.#options = options;
    this.#placement = new Placement(
      this,
      new TakeoverDelay(linger, () => clock.monotonic()),
      () => this.#schedule(),
      clock,
    );
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

  /** Yields the views with a handle that may have objects of a place, in the order of their creation. */
  *held(place: Place): IterableIterator<View> {
    for (const view of this.#views.at(place)) if (view.handles.size > 0) yield view;
  }

  ownWatch({ id }: Pick<View, 'id'>): SharedWatch | undefined {
    return this.#watches.get(id);
  }

  /** Returns the view of a query. A new one is served by a running watch, or starts its own. */
  view({ query, transform, part, isExact }: KindQuery): View {
    for (const view of this.#views.conflicting(transform)) this.#remove(view);
    const id = identityOf(query, transform?.name, part);
    const key = isExact ? exactKey(id) : id;
    const found = this.#views.get(key);
    if (found !== undefined) return found;
    const coverage = new Coverage(query, transform?.name, part?.name);
    const wider = this.#views.covering(coverage);
    const watch =
      (isExact ? undefined : Placement.startOf(wider, this)) ??
      this.#watches.get(id) ??
      this.#begin(id, { query, transform, part });
    const view = new View(
      {
        id,
        key,
        query,
        transform,
        part,
        coverage,
        isExact,
        order: this.#order++,
        linger: this.#options.linger,
        clock: this.#options.clock,
        onHeld: (held) => this.#replan([held]),
        onEnd: (ended) => this.#end(ended),
        checkIndexer: (indexer) => this.checkIndexer(indexer),
        indexers: this.#indexers,
      },
      watch,
    );
    this.#views.add(view, wider);
    this.#replan([view]);
    return view;
  }

  begin({ id, query, transform, part, inContext }: View): SharedWatch {
    return inContext(() => this.#begin(id, { query, transform, part }));
  }

  /** Records a state that the server returned for a write. Returns true if a watch did not have it. */
  written(write: OwnWrite): boolean {
    return this.#report((overlay) => overlay.written(write));
  }

  /** Records that an object no longer exists. Returns true if a watch did not know it. */
  deleted(object: DeletedObject): boolean {
    return this.#report((overlay) => overlay.deleted(object));
  }

  #report(record: (overlay: Overlay) => boolean): boolean {
    const news = Array.from(this.watches, ({ overlay }) => overlay).filter(record);
    for (const overlay of news) this.#writing.add(overlay);
    return news.length > 0;
  }

  /** Throws `TRANSFORM_CONFLICT` if a view with a handle has another function of this name. */
  checkTransform(transform: NamedTransform | undefined): void {
    for (const view of this.#views.conflicting(transform)) {
      if (view.handles.size === 0) continue;
      throw informerError('TRANSFORM_CONFLICT', {
        transform: transform?.name,
        resource: resourceId(view.query.resource),
        watch: viewText(view),
      });
    }
  }

  /** Throws `INDEXER_CONFLICT` if a watch has another function of this name. */
  checkIndexer(indexer: Indexer): void {
    if (!this.#indexers.conflictsWith(indexer)) return;
    const { name } = indexer;
    const isConflicting = (view: View): boolean => view.informer.store.indexOf(name) !== undefined;
    const view = [...this.views].find(isConflicting);
    throw informerError('INDEXER_CONFLICT', {
      indexer: name,
      ...(view && { resource: resourceId(view.query.resource), watch: viewText(view) }),
    });
  }

  /** Ends all views and watches, even if they have handles. */
  close(): void {
    this.#isClosed = true;
    this.#placement.stop();
    for (const view of this.views) view.end();
    this.#views.clear();
    for (const watch of this.watches) this.#endWatch(watch);
    this.#options.listener.emptied();
  }

  #end(view: View): void {
    this.#remove(view);
    if (this.#watches.size === 0) this.#options.listener.emptied();
  }

  #remove(view: View): void {
    this.#replan(view.narrower);
    this.#views.remove(view);
    this.#placement.remove(view);
    const { watch } = view;
    view.end();
    this.#suspects.add(watch);
    this.#endUnused();
    this.#watchChanged(watch);
  }

  #begin(id: string, { query, transform, part }: Omit<KindQuery, 'isExact'>): SharedWatch {
    const { factory, listener, clock } = this.#options;
    const { moves } = this.#placement;
    const follower = {
      ownWrites: { size: 0 },
      moves,
      pending: () => overlay.pending(),
      removed: (object: StoredObject) => overlay.removed(object),
      progressed: () => {
        if (overlay.entries.size > 0) overlay.progressed();
        if (moves.size > 0) this.#schedule();
      },
    };
    const informer = factory.informer({
      identity: { id, query },
      transform,
      part,
      timeline: this.#timeline,
      pageSize: () => watch.pageSize,
      follower,
    });
    const overlay = factory.overlay(informer, () => this.#timeline.current);
    follower.ownWrites = overlay.entries;
    this.#adopt(overlay);
    const watch: SharedWatch = new SharedWatch(informer, overlay, () => clock.monotonic());
    this.#watches.set(id, watch);
    this.#suspects.add(watch);
    this.#replan(this.#views.ofWatch(id));
    const changed = (): void => {
      watch.checkHealth();
      this.#watchChanged(watch);
      listener.changed();
    };
    informer.synced.then(changed, () => undefined);
    informer.health.onChange(changed, () => undefined);
    factory.start(informer);
    return watch;
  }

  /** Adds the own writes of the other watches to a new one, because their handles may move to it. */
  #adopt(overlay: Overlay): void {
    for (const other of this.#writing) {
      if (other.entries.size > 0) overlay.adopt(other);
      else this.#writing.delete(other);
    }
    if (overlay.entries.size > 0) this.#writing.add(overlay);
  }

  mayBeUnused(watch: SharedWatch): void {
    this.#suspects.add(watch);
  }

  /** Ends the watches that serve no view, and that no view waits for. */
  #endUnused(): void {
    for (const watch of this.#suspects) {
      const isUsed = watch.users.size > 0 || this.#placement.isTarget(watch);
      if (!isUsed && this.#watches.get(watch.id) === watch) this.#endWatch(watch);
    }
    this.#suspects.clear();
  }

  #endWatch(watch: SharedWatch): void {
    this.#watches.delete(watch.id);
    this.#writing.delete(watch.overlay);
    watch.overlay.close();
    this.#replan(this.#views.ofWatch(watch.id));
    this.#options.listener.ending(watch.informer.stop());
  }

  /** Marks the views of a changed watch, those of its query and those that it serves, to be planned again. */
  #watchChanged(watch: SharedWatch): void {
    this.#replan(this.#views.ofWatch(watch.id));
    for (const user of watch.users) if (user instanceof View) this.#placement.changed(user);
  }

  #replan(views: Iterable<View>): void {
    for (const view of views) this.#placement.changed(view);
    this.#schedule();
  }

  /** Plans in a microtask. A move calls handlers, so it must not run within another change. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => this.#settle());
  }

  #settle(): void {
    this.#isScheduled = false;
    if (this.#isClosed) return;
    if (this.#placement.hasChanged) {
      this.#placement.plan();
      this.#endUnused();
    }
    const moved = this.#placement.advance();
    if (moved.length === 0) return;
    this.#endUnused();
    // All views are planned again, because a move changes which watches run and may delay a takeover.
    this.#replan(this.views);
    this.#options.listener.changed();
  }
}
