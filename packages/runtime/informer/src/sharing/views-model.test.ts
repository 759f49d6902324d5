import { expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { CacheScope } from '../cache/cache-scope.ts';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import { normalQuery } from '../contract/normal-query.ts';
import type { InformerEvent } from '../contract/informer-event.ts';
import type { IndexRegistration, WatchHandle } from '../contract/watch-handle.ts';
import type { NormalQuery, WatchQuery } from '../contract/watch-query.ts';
import { History } from '../testing/history.test-support.ts';
import { checkedIndexers, checkedOwner, indexFaults } from '../testing/index-check.test-support.ts';
import { NamespaceReader } from '../testing/namespace-reader.test-support.ts';
import { Thing } from '../testing/scripted-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import { VersionedServer, type Stream } from '../testing/versioned-server.test-support.ts';

stopTheClock();

const LINGER_MS = 1_000;

/** Queries of which many cover others. */
const queries: readonly Omit<WatchQuery<Thing>, 'resource'>[] = [
  {},
  { namespace: 'n1' },
  { namespace: 'n2' },
  { labelSelector: 'app=x' },
  { labelSelector: 'app in (x,y)' },
  { labelSelector: 'app in (x)' },
  { labelSelector: 'app' },
  { labelSelector: 'app=x', namespace: 'n1' },
  { fieldSelector: 'metadata.name=a' },
  { fieldSelector: 'metadata.name=a', namespace: 'n1' },
  { fieldSelector: 'metadata.namespace=n1' },
  { projection: 'metadata' },
  { projection: 'metadata', labelSelector: 'app=x' },
  { projection: 'metadata', namespace: 'n1' },
  { sharing: 'exact', namespace: 'n1' },
  { sharing: 'exact' },
];

const labels = [{}, { app: 'x' }, { app: 'y' }, { app: 'z' }] as const;
const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const namespaces = ['n1', 'n2'] as const;

/** A handle, and everything that it showed. */
class Held {
  readonly handle: WatchHandle<Thing>;
  readonly query: NormalQuery;
  readonly complaints: string[] = [];
  readonly #scope: CacheScope;
  readonly #indexes: IndexRegistration[] = [];
  readonly #histories: History<Thing>[] = [];
  /** The newest version of each key that the store had, and that of its deletion. */
  readonly #stored = new Map<string, { version: number; isGone: boolean }>();
  #isReleased = false;

  constructor(scope: CacheScope, query: Omit<WatchQuery<Thing>, 'resource'>) {
    this.query = normalQuery({ resource: Thing, ...query });
    this.#scope = scope;
    this.handle = this.#scope.acquire({ resource: Thing, ...query }, { owner: 'test' });
    this.toggleIndexes();
    this.addHandler();
  }

  /** `resync` is the interval of the handler in milliseconds; 0 for none. */
  addHandler(resync = 0): void {
    const history = new History<Thing>();
    const newest = new Map<string, number>();
    this.#histories.push(history);
    this.handle.addEventHandler(
      (event) => {
        history.handler(event);
        this.#check(event, newest);
      },
      { resync },
    );
  }

  /** Adds the indexes, or removes them. */
  toggleIndexes(): void {
    const added = this.#indexes.splice(0);
    for (const index of added) index[Symbol.dispose]();
    if (added.length > 0) return;
    const indexers = checkedIndexers(this.query.projection);
    this.#indexes.push(...indexers.map((indexer) => this.handle.addIndexer(indexer)));
  }

  release(): void {
    this.handle.release();
    this.#isReleased = true;
  }

  /** Compares indexes with scans, and the store with its former states: no former version may return. */
  checkStore(): void {
    if (this.#isReleased || !this.handle.hasSynced) return;
    if (this.#indexes.length > 0) {
      this.complaints.push(...indexFaults(this.#scope, this.query.projection));
    }
    const present = new Map(
      this.handle.store.views().map(({ key, resourceVersion }) => [key, Number(resourceVersion)]),
    );
    for (const [key, version] of present) {
      const former = this.#stored.get(key);
      const isBack = former !== undefined && version <= former.version && former.isGone;
      if (isBack || version < (former?.version ?? 0)) {
        this.complaints.push(`the store went back to ${key} ${version}`);
      }
      this.#stored.set(key, { version, isGone: false });
    }
    for (const [key, former] of this.#stored) if (!present.has(key)) former.isGone = true;
  }

  /** Compares handlers and store with the objects of the server. */
  expectEqual(server: VersionedServer): void {
    const truth = server
      .select(this.query)
      .map(({ metadata }) => {
        const { namespace, name, uid, resourceVersion } = { ...metadata };
        return `${namespace}/${name} ${uid} ${resourceVersion}`;
      })
      .toSorted();
    const stored = this.handle.store
      .views()
      .map(({ key, uid, resourceVersion }) => `${key} ${uid} ${resourceVersion}`)
      .toSorted();
    expect(stored).toEqual(truth);
    expect(this.handle.store.size).toBe(truth.length);
    for (const { state } of this.#histories) expect(state).toEqual(truth);
  }

  expectNoComplaint(): void {
    expect([...this.complaints, ...this.#histories.flatMap((one) => one.complaints)]).toEqual([]);
  }

  #check(event: InformerEvent<Thing>, newest: Map<string, number>): void {
    const { key, object } = event;
    if (this.#isReleased) this.complaints.push(`${event.type} ${key} after the release`);
    const value = object.value();
    if (this.query.projection === 'metadata' && 'spec' in value) {
      this.complaints.push(`${key} has a body`);
    }
    const version = Number(object.resourceVersion);
    if (event.type === 'updated' && event.previous === object) {
      if (version !== newest.get(key)) this.complaints.push(`resync of ${key} at ${version}`);
      return;
    }
    // An object that left the query has its last matching version in `deleted`.
    if (event.type !== 'deleted' && version <= (newest.get(key) ?? 0)) {
      this.complaints.push(`${event.type} ${key} ${version} is a repeat`);
    }
    newest.set(key, Math.max(version, newest.get(key) ?? 0));
  }
}

/** A cache, its server and its handles, to which random actions apply. */
class Model implements AsyncDisposable {
  readonly server: VersionedServer = new VersionedServer();
  readonly cache: InformerCache;
  readonly held: Held[] = [];
  readonly released: Held[] = [];
  readonly reader: NamespaceReader<Held>;

  /** Each reading of the clock takes 3 ms, so that all work runs in small slices. */
  #isSlow: boolean;

  constructor(isSlow: boolean) {
    this.#isSlow = isSlow;
    let passed = 0;
    this.cache = createInformerCache({
      now: () => performance.now() + (passed += this.#isSlow ? 3 : 0),
      listerWatcher: this.server.listerWatcher,
      linger: LINGER_MS,
      random: () => 1,
      freeze: true,
    });
    const scope = this.cache.scope();
    this.reader = new NamespaceReader(scope, (namespace) => new Held(scope, { namespace }));
  }

  /** The handles that are not released. */
  get live(): Held[] {
    return [...this.held, ...this.reader.held.values()];
  }

  readonly actions: Readonly<Record<string, (n: number) => void | Promise<void>>> = {
    acquire: (n) =>
      void this.held.push(new Held(this.cache.scope(), queries[n % queries.length] ?? {})),
    index: (n) => this.held[n % (this.held.length || 1)]?.toggleIndexes(),
    join: (n) => this.held[n % (this.held.length || 1)]?.addHandler([0, 900, 20_000][n % 3]),
    release: (n) => {
      for (const held of this.held.splice(n % (this.held.length || 1), 1)) {
        held.release();
        this.released.push(held);
      }
    },
    namespaces: (n) => {
      const wanted = namespaces.filter((_, at) => (n >> at) % 2 === 0);
      this.released.push(...this.reader.change(wanted));
    },
    set: (n) => this.#set(n),
    remove: (n) => void this.server.remove(names[n % 6] ?? 'a', namespaces[n % 7 < 4 ? 0 : 1]),
    replace: (n) => {
      this.server.remove(names[n % 6] ?? 'a', namespaces[n % 7 < 4 ? 0 : 1]);
      this.#set(n);
    },
    hold: (n) => {
      this.server.isHeld = n % 2 === 0;
      this.server.lag = n % 3;
      this.server.supportsWatchList = n % 5 < 3;
    },
    send: (n) => this.#onStream(n, (stream) => this.server.send(stream, 1 + (n % 3))),
    bookmark: (n) => this.#onStream(n, (stream) => this.server.bookmark(stream)),
    cut: (n) => this.#onStream(n, ({ watch }) => watch.end(new Error('reset'))),
    end: (n) => this.#onStream(n, ({ watch }) => watch.end()),
    expire: (n) => {
      this.server.compact();
      this.#onStream(n, (stream) => this.server.fail(stream, 410));
    },
    forbid: (n) => {
      const forbidden = JSON.stringify(normalQuery({ resource: Thing, ...queries[n % 7] }));
      this.server.isForbidden = (query) => JSON.stringify(query) === forbidden;
      for (const { query, watch } of this.server.streams) {
        if (this.server.isForbidden(query)) watch.end(new Error('reset'));
      }
    },
    allow: () => void (this.server.isForbidden = () => false),
    fill: (n) => {
      for (let at = 0; at < 12; at++) this.#set(n + at);
    },
    /** One turn of the event loop: less than the replays and moves of a slow clock need. */
    turn: nextTurn,
    turns: () => pass(0),
    wait: (n) => pass([50, LINGER_MS, 10_000, 100_000][n % 4] ?? 0),
  };

  async run(steps: readonly { readonly does: string; readonly n: number }[]): Promise<void> {
    for (const { does, n } of steps) {
      await this.actions[does]?.(n);
      for (const held of this.live) held.checkStore();
      this.reader.expectReads(namespaces);
      const identities = this.cache.inventory().map(({ identity }) => identity);
      expect(new Set(identities).size).toBe(identities.length);
    }
  }

  /** Ends all faults, and waits until every watch is equal to the server. */
  async settle(): Promise<void> {
    this.server.isForbidden = () => false;
    this.server.isHeld = false;
    this.server.lag = 0;
    // With a slow clock, a connection becomes idle before its data is read.
    this.#isSlow = false;
    for (let round = 0; round < 12; round++) {
      this.server.sendAll();
      this.server.bookmarkAll();
      // Snapshots and moves that began with a slow clock need many turns.
      for (let turn = 0; turn < 60; turn++) await nextTurn();
      await pass(60_000);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cache.close();
  }

  #set(n: number): void {
    const state = {
      namespace: namespaces[n % 7 < 4 ? 0 : 1] ?? 'n1',
      labels: labels[(n % 5) % 4] ?? {},
      value: n % 3,
      ...(n % 2 === 0 ? { owner: checkedOwner } : {}),
    };
    this.server.set(names[n % 6] ?? 'a', state);
  }

  #onStream(n: number, act: (stream: Stream) => void): void {
    const streams = [...this.server.streams];
    const stream = streams[n % (streams.length || 1)];
    if (stream !== undefined) act(stream);
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const step = fc.record({
  does: fc.constantFrom(...Object.keys(new Model(false).actions), 'acquire', 'set', 'turn', 'turn'),
  n: fc.nat(1_000),
});

test('RC21 RC22 RC24 any handles, namespaces, changes and faults: handlers see no gap, no repeat and no former state', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.array(step, { maxLength: 60, size: 'max' }),
      async (isSlow, steps) => {
        jest.clearAllTimers();
        await using model = new Model(isSlow);
        await model.run(steps);
        await model.settle();
        for (const held of [...model.live, ...model.released]) held.expectNoComplaint();
        for (const held of model.live) held.expectEqual(model.server);
        model.reader.expectReads(namespaces);
        const isWideHeld = model.held.some(
          ({ query }) => query.projection === 'full' && isWhole(query),
        );
        const exact = model.cache
          .inventory()
          .filter(({ query }) => query.namespace === 'n1').length;
        if (isWideHeld) expect(model.cache.inventory().length).toBeLessThanOrEqual(1 + exact);
        for (const { handle } of model.live) handle.release();
        await pass(LINGER_MS);
        expect(model.cache.inventory()).toEqual([]);
        expect(model.server.streams.size).toBe(0);
        expect(jest.getTimerCount()).toBe(0);
      },
    ),
    { numRuns: Math.ceil(30 * multiple) },
  );
});

function isWhole({ namespace, labelSelector, fieldSelector }: NormalQuery): boolean {
  return namespace === undefined && labelSelector === undefined && fieldSelector === undefined;
}
