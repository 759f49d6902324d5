import { parseObjectKey, type ObjectKey } from '@keelson/apimachinery';
import type { InformerEvent, NormalQuery, WatchHandle, WatchQuery } from '@keelson/informer';
import type { Item } from '../server/kind.ts';
import { stampOf, type ObjectState } from '../server/object-state.ts';
import type { SimulatedServer } from '../server/simulated-server.ts';
import type { Report } from '../invariants/invariant.ts';
import { HandlerHistory } from './handler-history.ts';
import { queryText } from './queries.ts';
import { StoreTimeline } from './store-timeline.ts';

/** How a handler behaves after it has recorded an event. */
export type HandlerManner = 'plain' | 'throws' | 'rejects' | 'releases';

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
  readonly #options: HeldHandleOptions;
  readonly #histories: HandlerHistory[] = [];
  readonly #timeline: StoreTimeline;
  #isReleased = false;

  constructor(options: HeldHandleOptions) {
    const { number, query, handle, server } = options;
    const { resource, namespace, labelSelector, fieldSelector, projection = 'full' } = query;
    this.#options = options;
    this.name = `handle ${number} (${queryText(query)})`;
    this.query = { resource, namespace, labelSelector, fieldSelector, projection };
    this.given = query;
    this.handle = handle;
    this.#timeline = new StoreTimeline(this.query, server.historyOf(resource));
    handle.synced.catch(() => undefined);
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  addHandler(manner: HandlerManner): void {
    const name = `handler ${this.#histories.length + 1} of ${this.name}`;
    const { report, server } = this.#options;
    const history = new HandlerHistory(name, server.damaged, report);
    const expected = this.handle.hasSynced ? this.#shown() : new Map<ObjectKey, number>();
    this.#histories.push(history);
    const registration = this.handle.addEventHandler((event) => {
      this.#options.trace(`  ${name}: ${event.type} ${event.key} ${stampOf(event.object)}`);
      if (event.type === 'added' && event.initial && registration.hasSynced) {
        report('snapshot', `${name}: ${event.key} arrives as initial after the sync`);
      }
      return this.#take(event, history, manner);
    });
    registration.synced.then(
      () => this.#checkSnapshot(name, history, expected),
      () => undefined,
    );
  }

  get isScoped(): boolean {
    return this.#options.isScoped;
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
  }

  /** Checks that the store shows the server at one time. An object that was fetched alone may be newer. */
  checkStore(): void {
    if (this.#isReleased || !this.handle.hasSynced) return;
    if (this.#mayBeNewer) return;
    const problem = this.#timeline.advance(this.#shown());
    if (problem !== undefined) this.#options.report('atomic store', `${this.name}: ${problem}`);
  }

  /** Compares the store and every handler with the server. */
  checkConvergence(): void {
    if (this.#isReleased) return;
    const truth = this.#options.server.select(this.query);
    const wanted = textOf(truth.map(({ key, stamp, identity: { uid } }) => [key, { uid, stamp }]));
    this.#compare('the store', wanted, this.#stored());
    for (const { known } of this.#histories) this.#compare('a handler', wanted, textOf([...known]));
    const { state } = this.handle.health;
    if (state !== 'live') this.#options.report('convergence', `${this.name} is ${state}`);
  }

  /** True once the store may be newer for one object: it was fetched alone, or is a write of this process. */
  get #mayBeNewer(): boolean {
    const { damaged, ownWrites } = this.#options.server;
    return damaged.size > 0 || ownWrites.size > 0;
  }

  #compare(where: string, wanted: string, found: string): void {
    if (wanted === found) return;
    const facts = `${this.name}: ${where} has [${found}], the server has [${wanted}]`;
    this.#options.report('convergence', facts);
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
    const present = this.#shown();
    const lost = [...expected.keys()].filter((key) => present.has(key) && !history.known.has(key));
    if (lost.length > 0)
      this.#options.report('snapshot', `${name} synced without ${lost.join(', ')}`);
  }
}

function textOf(states: readonly (readonly [string, { uid: string; stamp: number }])[]): string {
  return states
    .map(([key, { uid, stamp }]) => `${key} ${uid} ${stamp}`)
    .toSorted()
    .join(', ');
}
