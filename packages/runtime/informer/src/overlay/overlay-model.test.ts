import { expect, jest, test } from '@jest/globals';
import type { DeepReadonly } from '@keelson/apimachinery';
import * as fc from 'fast-check';
import type { CacheScope } from '../cache/cache-scope.ts';
import { createInformerCache, type InformerCache } from '../cache/informer-cache.ts';
import { normalQuery } from '../contract/normal-query.ts';
import type { WatchHandle } from '../contract/watch-handle.ts';
import type { NormalQuery, WatchQuery } from '../contract/watch-query.ts';
import { History } from '../testing/history.test-support.ts';
import { Thing } from '../testing/scripted-source.test-support.ts';
import { selects } from '../testing/selecting-source.test-support.ts';
import { pass, stopTheClock } from '../testing/stopped-clock.test-support.ts';
import { VersionedServer, type Stream } from '../testing/versioned-server.test-support.ts';

stopTheClock();

const LINGER_MS = 1_000;

/** Every query indexes the value of its Things. */
const byValue = {
  name: 'value',
  body: ({ spec }: { readonly spec?: { readonly value?: number } }) => [String(spec?.value)],
};

const queries: readonly Omit<WatchQuery<Thing>, 'resource'>[] = [
  { indexers: [byValue] },
  { namespace: 'n1' },
  { labelSelector: 'app=x', indexers: [byValue] },
  { labelSelector: 'app in (x,y)' },
  { labelSelector: 'app=x', namespace: 'n1' },
  { fieldSelector: 'metadata.name=a' },
  { projection: 'metadata' },
  { projection: 'metadata', labelSelector: 'app=x' },
  { sharing: 'exact', namespace: 'n1' },
  { retain: 'object', namespace: 'n2' },
];

const labels = [{}, { app: 'x' }, { app: 'y' }] as const;
const names = ['a', 'b', 'c'] as const;
const namespaces = ['n1', 'n2'] as const;

/** The responses that the cache has received: what every read must include. */
class Acknowledged {
  /** The newest written state of each key. */
  readonly states = new Map<string, Thing>();
  readonly deleted = new Set<string>();

  wrote(object: Thing): void {
    const key = keyOf(object);
    const known = this.states.get(key);
    if (known === undefined || versionOf(known) < versionOf(object)) this.states.set(key, object);
  }
}

/** A handle in a scope of its own, whose reads are compared with what they must return. */
class Held {
  readonly handle: WatchHandle<Thing>;
  readonly history = new History<Thing>();
  readonly query: NormalQuery;
  /** All states that were read. */
  readonly #read = new Set<string>();
  readonly #scope: CacheScope;
  readonly #isIndexed: boolean;

  constructor(cache: InformerCache, query: Omit<WatchQuery<Thing>, 'resource'>) {
    this.query = normalQuery({ resource: Thing, ...query });
    this.#isIndexed = query.indexers !== undefined;
    this.#scope = cache.scope();
    this.handle = this.#scope.acquire({ resource: Thing, ...query }, { owner: 'test' });
    this.handle.addEventHandler(this.history.handler);
  }

  check(acknowledged: Acknowledged): void {
    if (!this.handle.hasSynced) return;
    const found: string[] = [];
    for (const namespace of namespaces) {
      for (const name of names) {
        const seen = this.#get({ namespace, name }, true);
        const text = textOf(seen);
        expect(text).toBe(textOf(this.#expected({ namespace, name }, acknowledged)));
        if (seen === undefined) continue;
        found.push(`${namespace}/${name} ${text}`);
        this.#read.add(text);
      }
    }
    const { store } = this.handle;
    const listed = store.list().map((object) => `${keyOf(object)} ${textOf(object)}`);
    expect(listed.toSorted()).toEqual(found.toSorted());
    expect(store.size).toBe(found.length);
    if (this.#isIndexed) this.#checkIndex();
  }

  /** The reads of a handle equal the server, and its handlers have received each change once. */
  expectEqual(server: VersionedServer): void {
    const truth = server
      .select(this.query)
      .map((object) => `${keyOf(object)} ${object.metadata?.uid} ${versionOf(object)}`)
      .toSorted();
    const stored = this.handle.store
      .views()
      .map(({ key, uid, resourceVersion }) => `${key} ${uid} ${resourceVersion}`);
    expect(stored.toSorted()).toEqual(truth);
    expect(this.history.state).toEqual(truth);
    expect(this.history.complaints).toEqual([]);
    expect([...this.#read].filter((text) => !this.history.states.has(text))).toEqual([]);
  }

  #expected(name: Name, { states, deleted }: Acknowledged): Thing | undefined {
    const state = states.get(`${name.namespace}/${name.name}`);
    const isAhead =
      state !== undefined && versionOf(state) > Number(this.handle.store.resourceVersion);
    const object = isAhead ? this.#selected(state) : this.#get(name, false);
    return deleted.has(object?.metadata?.uid ?? '') ? undefined : object;
  }

  #selected(state: Thing): Thing | undefined {
    return selects(this.query, state) ? state : undefined;
  }

  #get(name: Name, overlay: boolean): Thing | undefined {
    if (excludes(this.query, name)) return undefined;
    const { projection } = this.query;
    return this.#scope.get(Thing, name, { overlay, projection }) as Thing | undefined;
  }

  #checkIndex(): void {
    const all = this.handle.store.list();
    for (const value of new Set(all.map(({ spec }) => String(spec?.value)))) {
      const listed = this.handle.store.list({ index: { name: 'value', value } });
      const scanned = all.filter(({ spec }) => String(spec?.value) === value);
      expect(listed.map(keyOf).toSorted()).toEqual(scanned.map(keyOf).toSorted());
    }
  }
}

/** A cache whose own writes and their responses interleave with all that a server does. */
class Model implements AsyncDisposable {
  readonly server: VersionedServer = new VersionedServer();
  readonly cache: InformerCache;
  readonly held: Held[] = [];
  readonly acknowledged = new Acknowledged();
  /** Responses on the way to the cache. */
  readonly #responses: (() => void)[] = [];

  constructor() {
    this.cache = createInformerCache({
      listerWatcher: this.server.listerWatcher,
      linger: LINGER_MS,
      random: () => 1,
      freeze: true,
    });
  }

  readonly actions: Readonly<Record<string, (n: number) => void | Promise<void>>> = {
    acquire: (n) => void this.held.push(new Held(this.cache, queries[n % queries.length] ?? {})),
    release: (n) => {
      for (const { handle } of this.held.splice(n % (this.held.length || 1), 1)) handle.release();
    },
    write: (n) => {
      const object = this.#set(n);
      this.#responses.push(() => {
        this.acknowledged.wrote(structuredClone(object));
        this.cache.written(Thing, object);
      });
    },
    delete: (n) => {
      const { namespace, name } = nameOf(n);
      const last = this.server.remove(name, namespace);
      if (last === undefined) return;
      const { uid = '', resourceVersion } = last.metadata ?? {};
      // Some servers return the last state, others only the uid.
      const version = n % 2 === 0 ? {} : { resourceVersion };
      this.#responses.push(() => {
        this.acknowledged.deleted.add(uid);
        this.cache.deleted(Thing, { namespace, name, uid, ...version });
      });
    },
    respond: (n) => this.#responses.splice(n % (this.#responses.length || 1), 1)[0]?.(),
    respondAll: () => {
      for (const respond of this.#responses.splice(0)) respond();
    },
    foreignWrite: (n) => void this.#set(n),
    foreignDelete: (n) => void this.server.remove(nameOf(n).name, nameOf(n).namespace),
    hold: (n) => {
      this.server.isHeld = n % 3 > 0;
      this.server.lag = n % 4;
    },
    send: (n) => this.#onStream(n, (stream) => this.server.send(stream, 1 + (n % 3))),
    bookmark: (n) => this.#onStream(n, (stream) => this.server.bookmark(stream)),
    cut: (n) => this.#onStream(n, ({ watch }) => watch.end(new Error('reset'))),
    expire: (n) => {
      this.server.compact();
      this.#onStream(n, (stream) => this.server.fail(stream, 410));
    },
    relist: (n) => {
      const held = this.held[n % (this.held.length || 1)];
      void held?.handle.restart().catch(() => undefined);
    },
    turn: nextTurn,
    wait: (n) => pass([1, 50, LINGER_MS][n % 3] ?? 0),
  };

  async run(steps: readonly { readonly does: string; readonly n: number }[]): Promise<void> {
    for (const { does, n } of steps) {
      await this.actions[does]?.(n);
      for (const held of this.held) held.check(this.acknowledged);
    }
  }

  /** Ends all faults, and waits until every watch is equal to the server. */
  async settle(): Promise<void> {
    this.server.isHeld = false;
    this.server.lag = 0;
    for (const respond of this.#responses.splice(0)) respond();
    for (let round = 0; round < 12; round++) {
      this.server.sendAll();
      this.server.bookmarkAll();
      for (let turn = 0; turn < 10; turn++) await nextTurn();
      await pass(60_000);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cache.close();
  }

  #set(n: number): Thing {
    const { namespace, name } = nameOf(n);
    return this.server.set(name, { namespace, labels: labels[n % 3] ?? {}, value: n % 4 });
  }

  #onStream(n: number, act: (stream: Stream) => void): void {
    const streams = [...this.server.streams];
    const stream = streams[n % (streams.length || 1)];
    if (stream !== undefined) act(stream);
  }
}

interface Name {
  readonly namespace: string;
  readonly name: string;
}

function nameOf(n: number): Name {
  return { namespace: namespaces[n % 5 < 3 ? 0 : 1] ?? 'n1', name: names[(n % 7) % 3] ?? 'a' };
}

function keyOf({ metadata }: DeepReadonly<Thing>): string {
  return `${metadata?.namespace}/${metadata?.name}`;
}

function versionOf({ metadata }: Thing): number {
  return Number(metadata?.resourceVersion);
}

/** Identifies a state; `none` for no object. */
function textOf(object: unknown): string {
  const { metadata } = (object ?? {}) as Thing;
  return object === undefined ? 'none' : `${metadata?.uid} ${metadata?.resourceVersion}`;
}

function excludes({ namespace, fieldSelector }: NormalQuery, name: Name): boolean {
  if (namespace !== undefined && namespace !== name.namespace) return true;
  return fieldSelector !== undefined && fieldSelector !== `metadata.name=${name.name}`;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

const step = fc.record({
  does: fc.constantFrom(
    ...Object.keys(new Model().actions),
    'acquire',
    'hold',
    'write',
    'write',
    'respond',
    'respond',
    'turn',
    'turn',
  ),
  n: fc.nat(1_000),
});

test('CT47 any own and foreign writes, events and relists: no read is older than an own write or the watch', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
      jest.clearAllTimers();
      await using model = new Model();
      await model.run([{ does: 'acquire', n: 0 }, { does: 'turn', n: 0 }, ...steps]);
      await model.settle();
      for (const held of model.held) held.expectEqual(model.server);
      for (const { ownWrites } of model.cache.inventory()) expect(ownWrites).toBe(0);
      for (const { handle } of model.held) handle.release();
      await pass(LINGER_MS);
      expect(model.cache.inventory()).toEqual([]);
      expect(jest.getTimerCount()).toBe(0);
    }),
    { numRuns: Math.ceil(30 * multiple) },
  );
});
