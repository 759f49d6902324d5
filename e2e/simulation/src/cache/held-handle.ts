import { parseObjectKey, type ObjectKey } from '@keelson/apimachinery';
import type { InformerEvent, NormalQuery, WatchHandle, WatchQuery } from '@keelson/informer';
import type { Item } from '../server/kind.ts';
import { stampOf, type ObjectState } from '../server/object-state.ts';
import type { SimulatedServer } from '../server/simulated-server.ts';
import type { Report } from '../invariants/invariant.ts';
import { HandlerHistory } from './handler-history.ts';
import { HeldStream } from './held-stream.ts';
import { OwnWriteView } from './own-write-view.ts';
import { queryText } from './queries.ts';
import { RESYNC_MS, ResyncModel } from './resync-model.ts';
import { StoreTimeline } from './store-timeline.ts';

/** How a handler behaves after it has recorded an event. */
export type HandlerManner = 'plain' | 'throws' | 'rejects' | 'releases' | 'resyncs';

export interface HeldHandleOptions {
  readonly number: number;
  /** The handle belongs to the scope of the world. */
  readonly isScoped: boolean;
  readonly query: WatchQuery<Item>;
  readonly handle: WatchHandle<Item>;
  readonly server: SimulatedServer;
  readonly report: Report;
  readonly trace: (line: string) => void;
}

/** A handle of the cache, its handlers, and the checks of what they show. */
export class HeldHandle {
  readonly name: string;
  readonly query: NormalQuery;
  readonly given: WatchQuery<Item>;
  readonly handle: WatchHandle<Item>;
  readonly streams: HeldStream[] = [];
  readonly #options: HeldHandleOptions;
  readonly #histories: HandlerHistory[] = [];
  readonly #resyncs: ResyncModel[] = [];
  readonly #timeline: StoreTimeline;
  readonly #own: OwnWriteView;
  #isReleased = false;

  constructor(options: HeldHandleOptions) {
    const { number, query, handle, server } = options;
    const { resource, namespace, labelSelector, fieldSelector, retain } = query;
    const projection = retain === 'metadata' ? 'metadata' : (query.projection ?? 'full');
    this.#options = options;
    this.name = `handle ${number} (${queryText(query)})`;
    this.query = { resource, namespace, labelSelector, fieldSelector, projection };
    this.given = query;
    this.handle = handle;
    this.#own = new OwnWriteView(resource, server);
    const history = server.historyOf(resource);
    this.#timeline = new StoreTimeline(this.query, history, (key) => this.#own.stampsOf(key));
    handle.synced.catch(() => undefined);
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  get isScoped(): boolean {
    return this.#options.isScoped;
  }

  addHandler(manner: HandlerManner): void {
    const name = `handler ${this.#histories.length + 1} of ${this.name}`;
    const { report } = this.#options;
    const resyncs = manner === 'resyncs' ? new ResyncModel() : undefined;
    if (resyncs !== undefined) this.#resyncs.push(resyncs);
    const history = this.#history(name, resyncs);
    const expected = this.#present();
    this.#histories.push(history);
    const registration = this.handle.addEventHandler(
      (event) => {
        this.#options.trace(`  ${name}: ${event.type} ${event.key} ${stampOf(event.object)}`);
        if (event.type === 'added' && event.initial && registration.hasSynced) {
          report('snapshot', `${name}: ${event.key} arrives as initial after the sync`);
        }
        return this.#take(event, history, manner);
      },
      { resync: resyncs === undefined ? 0 : RESYNC_MS },
    );
    registration.synced.then(
      () => this.#checkSnapshot(name, history, expected),
      () => undefined,
    );
  }

  /** Opens a stream of the events. */
  addStream(): HeldStream {
    const name = `stream ${this.streams.length + 1} of ${this.name}`;
    const history = this.#history(name, undefined);
    const { trace, report } = this.#options;
    const expected = this.#present();
    const stream = new HeldStream(name, {
      events: this.handle.events(),
      history,
      trace,
      report,
      checkSnapshot: () => this.#checkSnapshot(name, history, expected),
    });
    this.streams.push(stream);
    return stream;
  }

  /** The states of the objects in the store. */
  states(): ObjectState[] {
    const history = this.#options.server.historyOf(this.query.resource);
    return this.handle.store
      .views()
      .map((view) => history.stateOf(stampOf(view)))
      .filter((state) => state !== undefined);
  }

  /** The state of one object in the store. */
  stateOf({ namespace, name }: { namespace: string; name: string }): ObjectState | undefined {
    return this.states().find(({ key }) => key === `${namespace}/${name}`);
  }

  release(): void {
    this.#isReleased = true;
    this.handle.release();
    for (const stream of this.streams) stream.read(Infinity);
  }

  /** From now on nothing delays a resync or a reader of a stream. */
  calm(): void {
    for (const resyncs of this.#resyncs) resyncs.calm();
    for (const stream of this.streams) stream.read(Infinity);
  }

  /**
   * Checks that the store shows the server at one time, except for own writes, and no own write is missing. An object
   * that was fetched alone may be newer.
   */
  checkStore(): void {
    if (this.#isReleased || !this.handle.hasSynced || this.#mayBeNewer) return;
    const shown = this.#shown();
    const { report, server } = this.#options;
    const problem = this.#timeline.advance(shown);
    if (problem !== undefined) report('atomic store', `${this.name}: ${problem}`);
    if (this.handle.store.resourceVersion === '') {
      this.#own.forget();
      if (shown.size === 0) return;
      report('own writes', `${this.name} has ${shown.size} objects of a kind that does not exist`);
    }
    if (server.ownWrites.size === 0) return;
    const missing = this.#own.missing(shown, this.#timeline);
    if (missing !== undefined) report('own writes', `${this.name}: ${missing}`);
  }

  /** Compares the store and every handler with the server. */
  checkConvergence(report: Report): void {
    if (this.#isReleased) return;
    const truth = this.#options.server.select(this.query);
    const wanted = textOf(truth.map(({ key, stamp, identity: { uid } }) => [key, { uid, stamp }]));
    const compare = (where: string, found: string): void => {
      if (wanted === found) return;
      const facts = `${this.name}: ${where} has [${found}], the server has [${wanted}]`;
      report('convergence', facts);
    };
    compare('the store', this.#stored());
    for (const history of this.#histories) {
      compare('a handler', textOf([...history.known]));
      const missing = history.missingResyncs();
      if (missing !== undefined) report('resync', `${this.name}: no resync of ${missing}`);
    }
    for (const { history, isOpen } of this.streams) {
      if (isOpen) compare('a stream', textOf([...history.known]));
    }
    const { state } = this.handle.health;
    if (state !== 'live') report('convergence', `${this.name} is ${state}`);
  }

  /** True once an object of the store may be newer than the others, because it was fetched alone. */
  get #mayBeNewer(): boolean {
    return this.#options.server.damaged.size > 0;
  }

  #history(name: string, resyncs: ResyncModel | undefined): HandlerHistory {
    const { report, server } = this.#options;
    return new HandlerHistory(name, { damaged: server.damaged, report, resyncs });
  }

  #stored(): string {
    const { handle } = this;
    if (!handle.hasSynced) return 'nothing, and has not synced';
    return textOf(
      handle.store.views().map((view) => [view.key, { uid: view.uid, stamp: stampOf(view) }]),
    );
  }

  #shown(): Map<ObjectKey, number> {
    return new Map(this.handle.store.views().map((view) => [view.key, stampOf(view)]));
  }

  /** The objects that the store has now, without own writes, which no handler receives before their events. */
  #present(): Map<ObjectKey, number> {
    if (!this.handle.hasSynced) return new Map();
    const { ownWrites } = this.#options.server;
    return new Map(Array.from(this.#shown()).filter(([, stamp]) => !ownWrites.has(stamp)));
  }

  #take(event: InformerEvent<Item>, history: HandlerHistory, manner: HandlerManner): unknown {
    if (this.#isReleased) {
      this.#options.report('release', `${this.name}: ${event.type} ${event.key}`);
      return undefined;
    }
    history.take(event);
    this.#checkStoreOf(event);
    if (manner === 'throws') throw new Error('the handler throws');
    if (manner === 'rejects') return Promise.reject(new Error('the handler rejects'));
    if (manner === 'releases' && !(event.type === 'added' && event.initial)) {
      this.release();
    }
    return undefined;
  }

  /** The store has the state of the event, or the server has a newer one. */
  #checkStoreOf(event: InformerEvent<Item>): void {
    const { key, object, type } = event;
    const stamp = stampOf(object);
    const view = this.handle.store.view(parseObjectKey(key));
    const stored = view === undefined ? undefined : stampOf(view);
    const isPresent = stored !== undefined && stored <= stamp;
    const isWrong =
      type === 'deleted'
        ? isPresent
        : stored === undefined
          ? !this.#isLater(key, stamp)
          : stored < stamp;
    if (!isWrong) return;
    const what = stored === undefined ? 'nothing' : `state ${stored}`;
    this.#options.report(
      'store first',
      `${this.name}: ${type} ${key} ${stamp}, the store has ${what}`,
    );
  }

  #isLater(key: ObjectKey, stamp: number): boolean {
    const changes = this.#options.server.historyOf(this.query.resource).of(key);
    return (changes.at(-1)?.stamp ?? 0) > stamp;
  }

  #checkSnapshot(
    name: string,
    history: HandlerHistory,
    expected: ReadonlyMap<ObjectKey, number>,
  ): void {
    if (this.#isReleased || this.#mayBeNewer) return;
    const present = this.#present();
    const lost = [...expected].filter(
      ([key, stamp]) =>
        this.#timeline.isKept(key, stamp, present.get(key)) && !history.known.has(key),
    );
    if (lost.length > 0) {
      const keys = lost.map(([key]) => key).join(', ');
      this.#options.report('snapshot', `${name} synced without ${keys}`);
    }
  }
}

function textOf(states: readonly (readonly [string, { uid: string; stamp: number }])[]): string {
  return states
    .map(([key, { uid, stamp }]) => `${key} ${uid} ${stamp}`)
    .toSorted()
    .join(', ');
}
